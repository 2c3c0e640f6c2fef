// Objects, one after the other: slots, plan, members, parts.
#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/core.h>

#include "engine/builder.h"
#include "engine/compiled_model.h"
#include "engine/initial_choices.h"

namespace hyla::engine {

using model::BodyId;
using model::ClassId;

bool Builder::make_object(ClassId object_class, ObjectRef parent, model::PartId part, std::int32_t place,
                          const std::vector<Given>& given, ObjectRef& result) {
  ClassRecipe& recipe = recipe_of(object_class);
  const ObjectRef self = take_number(recipe, object_class);
  Object& object = world_.object(self);
  object.parent = parent;
  object.part = part;
  object.place = place;
  object.order = world_.creations++;
  if (running_) made_.objects.push_back(self);
  if (absent_) absent_objects_.push_back(self);
  if (!recipe.image.empty()) std::memcpy(object.slots, recipe.image.data(), recipe.image.size() * sizeof(Slot));
  result = self;
  return fill_object(self, given);
}

bool Builder::fill_object(ObjectRef self, const std::vector<Given>& given) {
  ClassRecipe& recipe = recipe_of(class_of(self));
  Expansion own;
  const Expansion* expansion = nullptr;
  if (!choose_plan(self, recipe, given, expansion, own) || !set_others(self, expansion->root, given)) return false;
  for (const BodyId body : recipe.boxed_bodies) {
    for (VariableRecipe& variable : body_recipe(body).others) {
      if (variable.boxed && !set_variable(self, variable, given)) return false;
    }
  }
  for (const BodyId body : recipe.statistic_bodies) make_statistics(self, model_.bodies[body]);
  if (!recipe.has_base_arguments) return make_all_members(self, *expansion, given);
  std::deque<Override> from_base;
  bool good = base_arguments(self, from_base);
  std::vector<Given> all;
  for (Override& override : from_base) all.push_back({&override, 0});
  all.insert(all.end(), given.begin(), given.end());
  good = good && make_all_members(self, *expansion, all);
  release(from_base);
  return good;
}

bool Builder::choose_plan(ObjectRef self, ClassRecipe& recipe, const std::vector<Given>& given,
                          const Expansion*& expansion, Expansion& own) {
  const ClassId object_class = class_of(self);
  const Plan* plan = recipe.only_plan;
  if (plan != nullptr) {
    expansion = recipe.only_expansion.get();
    for (const BodyId body : recipe.fixed_bodies) {
      if (!set_fixed(self, body, given)) return false;
    }
  } else {
    if (!expand(model_, object_class, expansion_source(self, given), own)) return false;
    const auto found = recipe.plans.find(own.key);
    plan = found != recipe.plans.end() ? found->second : make_plan(object_class, recipe, own);
    expansion = &own;
    if (!recipe.choices) {
      recipe.only_plan = plan;
      recipe.only_expansion = std::make_unique<Expansion>(own);
    }
  }
  attach_plan(self, *plan);
  return true;
}

const Plan* Builder::make_plan(ClassId object_class, ClassRecipe& recipe, const Expansion& expansion) {
  if (recipe.plans.empty()) {
    report_unsupported_items(model_, object_class, *sink_);
    check_freed_parameters(model_, object_class, *sink_);
  }
  PlanMaker maker(world_, programs_, priorities_, *sink_, object_class, expansion);
  std::vector<std::unique_ptr<Plan>>& plans = world_.compiled->plans;
  plans.push_back(maker.make());
  plans.back()->number = static_cast<std::uint32_t>(plans.size() - 1);
  return recipe.plans[expansion.key] = plans.back().get();
}

void Builder::attach_plan(ObjectRef self, const Plan& plan) {
  Object& object = world_.object(self);
  if (object.plan != &plan) {
    if (object.plan != nullptr) give_back_rows(object);
    object.plan = &plan;
    object.streams = allocate_array<random::Stream>(plan.streams.size());
    object.watches = allocate_array<WatchState>(plan.watches.size());
    object.timers = allocate_array<Timer>(plan.timer_count);
    object.history = allocate_array<std::int32_t>(plan.history_count);
  }
  if (!plan.streams.empty()) {
    const random::StreamKey key(world_.seed, world_.path(self));
    for (std::size_t i = 0; i < plan.streams.size(); ++i) {
      new (&object.streams[i]) random::Stream(random::make_stream(key.for_purpose(plan.streams[i]), world_.substream));
    }
  }
  std::uninitialized_default_construct_n(object.watches, plan.watches.size());
  std::uninitialized_default_construct_n(object.timers, plan.timer_count);
  std::fill_n(object.history, plan.history_count, -1);
}

ExpansionSource Builder::expansion_source(ObjectRef self, const std::vector<Given>& given) {
  const ClassId object_class = class_of(self);
  ExpansionSource source;
  source.entered = [this, self, &given](const ExpandedBody& body) { return set_fixed(self, body.body, given); };
  source.condition = [this, self, object_class](model::ExprId condition, const ExpandedBody& around, bool& holds) {
    Slot value;
    const TextUnit unit{object_class, around.indices, nullptr, "", false, false};
    if (!run(*programs_.expression(condition, unit), self, around.inputs, value)) return false;
    holds = value.integer != 0;
    return true;
  };
  source.range = [this, self](model::ExprId range, const ExpandedBody& around, Inputs& values) {
    return range_values(self, range, around, values);
  };
  return source;
}

bool Builder::range_values(ObjectRef self, model::ExprId range, const ExpandedBody& around, Inputs& values) {
  constexpr double kMostMembers = 1e7;
  const model::Expr& record = model_.exprs[range];
  TextUnit unit{class_of(self), around.indices, nullptr, "", false, false};
  Slot value;
  if (record.op != model::Op::Range) {
    if (!run(*programs_.expression(range, unit), self, around.inputs, value)) return false;
    for (std::uint32_t i = 0; value.box != nullptr && i < value.box->size; ++i) {
      values.push_back(value.box->slots()[i]);
    }
    world_.heap.release(value.box);
    return true;
  }
  unit.as_real = true;
  double bounds[3] = {1, 1, 1};
  const auto operands = model_.operands_of(record);
  bool whole = true;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (!operands[i]) continue;
    if (!run(*programs_.expression(operands[i], unit), self, around.inputs, value)) return false;
    bounds[i] = value.real;
    whole = whole && model_.exprs[operands[i]].type.kind == model::TypeKind::Integer;
  }
  const double count = bounds[2] == 0 ? kMostMembers + 1 : (bounds[1] - bounds[0]) / bounds[2] + 1e-9 + 1;
  if (!(count <= kMostMembers)) return fail(self, record.span, "this range has too many members");
  for (std::int64_t i = 0; static_cast<double>(i + 1) <= count; ++i) {
    const double member = bounds[0] + static_cast<double>(i) * bounds[2];
    values.push_back(whole ? Slot(static_cast<std::int64_t>(member)) : Slot(member));
  }
  return true;
}

bool Builder::evaluate_shape(ObjectRef self, model::ShapeId shape, const ExpandedBody& body,
                             std::vector<std::int64_t>& dimensions) {
  const auto most = static_cast<std::int64_t>(limits_.elements);
  std::int64_t elements = 1;
  for (const model::Dimension& dimension : model_.shapes[shape].dimensions) {
    Slot value;
    if (dimension.size) {
      value.integer = *dimension.size;
    } else if (model_.exprs[dimension.expr].op == model::Op::Range) {
      Inputs members;
      if (!range_values(self, dimension.expr, body, members)) return false;
      value.integer = static_cast<std::int64_t>(members.size());
    } else {
      const TextUnit unit{class_of(self), body.indices, nullptr, "", false, false};
      if (!run(*programs_.expression(dimension.expr, unit), self, body.inputs, value)) return false;
    }
    if (value.integer < 0 || value.integer > most || value.integer * elements > most) {
      return fail(self, dimension.expr ? model_.exprs[dimension.expr].span : body.span,
                  fmt::format("there cannot be {} of them", value.integer));
    }
    elements *= value.integer;
    dimensions.push_back(value.integer);
  }
  return true;
}

}  // namespace hyla::engine
