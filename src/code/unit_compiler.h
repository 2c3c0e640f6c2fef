// Compiles one piece of text: the state that all parts of the compiler share.
//
// Registers are given out from the bottom: inputs, then locals as they are met, above them temporaries, which are given
// back at the end of each statement. Locals that hold boxes own them; temporaries borrow.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "code/compiler.h"
#include "code/functions.h"
#include "code/heap.h"
#include "code/operands.h"
#include "code/program.h"
#include "model/model.h"

namespace hyla::code {

using Register = std::uint16_t;

/// Jumps whose goal is not known yet.
using Jumps = std::vector<std::size_t>;

class UnitCompiler {
 public:
  UnitCompiler(const model::Model& model, const Layout& layout, Functions& functions,
               std::vector<Unsupported>& unsupported, Unit unit);

  // Each is called once for a compiler.
  Program block(model::BlockId block);
  Program expression(model::ExprId expr);
  Program assignment(model::ExprId target);
  Program places(model::ExprId end);
  Program function(model::FunctionId id);
  Program process(model::ProcessId id);

 private:
  // unit_compiler.cpp: instructions and registers.
  std::size_t emit(Opcode opcode, Register a = 0, Register b = 0, Register c = 0, Slot immediate = Slot());
  std::size_t here() const { return program_.instructions.size(); }
  void jump(Opcode opcode, Register a, Register b, Jumps& jumps);
  void land(const Jumps& jumps);
  void jump_back(Opcode opcode, Register a, std::size_t goal);
  Register fresh(std::size_t count = 1);
  Register local(model::LocalId id);
  Register bind(model::LocalId id, Register where);
  Register hidden_owned();
  void unsupported(std::string what, std::string external = "");
  Program finish();
  void start_inputs(const std::vector<model::LocalId>& inputs, bool owned);
  const model::Expr& at(model::ExprId id) const { return model_.exprs[id]; }
  void bind_pattern(const model::Awaited& pattern, Register message);

  // compile_process.cpp: see also wait().
  void time_probes(model::ExprId condition, WaitBranch& branch);
  void difference_probes(const std::vector<std::pair<model::ExprId, model::ExprId>>& relations,
                         std::vector<std::uint32_t>& probes);

  // compile_expressions.cpp
  Register value(model::ExprId id);
  Register value_as(model::ExprId id, model::Type wanted);
  void into(model::ExprId id, model::Type wanted, Register goal);
  void compute(model::ExprId id, Register goal);
  void convert(model::Type from, model::Type to, Register where);
  Register copies(std::span<const model::ExprId> ids, std::span<const model::Type> wanted);
  bool constant(const model::Expr& expr, model::Type wanted, Slot& result) const;
  void arithmetic(const model::Expr& expr, Register goal);
  void comparison(const model::Expr& expr, Register goal);
  void compare_numbers(const model::Expr& expr, Register goal);
  void logic(const model::Expr& expr, Register goal);
  void branch(model::ExprId id, bool when, Jumps& jumps);
  void conditional(const model::Expr& expr, Register goal);
  void call(const model::Expr& expr, Register goal);
  void construct(const model::Expr& expr, Register goal);
  void is_message(const model::Expr& expr, Register goal);

  // compile_members.cpp
  void entity(const model::Expr& expr, Register goal);
  void in_state(const model::Expr& expr, Register goal);
  void load_slot(const model::Expr& expr, std::uint32_t slot, Register goal);
  void property(const model::Expr& expr, Register goal);
  void method(const model::Expr& expr, Register goal);
  void search(const model::Expr& expr, Register goal);

  // compile_builtins.cpp
  void builtin(const model::Expr& expr, Register goal);
  void math(const model::Expr& expr, Register goal);
  void extreme(const model::Expr& expr, Register goal);
  void draw(const model::Expr& expr, Register goal);
  void print(const model::Expr& expr);
  void array_builtin(const model::Expr& expr, Register goal);

  // compile_arrays.cpp
  void array_literal(const model::Expr& expr, Register goal);
  void array_arithmetic(const model::Expr& expr, Register goal);
  void index(const model::Expr& expr, Register goal);
  void index_in(Register array, const model::Expr& expr, Register goal);
  bool selection(std::size_t rank, std::span<const model::ExprId> indices, Register& first, std::int64_t& how);
  void range_registers(const model::Expr& range, Register first);
  void range_array(const model::Expr& expr, Register goal);
  void default_value(model::Type type, model::ShapeId shape, Register goal);
  void reduce(const model::Expr& expr, Register goal);
  void reduce_step(const model::Expr& expr, model::ExprId term, Register goal, Jumps& leave);

  // compile_loops.cpp: loops over ranges, arrays, populations and bags.
  struct Loop {
    Register counter = 0;  ///< counter, turns left, step
    std::size_t body = 0;
    Jumps leave;
  };
  enum class Holding : std::uint8_t { Owned, Borrowed };
  Loop begin_loop(model::ExprId over, model::LocalId index, Holding holding);
  Loop begin_count(Register counter);
  void end_loop(Loop& loop);
  void range_element(Register counter, Register first, model::LocalId index);
  void array_element(model::Type type, Register array, Register place, model::LocalId index, Holding holding);

  // compile_actions.cpp
  void actions(model::BlockId block);
  void action(const model::Action& action);
  void assign(const model::Action& action);
  void let(const model::Action& action);
  void variable(const model::Action& action);
  void set_local(model::LocalId id, Register from);
  void when(const model::Action& action);
  void repeat(const model::Action& action);
  void for_each(const model::Action& action);
  void give_back(const model::Action& action);
  void send(const model::Action& action);
  void start(const model::Action& action);
  void result(const model::ResultPlace& place, Register from);
  void devs_call(const model::Action& action);

  // compile_structure.cpp: objects and connections that come and go.
  Register argument_values(const model::Occupant* occupant);
  void create(const model::Action& action);
  bool exchange(const model::Action& action);
  void destroy(const model::Action& action);
  Register ends_of(const model::Connection& connection, bool captures);
  void end_object(model::ExprId end, Register goal);
  void end_places(model::ExprId end, Register object, Register goal);
  void connect(const model::Action& action);
  void disconnect(const model::Action& action);
  void evaluate(model::ExprId id);

  // compile_targets.cpp
  void store(model::ExprId target, Register from);
  struct Step {
    model::ExprId expr;     ///< the Field or Index expression
    Register indices = 0;   ///< of an Index: where they are
    std::int64_t how = -1;  ///< of a slice: its selection
  };
  void check_range(model::VariableId id, Register from, model::Type type);
  void note_range(const model::Expr& variable);
  void store_inside(model::ExprId target, Register from);

  // compile_process.cpp
  void wait(const model::Action& action);
  WaitBranch wait_branch(const model::Branch& branch);
  void awaited_source(const model::Awaited& awaited, WaitBranch& result);

  /// Sets the place that instructions are said to come from, as long as it lives.
  class At {
   public:
    At(UnitCompiler& compiler, diag::Span span, model::ExprId origin)
        : compiler_(compiler), span_(compiler.span_), origin_(compiler.origin_) {
      compiler.span_ = span;
      compiler.origin_ = origin;
    }
    ~At() {
      compiler_.span_ = span_;
      compiler_.origin_ = origin_;
    }
    At(const At&) = delete;
    At& operator=(const At&) = delete;

   private:
    UnitCompiler& compiler_;
    diag::Span span_;
    model::ExprId origin_;
  };
  /// Gives back the temporaries made since, when it goes.
  class Temporaries {
   public:
    explicit Temporaries(UnitCompiler& compiler) : compiler_(compiler), next_(compiler.next_) {}
    ~Temporaries() { compiler_.next_ = std::max(next_, compiler_.floor_); }
    Temporaries(const Temporaries&) = delete;
    Temporaries& operator=(const Temporaries&) = delete;

   private:
    UnitCompiler& compiler_;
    std::uint32_t next_;
  };
  /// What `break` and `continue` leave.
  struct Breakable {
    Jumps breaks, continues;
  };
  enum class Kind : std::uint8_t { Plain, Function, Process };

  const model::Model& model_;
  const Layout& layout_;
  Functions& functions_;
  std::vector<Unsupported>& unsupported_;
  Unit unit_;
  Kind kind_ = Kind::Plain;
  Program program_;
  diag::Span span_;
  model::ExprId origin_;
  std::unordered_map<std::uint32_t, Register> locals_;
  std::uint32_t next_ = 0;   ///< the next free register
  std::uint32_t floor_ = 0;  ///< registers below are not given back
  bool traced_ = false;
  std::vector<Breakable> breakables_;
  std::vector<Jumps> inlined_;           ///< returns of the DEVS functions that are being put in
  std::vector<model::Type> results_;     ///< of a function
  std::vector<std::uint32_t> inlining_;  ///< which DEVS functions
};

}  // namespace hyla::code
