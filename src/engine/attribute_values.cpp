#include "engine/attribute_values.h"

#include "engine/builder.h"
#include "engine/compiled_model.h"

namespace hyla::engine {

std::optional<double> attribute_value(World& world, ObjectRef object, model::ExprId expr, code::Failure& reason) {
  const model::Expr& record = world.model.exprs[expr];
  if (record.known == model::Known::Always) return record.number;
  BuildHost host(world);
  code::Machine machine(world.model, world.functions, world.heap, host);
  host.machine = &machine;
  const Object& owner = world.object(object);
  const code::Program* program =
      world.compiled->other_texts.expression(expr, {owner.object_class, {}, nullptr, "", false, true});
  Slot value;
  if (machine.run(*program, object, owner.slots, {}, &value) == code::Status::Finished) return value.real;
  reason = machine.failure();
  return std::nullopt;
}

}  // namespace hyla::engine
