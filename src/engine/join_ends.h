// What a connection made by an action joins: objects, and in them ports, mailboxes or elements of arrays of plugs.
#pragma once

#include <string>

#include "engine/context.h"

namespace hyla::engine {

/// The member that an end of a connection names.
const model::Expr& member_of(const model::Model& model, model::ExprId end);

/// What a request of an action of `self` means. False: the two sides have different sizes, told to the machine.
bool find_ends(Run& run, const Object& self, const code::Host::Joining& request, Joining& joining);

/// Whether both join the same, in either direction if it has none.
bool is_same(const Run& run, const Joining& a, const Joining& b);

/// As it was written; elements of arrays of plugs and of inputs with their indices.
std::string text_of(const Run& run, const Joining& joining);
/// The name of the input that a value goes to, or of its element.
std::string fed_text(const Run& run, const Joining& joining);

}  // namespace hyla::engine
