// Why a program could not go on, in the words of the modeller.
#include <fmt/format.h>

#include "base/text.h"
#include "code/machine_impl.h"
#include "model/dump_text.h"

namespace hyla::code {

bool Machine::Impl::fail(std::string message, std::string hint) {
  failure = {{}, std::move(message), std::move(hint), false};
  line.clear();
  placed = false;
  return false;
}

std::string Machine::Impl::origin(const Activation& at, bool operand) const {
  model::ExprId id = at.program->origins[pc];
  if (id && operand && model.exprs[id].operand_count > 0) id = model.operand(model.exprs[id], 0);
  return id ? "`" + model::expression_text(model, id, {}) + "`" : std::string("this");
}

bool Machine::Impl::fail_index(const Activation& at, std::int64_t index, std::int64_t size) {
  return fail(fmt::format("index {} is outside {}, which has {} element{}", index, origin(at, true), size,
                          size == 1 ? "" : "s"));
}

bool Machine::Impl::fail_none(const Activation& at, bool object) {
  const std::string what = origin(at, true);
  fail(fmt::format("{} is none", what),
       object ? "the object may have gone; ask for `!= none` first" : "ask for `!= none` first");
  failure.none = object;
  return false;
}

bool Machine::Impl::fail_number(std::string_view operation, double a, double b) {
  return fail(fmt::format("{} {} {} is not a number", base::format_number(a), operation, base::format_number(b)));
}

bool Machine::Impl::fail_size(std::int64_t elements) {
  return fail(fmt::format("an array of {} elements is too large", elements),
              fmt::format("at most {} fit into an array", heap.most_elements));
}

bool Machine::Impl::fail_text() {
  return fail("this text is too long", fmt::format("a text has at most {} bytes", kLongestText));
}

bool Machine::Impl::fail_turns(std::string_view what) {
  return fail(std::string(what),
              fmt::format("loops have turned and functions were called more than {} times", machine.most_turns));
}

bool Machine::Impl::fail_overflow() { return fail("the result is outside the range of Integers"); }

}  // namespace hyla::code
