#include "engine/programs.h"

#include <algorithm>

#include "engine/compiled_model.h"

namespace hyla::engine {

Programs::Programs(CompiledModel& compiled)
    : compiled_(compiled),
      compiler_(compiled.model, compiled.layout, compiled.functions),
      streams_(compiled.model.classes.size()) {}

std::uint32_t Programs::stream_number(model::ClassId object_class, const std::string& purpose) const {
  const std::vector<std::string>& names = streams_[object_class.index];
  return static_cast<std::uint32_t>(std::find(names.begin(), names.end(), purpose) - names.begin());
}

code::Unit Programs::unit_of(const TextUnit& unit) const {
  code::Unit result;
  result.object_class = unit.object_class;
  result.inputs = unit.inputs;
  result.pattern = unit.pattern;
  result.stream = stream_number(unit.object_class, unit.purpose);
  result.traced = unit.traced;
  result.as_real = unit.as_real;
  return result;
}

const code::Program* Programs::keep(const Key& key, code::Program program, model::ClassId object_class,
                                    const std::string& purpose) {
  std::vector<std::string>& names = streams_[object_class.index];
  if (program.draws && stream_number(object_class, purpose) == names.size()) names.push_back(purpose);
  compiled_.programs.push_back(std::move(program));
  return programs_[key] = &compiled_.programs.back();
}

const code::Program* Programs::expression(model::ExprId expr, const TextUnit& unit) {
  if (!expr) return nullptr;
  const Key key{Kind::Expression, expr.index, unit.pattern, unit.traced, unit.as_real};
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  return keep(key, compiler_.expression(expr, unit_of(unit)), unit.object_class, unit.purpose);
}

const code::Program* Programs::block(model::BlockId block, const TextUnit& unit) {
  if (!block || compiled_.model.blocks[block].actions.empty()) return nullptr;
  const Key key{Kind::Block, block.index, unit.pattern, unit.traced, unit.as_real};
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  return keep(key, compiler_.block(block, unit_of(unit)), unit.object_class, unit.purpose);
}

const code::Program* Programs::assignment(model::ExprId target, const TextUnit& unit) {
  const Key key{Kind::Assignment, target.index, nullptr, false, false};
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  return keep(key, compiler_.assignment(target, unit_of(unit)), unit.object_class, unit.purpose);
}

const code::Program* Programs::places(model::ExprId end, const TextUnit& unit) {
  const Key key{Kind::Places, end.index, nullptr, false, false};
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  return keep(key, compiler_.places(end, unit_of(unit)), unit.object_class, unit.purpose);
}

const code::Program* Programs::process(model::ProcessId process, model::ClassId object_class,
                                       const std::string& purpose) {
  const Key key{Kind::Process, process.index, nullptr, false, false};
  if (const auto found = programs_.find(key); found != programs_.end()) return found->second;
  return keep(key, compiler_.process(process, stream_number(object_class, purpose)), object_class, purpose);
}

}  // namespace hyla::engine
