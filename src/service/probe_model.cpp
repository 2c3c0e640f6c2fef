#include "service/probe_model.h"

#include <algorithm>
#include <utility>

namespace hyla::service {
namespace {

using model::Op;

constexpr std::string_view kName = "hyla_why_";

void collect_conjuncts(const model::Model& model, model::ExprId id, std::vector<model::ExprId>& conjuncts) {
  const model::Expr& expr = model.exprs[id];
  if (expr.op != Op::And) {
    conjuncts.push_back(id);
    return;
  }
  for (const model::ExprId operand : model.operands_of(expr)) collect_conjuncts(model, operand, conjuncts);
}

bool is_number(const model::Expr& expr) {
  return (expr.type.kind == model::TypeKind::Real || expr.type.kind == model::TypeKind::Integer) && !expr.shape;
}

bool is_relation(const model::Model& model, const model::Expr& expr) {
  switch (expr.op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
    case Op::Equal:
    case Op::NotEqual:
      return is_number(model.exprs[model.operand(expr, 0)]) && is_number(model.exprs[model.operand(expr, 1)]);
    default:
      return false;
  }
}

/// Texts that go into a file, by their places.
using Insertions = std::map<std::uint32_t, std::string>;

class Prober {
 public:
  Prober(const model::Model& model, const diag::Sources& sources, ProbePlace place)
      : model_(model), sources_(sources), place_(place) {}

  ReactionProbe probe(model::ReactionId id) {
    const model::Reaction& reaction = model_.reactions[id];
    ReactionProbe probe;
    probe.reaction = id;
    const bool is_when = reaction.trigger == model::TriggerKind::When;
    std::string added;
    if (const model::ExprId condition = is_when ? reaction.condition : reaction.guard) {
      probe.condition = text_of(condition);
      std::vector<model::ExprId> conjuncts;
      collect_conjuncts(model_, condition, conjuncts);
      for (const model::ExprId conjunct : conjuncts) probe.conjuncts.push_back(add_conjunct(conjunct, added));
    }
    if (reaction.trigger == model::TriggerKind::After && reaction.condition) {
      probe.duration = add_variable(reaction.condition, added);
    }
    if (!added.empty()) insertions_[reaction.span.file.index][insertion_place(reaction)] += added;
    return probe;
  }

  void write(ProbedFiles& probed) const {
    for (const auto& [file, insertions] : insertions_) {
      const diag::FileId id{file};
      std::string text(sources_.text(id));
      for (auto one = insertions.rbegin(); one != insertions.rend(); ++one) text.insert(one->first, one->second);
      probed.replace(sources_.path(id), std::move(text));
    }
  }

 private:
  std::string text_of(model::ExprId id) const { return std::string(sources_.text(model_.exprs[id].span)); }

  std::string add_variable(model::ExprId id, std::string& added) {
    std::string name = std::string(kName) + std::to_string(count_++);
    added += "var " + name + " = (" + text_of(id) + "); ";
    return name;
  }
  Conjunct add_conjunct(model::ExprId id, std::string& added) {
    const model::Expr& expr = model_.exprs[id];
    Conjunct conjunct;
    conjunct.text = text_of(id);
    if (is_relation(model_, expr)) {
      conjunct.op = expr.op;
      conjunct.left = add_variable(model_.operand(expr, 0), added);
      conjunct.right = add_variable(model_.operand(expr, 1), added);
    } else {
      conjunct.truth = add_variable(id, added);
    }
    return conjunct;
  }

  /// Transitions `from A, B` stand in a chart, in which there are no variables.
  std::uint32_t insertion_place(const model::Reaction& reaction) const {
    diag::Span span = reaction.span;
    if (reaction.from_any || !reaction.from.empty()) {
      for (const model::Chart& chart : model_.charts) {
        const bool holds = chart.span.file == span.file && chart.span.begin <= span.begin && chart.span.end >= span.end;
        if (holds) span = chart.span;
      }
    }
    if (place_ == ProbePlace::BesideReaction) return span.begin;
    return sources_.line_start(span.file, sources_.position(span.file, span.begin).line);
  }

  const model::Model& model_;
  const diag::Sources& sources_;
  ProbePlace place_;
  std::map<std::uint32_t, Insertions> insertions_;  ///< by file
  int count_ = 0;
};

}  // namespace

base::Result<std::string> ProbedFiles::read(const std::string& path) const {
  const auto found = texts_.find(path);
  if (found != texts_.end()) return found->second;
  return files_.read(path);
}

std::optional<base::Failure> ProbedFiles::write(const std::string& path, const std::string& /*text*/) {
  return base::Failure{"`" + path + "` is not written while a run is explained"};
}

std::vector<ReactionProbe> add_probes(const model::Model& model, const diag::Sources& sources,
                                      const std::vector<model::ReactionId>& reactions, ProbePlace place,
                                      ProbedFiles& probed) {
  Prober prober(model, sources, place);
  std::vector<ReactionProbe> probes;
  for (const model::ReactionId reaction : reactions) {
    const auto is_it = [&](const ReactionProbe& one) { return one.reaction == reaction; };
    const auto known = std::find_if(probes.begin(), probes.end(), is_it);
    probes.push_back(known != probes.end() ? ReactionProbe(*known) : prober.probe(reaction));
  }
  prober.write(probed);
  return probes;
}

}  // namespace hyla::service
