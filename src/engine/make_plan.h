// From the text of a class and the outcomes of its families and conditions to a plan.
//
// Two passes: the first numbers charts, states, choices and processes, so that targets may point forwards; the second
// goes through the bodies in the order of the text and fills the tables. Cost: linear in the text, times the members
// of its families.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "diag/diagnostic.h"
#include "engine/expansion.h"
#include "engine/programs.h"
#include "engine/world.h"

namespace hyla::engine {

/// Tells the sink that something is not part of this version: `what` fits before "is not part of this version yet".
void report_unsupported(diag::Sink& sink, diag::Span span, const std::string& what);
void report_unsupported(diag::Sink& sink, const code::Unsupported& item);
/// Tells all such things that a class declares, apart from what is inside its actions and expressions.
void report_unsupported_items(const model::Model& model, model::ClassId object_class, diag::Sink& sink);

/// Whether a block of `initial` holds equations.
bool has_equations(const model::Model& model, model::BlockId block);

/// Ranks of the @priority values of a model: 0 for the highest.
class Priorities {
 public:
  explicit Priorities(const model::Model& model);
  std::uint16_t rank(std::int64_t priority) const;

 private:
  std::vector<std::int64_t> sorted_;  ///< highest first
};

class PlanMaker {
 public:
  PlanMaker(World& world, Programs& programs, const Priorities& priorities, diag::Sink& sink,
            model::ClassId object_class, const Expansion& expansion);

  std::unique_ptr<Plan> make();

 private:
  struct Item {
    enum class Kind : std::uint8_t { Reaction, Chart, Process, Connection, Body };
    Kind kind = Kind::Reaction;
    std::uint32_t index = 0;
    diag::Span span;
  };

  // make_plan.cpp: order and bodies.
  void declare(model::BodyId body, Index state);
  void declare_chart(model::ChartId id, Index parent);
  std::vector<Item> items_of(const ExpandedBody& around);
  bool comes_before(diag::Span a, diag::Span b);
  std::size_t generation(diag::Span span);
  const std::vector<diag::Span>& spans_of(model::ClassId id);
  void collect_spans(model::BodyId body, std::vector<diag::Span>& spans) const;
  void visit(const ExpandedBody& around, Index state);
  void visit_item(const Item& item, const ExpandedBody& around, Index state);
  void visit_state(Index state);
  void contents(const ExpandedBody& around, Index state);
  void state_contents(const ExpandedBody& around, Index state);
  void mark_references(model::BodyId body);
  void parts(const model::Body& body, Index state);
  bool leads_through_place(model::ExprId expr) const;
  void initial_blocks(const ExpandedBody& around, Index state);
  bool searches_in_ranges() const;
  void process(model::ProcessId id, Index state);
  void connection(model::ConnectionId id, const ExpandedBody& around, Index state);
  void devs_functions();
  void finish();
  void finish_participants();
  const ExpandedBody& expanded(model::BodyId state_body) const { return expansion_.states.at(state_body.index); }

  // make_plan_reactions.cpp
  void chart(Index index);
  void choices(const model::Chart& chart, Index index);
  Index reaction(model::ReactionId id, const ExpandedBody& around, Index state, Index chart);
  void patterns(const model::Reaction& record, const TextUnit& unit, PlanReaction& result);
  void timing(const model::Reaction& record, TextUnit unit, PlanReaction& result);
  Pattern pattern(const model::Awaited& awaited, const TextUnit& unit);
  PlanTarget target(const model::Target& record, model::BlockId block);
  void remember(Index state, bool deep);
  void collect_assigned(model::BlockId block, std::vector<std::uint32_t>& slots) const;
  void note_assigned(model::ExprId target, std::vector<std::uint32_t>& slots) const;
  void add_rate_streams();
  void finish_from_reactions();
  std::string purpose_of(const model::Reaction& record, Index state) const;
  void name_purpose(model::ReactionId id, Index state);
  void name_purposes(model::BodyId body, Index state);
  std::string state_prefix(Index state) const;
  std::string source_text(const model::Awaited& awaited) const;

  // make_plan_watches.cpp
  std::optional<Index> watch(PlanWatch::Kind kind, Index owner, model::ExprId expr, const ExpandedBody& around,
                             Index state, bool as_real);
  bool time_plan(model::ExprId expr, const TextUnit& unit, TimePlan& result);
  bool is_variable(const code::Reads& reads) const;
  bool is_fixed_slot(std::uint32_t slot) const { return fixed_slots_[slot]; }
  void mark_fixed_slots(model::BodyId body);
  void formulas(const ExpandedBody& around, Index state);
  Index formula(PlanFormula formula, model::ExprId value, model::Type wanted, const ExpandedBody& around, Index state);
  PlanEquation plan_equation(const ExpandedBody& around, Index state, diag::Span span) const;
  void equation(model::EquationId id, const ExpandedBody& around, Index state);
  void statistics(const ExpandedBody& around, Index state);
  PlanVariable variable(model::VariableId id);

  // make_plan_requirements.cpp
  void requirements(const ExpandedBody& around, Index state);
  Index requirement_watch(Index owner, model::ExprId condition, const ExpandedBody& around, Index state);
  void margin(model::ExprId condition, bool negated, const TextUnit& unit, std::vector<PlanMargin>& result);

  TextUnit unit(const ExpandedBody& around, std::string purpose = "") const {
    return {class_, around.indices, nullptr, std::move(purpose), false, false};
  }
  /// Follows indices and fields to the member that an expression starts with.
  const model::Expr& root_of(model::ExprId expr) const;

  World& world_;
  const model::Model& model_;
  Programs& programs_;
  const Priorities& priorities_;
  diag::Sink& sink_;
  model::ClassId class_;
  const Expansion& expansion_;
  std::unique_ptr<Plan> plan_;
  std::uint32_t place_ = 0;
  std::unordered_map<std::uint32_t, Index> chart_indices_, choice_indices_;
  std::map<std::string, std::size_t> alike_;                 ///< how many reactions have one purpose
  std::unordered_map<std::uint32_t, std::string> purposes_;  ///< by ReactionId
  std::vector<bool> fixed_slots_;
  std::unordered_map<std::uint32_t, std::vector<Index>> formulas_of_slot_;  ///< those of a whole variable
  std::map<model::ClassId, std::vector<diag::Span>> spans_;
};

}  // namespace hyla::engine
