#include "engine/follow.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "engine/builder.h"
#include "engine/compiled_model.h"
#include "engine/following.h"
#include "engine/islands.h"
#include "engine/make_plan.h"
#include "solve/lobatto.h"

namespace hyla::engine {

bool Passage::varies(std::size_t quantity) const { return following_->varies(quantity); }
double Passage::value_at(std::size_t quantity, double time) { return following_->value_at(quantity, time); }
void Passage::find_changes(std::size_t condition, std::vector<TruthChange>& changes) {
  following_->find_changes(condition, begin, end, changes);
}

// --- preparation ----------------------------------------------------------------------------------

Following::Following(Run& run, Follower& follower)
    : run_(run), follower_(follower), programs_(run.world.compiled->other_texts) {
  const model::Model& model = run.world.model;
  for (const model::ExprId expr : follower.quantities()) {
    Quantity& quantity = quantities_.emplace_back();
    quantity.is_condition = model.exprs[expr].type.kind == model::TypeKind::Boolean;
    quantity.program = compile(expr, !quantity.is_condition);
    quantity.reads_time = reads_time(expr);
    if (quantity.is_condition) add_relations(expr, quantity);
  }
  varies_.resize(quantities_.size());
  values_.resize(quantities_.size());
  largest_.resize(quantities_.size());
  time_ = run.options.start_time;
  if (programs_.unsupported().empty()) return;
  for (const code::Unsupported& item : programs_.unsupported()) report_unsupported(run.sink, item);
  run.over = true;
  run.outcome.ending = Ending::Failed;
}

const code::Program* Following::compile(model::ExprId expr, bool as_real) {
  return programs_.expression(expr, {run_.world.objects[0].object_class, {}, nullptr, "", true, as_real});
}

/// Comparisons of numbers under `and`, `or` and `not`; whatever else a condition holds is found by its truth value.
void Following::add_relations(model::ExprId id, Quantity& quantity) {
  using model::Op;
  const model::Model& model = run_.world.model;
  const model::Expr& expr = model.exprs[id];
  switch (expr.op) {
    case Op::And:
    case Op::Or:
    case Op::Not:
      for (std::size_t i = 0; i < expr.operand_count; ++i) add_relations(model.operand(expr, i), quantity);
      return;
    case Op::Less:
    case Op::LessEqual:
    case Op::Greater:
    case Op::GreaterEqual:
      if (!model.exprs[model.operand(expr, 0)].type.is_number()) return;
      quantity.relations.push_back({compile(model.operand(expr, 0), true), compile(model.operand(expr, 1), true)});
      return;
    default:
      return;
  }
}

bool Following::reads_time(model::ExprId id) const {
  const model::Model& model = run_.world.model;
  const model::Expr& expr = model.exprs[id];
  if (expr.op == model::Op::Time) return true;
  for (std::size_t i = 0; i < expr.operand_count; ++i) {
    const model::ExprId operand = model.operand(expr, i);
    if (operand && reads_time(operand)) return true;
  }
  return false;
}

// --- values ---------------------------------------------------------------------------------------

double Following::run_program(const code::Program* program, bool is_real) {
  Object& top = run_.world.objects[0];
  Slot result;
  if (!execute(run_, top, program, {}, &result)) return std::numeric_limits<double>::quiet_NaN();
  return is_real ? result.real : static_cast<double>(result.integer);
}

double Following::evaluate(const Quantity& quantity) { return run_program(quantity.program, !quantity.is_condition); }

void Following::show(double time) {
  run_.now = time;
  run_.machine.time = time;
  for (const std::uint32_t number : clusters_) {
    Cluster& cluster = *run_.world.clusters[number];
    if (cluster.configuration != nullptr) place_islands(run_, cluster);
  }
}

/// The values that iterations start from are those that they would be without a follower.
void Following::hide(double now) {
  run_.now = now;
  run_.machine.time = now;
  for (std::size_t i = 0; i < clusters_.size(); ++i) {
    Cluster& cluster = *run_.world.clusters[clusters_[i]];
    cluster.values = kept_[i];
    cluster.synchronised = std::numeric_limits<double>::quiet_NaN();
  }
}

double Following::value_at(std::size_t quantity, double time) {
  show(time);
  return evaluate(quantities_[quantity]);
}

/// What is read now tells what changes until the next instant.
void Following::find_clusters() {
  std::set<std::uint32_t> found;
  degree_ = 0;
  has_functions_of_time_ = false;
  for (std::size_t i = 0; i < quantities_.size() && !run_.over; ++i) {
    run_.observed.clear();
    run_.tracing_reads = true;
    values_[i] = evaluate(quantities_[i]);
    run_.tracing_reads = false;
    varies_[i] = quantities_[i].reads_time;
    has_functions_of_time_ = has_functions_of_time_ || quantities_[i].reads_time;
    for (const std::uint64_t read : run_.observed) {
      const std::uint32_t cluster = run_.world.objects[read >> 32].cluster;
      if (cluster == kNone || !run_.world.clusters[cluster]) continue;
      varies_[i] = true;
      found.insert(cluster);
    }
  }
  clusters_.assign(found.begin(), found.end());
  for (const std::uint32_t number : clusters_) {
    for (const std::unique_ptr<Island>& island : run_.world.clusters[number]->islands) {
      has_functions_of_time_ = has_functions_of_time_ || !island->integrator;
    }
  }
}

void Following::settle() {
  for (const std::uint32_t number : clusters_) {
    if (run_.world.clusters[number]) synchronise(run_, *run_.world.clusters[number]);
  }
  if (const std::uint32_t own = run_.world.objects[0].cluster; own != kNone) {
    synchronise(run_, *run_.world.clusters[own]);
  }
  find_clusters();
  if (run_.over) return;
  time_ = run_.now;
  for (std::size_t i = 0; i < values_.size(); ++i) largest_[i] = std::max(largest_[i], std::abs(values_[i]));
  follower_.settled(run_.now, values_);
}

// --- passages -------------------------------------------------------------------------------------

double Following::longest_piece() const {
  constexpr double kPieces = 100;
  const double span = run_.options.stop_time - run_.options.start_time;
  if (!has_functions_of_time_) return std::numeric_limits<double>::infinity();
  return std::isfinite(span) ? span / kPieces : 1;
}

void Following::pass(double time) {
  if (!(time > time_)) return;
  const double begin = std::exchange(time_, time);
  const double now = run_.now;
  const bool moves = std::find(varies_.begin(), varies_.end(), true) != varies_.end();
  if (!moves) {
    Passage passage;
    passage.begin = begin;
    passage.end = time;
    passage.following_ = this;
    passage.count_ = quantities_.size();
    passage.times = {begin, time};
    passage.weights = {(time - begin) / 2, (time - begin) / 2};
    passage.values_ = values_;
    passage.values_.insert(passage.values_.end(), values_.begin(), values_.end());
    follower_.passed(passage);
    return;
  }
  kept_.clear();
  for (const std::uint32_t number : clusters_) {
    const Cluster& cluster = *run_.world.clusters[number];
    kept_.push_back(cluster.values);
    for (const std::unique_ptr<Island>& island : cluster.islands) {
      if (island->integrator) degree_ = std::max(degree_, island->integrator->degree());
    }
  }
  const double pieces = std::max(1.0, std::ceil((time - begin) / longest_piece() - 1e-9));
  double from = begin;
  for (double k = 1; k <= pieces && !run_.over; ++k) {
    const double to = k == pieces ? time : begin + (time - begin) * (k / pieces);
    pass_piece(from, to, 0);
    from = to;
  }
  hide(now);
}

void Following::pass_piece(double begin, double end, int depth) {
  constexpr int kDeepest = 12;
  const solve::LobattoRule& rule = solve::lobatto_rule(std::clamp(degree_ + 2, 5, 10));
  Passage passage;
  passage.begin = begin;
  passage.end = end;
  passage.following_ = this;
  passage.count_ = quantities_.size();
  for (std::size_t k = 0; k < rule.nodes.size(); ++k) {
    const double time = k + 1 == rule.nodes.size() ? end : begin + rule.nodes[k] * (end - begin);
    passage.times.push_back(time);
    passage.weights.push_back(rule.weights[k] * (end - begin));
    show(time);
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
      passage.values_.push_back(varies_[i] ? evaluate(quantities_[i]) : values_[i]);
    }
    if (run_.over) return;
  }
  if (depth < kDeepest && !is_smooth(passage)) {
    const double middle = begin + (end - begin) / 2;
    if (middle > begin && middle < end) {
      pass_piece(begin, middle, depth + 1);
      if (!run_.over) pass_piece(middle, end, depth + 1);
      return;
    }
  }
  follower_.passed(passage);
}

/// Whether the polynomial through the nodes tells the numbers between them.
bool Following::is_smooth(Passage& passage) {
  constexpr double kError = 1e-8;  // of the largest magnitude so far
  const solve::LobattoRule& rule = solve::lobatto_rule(static_cast<int>(passage.times.size()));
  std::vector<double> course(passage.times.size());
  for (const double place : {0.29, 0.63}) {
    const double time = passage.begin + place * (passage.end - passage.begin);
    show(time);
    for (std::size_t i = 0; i < quantities_.size(); ++i) {
      if (!varies_[i] || quantities_[i].is_condition) continue;
      for (std::size_t k = 0; k < course.size(); ++k) {
        course[k] = passage.value(i, k);
        largest_[i] = std::max(largest_[i], std::abs(course[k]));
      }
      const double value = evaluate(quantities_[i]);
      if (std::abs(value - rule.interpolate(course, place)) > kError * largest_[i]) return false;
    }
  }
  return true;
}

// --- conditions -----------------------------------------------------------------------------------

/// The relations of a condition over one passage; the truth value comes last, as 1 and -1.
class Following::ConditionCourse final : public solve::Course {
 public:
  ConditionCourse(Following& following, const Quantity& quantity) : following_(following), quantity_(quantity) {}

  std::size_t count() const override { return quantity_.relations.size() + 1; }
  void sample(const double* times, std::size_t number, double* values) override {
    for (std::size_t k = 0; k < number; ++k) {
      following_.show(times[k]);
      for (std::size_t r = 0; r < count(); ++r) values[r * number + k] = probe(r);
    }
  }
  double value(std::size_t relation, double t) override {
    following_.show(t);
    return probe(relation);
  }
  bool holds(double t) {
    following_.show(t);
    return following_.evaluate(quantity_) != 0;
  }

 private:
  double probe(std::size_t relation) {
    if (relation == quantity_.relations.size()) return following_.evaluate(quantity_) != 0 ? 1 : -1;
    const Relation& sides = quantity_.relations[relation];
    return following_.run_program(sides.left, true) - following_.run_program(sides.right, true);
  }

  Following& following_;
  const Quantity& quantity_;
};

void Following::find_changes(std::size_t condition, double begin, double end, std::vector<TruthChange>& changes) {
  const Quantity& quantity = quantities_[condition];
  ConditionCourse course(*this, quantity);
  solve::Search search;
  search.begin = begin;
  search.end = end;
  search.degree = std::max(degree_, 4);
  std::vector<solve::Crossing> crossings;
  isolator_.find(course, search, crossings);
  bool holds = course.holds(begin);
  const auto note = [&](double time) {
    const bool now = course.holds(time);
    if (now != std::exchange(holds, now)) changes.push_back({time, now});
  };
  for (const solve::Crossing& crossing : crossings) note(crossing.at);
  note(end);
}

// --- the end --------------------------------------------------------------------------------------

namespace {

std::vector<Slot> slots_of(const model::Model& model, std::span<const model::LocalId> locals,
                           std::span<const double> inputs) {
  std::vector<Slot> slots;
  for (std::size_t i = 0; i < locals.size(); ++i) {
    const bool is_real = model.locals[locals[i]].type.kind == model::TypeKind::Real;
    slots.push_back(is_real ? Slot(inputs[i]) : Slot(static_cast<std::int64_t>(inputs[i])));
  }
  return slots;
}

}  // namespace

class Following::EndEvaluator final : public Evaluator {
 public:
  explicit EndEvaluator(Following& following) : following_(following) {}

  std::optional<double> evaluate(model::ExprId expr, std::span<const model::LocalId> locals,
                                 std::span<const double> inputs) override {
    Run& run = following_.run_;
    const model::Model& model = run.world.model;
    const bool is_condition = model.exprs[expr].type.kind == model::TypeKind::Boolean;
    const std::size_t unsupported = following_.programs_.unsupported().size();
    const code::Program* program = following_.programs_.expression(
        expr, {run.world.objects[0].object_class, {locals.begin(), locals.end()}, nullptr, "", false, !is_condition});
    if (following_.programs_.unsupported().size() > unsupported) {
      report_unsupported(run.sink, following_.programs_.unsupported().back());
      return std::nullopt;
    }
    Slot result;
    const std::vector<Slot> slots = slots_of(model, locals, inputs);
    if (!execute(run, run.world.objects[0], program, slots, &result)) return std::nullopt;
    return is_condition ? static_cast<double>(result.integer) : result.real;
  }

 private:
  Following& following_;
};

void Following::end() {
  EndEvaluator evaluator(*this);
  for (const std::unique_ptr<Cluster>& cluster : run_.world.clusters) {
    if (cluster) synchronise(run_, *cluster);
  }
  follower_.ended(run_.now, evaluator);
}

std::optional<double> evaluate_in(World& world, model::ExprId expr, std::span<const model::LocalId> locals,
                                  std::span<const double> inputs) {
  const bool is_condition = world.model.exprs[expr].type.kind == model::TypeKind::Boolean;
  BuildHost host(world);
  code::Machine machine(world.model, world.functions, world.heap, host);
  host.machine = &machine;
  Programs& programs = world.compiled->other_texts;
  const Object& top = world.objects[0];
  const code::Program* program =
      programs.expression(expr, {top.object_class, {locals.begin(), locals.end()}, nullptr, "", false, !is_condition});
  if (!programs.unsupported().empty()) return std::nullopt;
  Slot result;
  const std::vector<Slot> slots = slots_of(world.model, locals, inputs);
  if (machine.run(*program, top.self, top.slots, slots, &result) != code::Status::Finished) return std::nullopt;
  return is_condition ? static_cast<double>(result.integer) : result.real;
}

// --- what the run calls ---------------------------------------------------------------------------

void begin_following(Run& run, Follower& follower) { run.following = std::make_shared<Following>(run, follower); }

void follow_to(Run& run, double time) {
  if (run.following && !run.over) run.following->pass(time);
}

void follow_instant(Run& run) {
  if (run.following && !run.over) run.following->settle();
}

void end_following(Run& run) {
  if (run.following && run.outcome.ending != Ending::Failed) run.following->end();
}

}  // namespace hyla::engine
