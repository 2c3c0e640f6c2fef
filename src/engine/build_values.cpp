// First values of variables: recipes of classes, defaults of types, values from outside.
#include <algorithm>

#include <fmt/core.h>

#include "code/heap.h"
#include "engine/builder.h"

namespace hyla::engine {

using model::BodyId;
using model::ClassId;
using model::TypeKind;

namespace {

/// A value that is the same for every object, and no box.
std::optional<Slot> constant_value(const model::Model& model, model::ExprId expr, model::Type type) {
  if (!expr || type.rank > 0) return std::nullopt;
  const model::Expr& record = model.exprs[expr];
  if (record.known != model::Known::Always) return std::nullopt;
  switch (type.kind) {
    case TypeKind::Real:
      return Slot(record.number);
    case TypeKind::Integer:
    case TypeKind::Boolean:
    case TypeKind::Enum:
      return Slot(static_cast<std::int64_t>(record.number));
    default:
      return std::nullopt;
  }
}

/// A body and all bodies inside it, those of states too.
void collect_bodies(const model::Model& model, BodyId id, std::vector<BodyId>& result) {
  result.push_back(id);
  const model::Body& body = model.bodies[id];
  for (const model::Conditional& conditional : body.conditionals) {
    if (conditional.then_body) collect_bodies(model, conditional.then_body, result);
    if (conditional.else_body) collect_bodies(model, conditional.else_body, result);
  }
  for (const model::Family& family : body.families) collect_bodies(model, family.body, result);
  for (const model::ChartId chart : body.charts) {
    for (const model::StateId state : model.charts[chart].states) {
      if (model.states[state].body) collect_bodies(model, model.states[state].body, result);
    }
  }
}

}  // namespace

ClassRecipe& Builder::recipe_of(ClassId object_class) {
  ClassRecipe& recipe = recipes_[object_class.index];
  if (recipe.ready) return recipe;
  recipe.ready = true;
  recipe.choices = has_choices(model_, object_class);
  recipe.image.assign(world_.layout.classes[object_class.index].slots.size(), Slot());
  for (ClassId base = object_class; base; base = model_.classes[base].base) {
    recipe.has_base_arguments = recipe.has_base_arguments || !model_.classes[base].base_arguments.empty();
  }
  std::vector<BodyId> bodies;
  collect_bodies(model_, model_.classes[object_class].body, bodies);
  for (const BodyId body : bodies) {
    fill_image(body, recipe);
    const model::Body& record = model_.bodies[body];
    const bool numbered = !record.ports.empty() || !record.mailboxes.empty() || !record.statistics.empty();
    recipe.has_members = recipe.has_members || numbered ||
                         std::any_of(record.parts.begin(), record.parts.end(), [&](model::PartId part) {
                           return model_.parts[part].kind == model::PartKind::Population || model_.parts[part].external;
                         });
    if (!body_recipe(body).fixed.empty()) recipe.fixed_bodies.push_back(body);
    if (!record.state) continue;
    if (!record.statistics.empty()) recipe.statistic_bodies.push_back(body);
    const std::vector<VariableRecipe>& others = body_recipe(body).others;
    if (std::any_of(others.begin(), others.end(), [](const VariableRecipe& one) { return one.boxed; })) {
      recipe.boxed_bodies.push_back(body);
    }
  }
  return recipe;
}

void Builder::fill_image(BodyId body, ClassRecipe& recipe) {
  BodyRecipe& variables = body_recipe(body);
  for (std::vector<VariableRecipe>* list : {&variables.fixed, &variables.others}) {
    for (VariableRecipe& variable : *list) {
      const std::optional<Slot> value = constant_value(model_, variable.expr, variable.type);
      variable.in_image = value.has_value() || (!variable.boxed && !variable.expr && !variable.fixed);
      if (value) recipe.image[variable.slot] = *value;
    }
  }
  for (const model::ChartId chart : model_.bodies[body].charts) {
    recipe.image[world_.layout.charts[chart.index]].integer = code::kInactive;
  }
}

BodyRecipe& Builder::body_recipe(BodyId body) {
  const auto [entry, added] = bodies_.try_emplace(body);
  if (!added) return entry->second;
  for (const model::VariableId id : model_.bodies[body].variables) {
    VariableRecipe recipe = variable_recipe(id);
    (recipe.fixed ? entry->second.fixed : entry->second.others).push_back(std::move(recipe));
  }
  sort_fixed(entry->second.fixed);
  return entry->second;
}

VariableRecipe Builder::variable_recipe(model::VariableId id) {
  const model::Variable& record = model_.variables[id];
  VariableRecipe recipe;
  recipe.id = id;
  recipe.slot = world_.layout.variables[id.index];
  recipe.type = record.type;
  recipe.boxed = code::is_boxed(record.type);
  recipe.fixed = record.is_fixed();
  const bool bound = recipe.fixed || record.kind == model::VariableKind::Input;
  recipe.expr = bound && record.binding ? record.binding : record.initial;
  return recipe;
}

/// Puts each variable behind those that its value or size reads. Circles have been refused by the checker.
void Builder::sort_fixed(std::vector<VariableRecipe>& fixed) const {
  std::map<std::uint32_t, std::size_t> by_slot;
  for (std::size_t i = 0; i < fixed.size(); ++i) by_slot[fixed[i].slot] = i;
  std::vector<std::vector<std::size_t>> needs(fixed.size());
  for (std::size_t i = 0; i < fixed.size(); ++i) {
    std::vector<model::ExprId> texts = {fixed[i].expr};
    if (const model::ShapeId shape = model_.variables[fixed[i].id].shape) {
      for (const model::Dimension& dimension : model_.shapes[shape].dimensions) texts.push_back(dimension.expr);
    }
    for (const model::ExprId text : texts) {
      if (!text) continue;
      for (const std::uint32_t slot : code::reads_of(model_, world_.layout, text).slots) {
        if (const auto found = by_slot.find(slot); found != by_slot.end()) needs[i].push_back(found->second);
      }
    }
  }
  std::vector<std::size_t> order, next(fixed.size());
  std::vector<bool> entered(fixed.size());
  for (std::size_t start = 0; start < fixed.size(); ++start) {
    std::vector<std::size_t> stack;
    if (!entered[start]) stack.push_back(start);
    entered[start] = true;
    while (!stack.empty()) {
      const std::size_t at = stack.back();
      if (next[at] == needs[at].size()) {
        order.push_back(at);
        stack.pop_back();
      } else if (const std::size_t need = needs[at][next[at]++]; !entered[need]) {
        entered[need] = true;
        stack.push_back(need);
      }
    }
  }
  std::vector<VariableRecipe> sorted;
  for (const std::size_t i : order) sorted.push_back(std::move(fixed[i]));
  fixed = std::move(sorted);
}

bool Builder::set_fixed(ObjectRef self, BodyId body, const std::vector<Given>& given) {
  for (VariableRecipe& recipe : body_recipe(body).fixed) {
    if (recipe.in_image && given.empty()) continue;
    if (!set_variable(self, recipe, given)) return false;
  }
  return true;
}

bool Builder::set_others(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given) {
  for (VariableRecipe& recipe : body_recipe(body.body).others) {
    if (recipe.in_image && given.empty()) continue;
    if (!set_variable(self, recipe, given)) return false;
  }
  for (const ExpandedBody& inner : body.inner) {
    if (!set_others(self, inner, given)) return false;
  }
  return true;
}

bool Builder::set_references(ObjectRef self, const ExpandedBody& body, const std::vector<Given>& given) {
  for (VariableRecipe& recipe : body_recipe(body.body).others) {
    if (recipe.type.kind == model::TypeKind::Object && recipe.expr && !set_variable(self, recipe, given)) return false;
  }
  for (const ExpandedBody& inner : body.inner) {
    if (!set_references(self, inner, given)) return false;
  }
  return true;
}

bool Builder::set_variable(ObjectRef self, VariableRecipe& recipe, const std::vector<Given>& given) {
  const Override* whole = nullptr;
  std::vector<const Override*> elements;
  for (const Given& one : given) {
    if (!one.is_here() || one.override->slot != recipe.slot) continue;
    one.override->used = true;
    if (one.override->elements.empty()) {
      whole = one.override;
      elements.clear();
    } else {
      elements.push_back(one.override);
    }
  }
  if (world_.starts->notes_arguments && (whole != nullptr || !elements.empty())) {
    world_.starts->arguments.emplace(self.index, recipe.slot);
  }
  if (whole != nullptr) note_written(self, recipe, kNone);
  if (whole != nullptr && whole->link == nullptr) {
    if (!apply(self, recipe, *whole)) return false;
  } else if (!recipe.in_image && !set_default(self, recipe, elements.empty() && whole == nullptr)) {
    return false;
  }
  if (whole != nullptr && whole->link != nullptr) link(*whole, self, recipe.boxed);
  for (const Override* element : elements) {
    if (!apply(self, recipe, *element)) return false;
  }
  return true;
}

/// A start value that is written counts as given even if it is zero.
void Builder::note_written(ObjectRef self, const VariableRecipe& recipe, std::uint32_t element) {
  const model::Variable& record = model_.variables[recipe.id];
  const bool is_continuous = record.kind == model::VariableKind::Var || record.kind == model::VariableKind::Output;
  if (!is_continuous || record.type.element().kind != TypeKind::Real) return;
  world_.starts->written[self.index].emplace_back(recipe.slot, element);
}

bool Builder::set_default(ObjectRef self, VariableRecipe& recipe, bool needed) {
  const model::Variable& record = model_.variables[recipe.id];
  if (recipe.expr) {
    if (recipe.value == nullptr) {
      const bool as_real = record.type.kind == TypeKind::Real;
      recipe.value = programs_.expression(recipe.expr, {class_of(self), {}, nullptr, "", false, as_real});
    }
    Slot value;
    if (!run(*recipe.value, self, {}, value)) return false;
    world_.object(self).slots[recipe.slot] = value;
    return check_dimensions(self, recipe);
  }
  if (recipe.fixed && needed && record.attributes.fixed != false) {
    const std::string owner = world_.path(self);
    const std::size_t dot = owner.find('.');
    const std::string inside = dot == std::string::npos ? "" : owner.substr(dot + 1) + ".";
    const std::string_view name = model_.name(record.name);
    sink_
        ->report(diag::Kind::ParameterWithoutValue, record.span,
                 fmt::format("the parameter `{}` of `{}` has no value", name, owner))
        .hint(fmt::format("give it a default, or set it from outside: `--set {}{}=…`", inside, name));
    return false;
  }
  Slot value;
  const bool made = default_of_type(self, record.type, record.shape, record.span, value);
  world_.object(self).slots[recipe.slot] = value;  // also half of it, to be released with the object
  return made;
}

/// The value has the declared size.
bool Builder::check_dimensions(ObjectRef self, const VariableRecipe& recipe) {
  const model::Variable& record = model_.variables[recipe.id];
  if (!record.shape) return true;
  const Box* box = world_.object(self).slots[recipe.slot].box;
  std::vector<std::int64_t> wanted;
  for (const model::Dimension& dimension : model_.shapes[record.shape].dimensions) {
    if (!dimension.size && !dimension.expr) return true;
  }
  if (!evaluate_shape(self, record.shape, {}, wanted)) return false;
  const std::int64_t elements = product(wanted);
  bool fits = box != nullptr && box->rank == wanted.size() && box->size == static_cast<std::uint64_t>(elements);
  for (std::size_t i = 0; fits && i < wanted.size() && i < 2; ++i) fits = box->dimensions[i] == wanted[i];
  if (fits) return true;
  return fail(self, record.span,
              fmt::format("`{}` has {} elements, but its value has {}", model_.name(record.name), elements,
                          box == nullptr ? 0 : box->size));
}

bool Builder::default_of_type(ObjectRef self, model::Type type, model::ShapeId shape, diag::Span span, Slot& result) {
  result = Slot();
  if (type.rank == 0) {
    return type.kind != TypeKind::Record || default_record(self, model::RecordId(type.ref), span, result);
  }
  std::vector<std::int64_t> dimensions;
  if (!shape || !evaluate_shape(self, shape, {}, dimensions)) return false;
  elements_ += static_cast<std::size_t>(product(dimensions));
  if (elements_ > kMostLargest * limits_.elements) return fail(self, span, "all arrays together are too large");
  result.box = world_.heap.new_array(dimensions, code::is_boxed(type.element()));
  if (type.kind != TypeKind::Record) return true;
  for (std::uint32_t i = 0; i < result.box->size; ++i) {
    if (!default_record(self, model::RecordId(type.ref), span, result.box->slots()[i])) return false;
  }
  return true;
}

bool Builder::default_record(ObjectRef self, model::RecordId id, diag::Span span, Slot& result) {
  result.box = world_.heap.new_record(id);
  const std::vector<model::Field>& fields = model_.records[id].fields;
  const ClassId object_class = class_of(self);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const model::Field& field = fields[i];
    Slot& slot = result.box->slots()[i];
    if (field.default_value) {
      const TextUnit unit{object_class, {}, nullptr, "", false, field.type.kind == TypeKind::Real};
      if (!run(*programs_.expression(field.default_value, unit), self, {}, slot)) return false;
    } else if (!default_of_type(self, field.type, field.shape, span, slot)) {
      return false;
    }
  }
  return true;
}

}  // namespace hyla::engine
