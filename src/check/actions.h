// Checks actions: blocks of statements, and the objects they make.
#pragma once

#include <optional>

#include "check/context.h"
#include "check/expressions.h"

namespace hyla::check {

/// What a block belongs to; decides which statements it may hold.
enum class BlockKind : std::uint8_t { Action, Initial, Process, Function, Devs, Select };

/// Checks a Block node in a scope of its own.
model::BlockId check_block(Context& context, const Place& place, BlockKind kind, NodeId block,
                           std::optional<model::FunctionId> function = std::nullopt);

/// `Motor(torque = 10)` or a plain model name: a new object where one of `wanted` is expected.
std::optional<model::Occupant> check_new_object(Context& context, const Place& place, NodeId node,
                                                model::ClassId wanted);

/// `require c for 5 "text"` in bodies and experiments: requirements.cpp.
model::RequirementId check_requirement(Context& context, const Place& place, NodeId node);

/// Every way through a block or statement ends in a `return`, or never ends.
bool always_returns(const syntax::Tree& tree, NodeId node);

}  // namespace hyla::check
