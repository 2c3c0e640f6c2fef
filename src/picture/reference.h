// What expressions name: members of an object or of its parts.
#pragma once

#include <optional>
#include <vector>

#include "model/model.h"

namespace hyla::picture {

/// A variable, port, plug or mailbox, and the parts on the way to it; without a member the last part as a whole.
struct Reference {
  std::vector<model::PartId> parts;
  model::Entity member;
  bool is_indexed = false;
};

/// What an expression names, if it does nothing but name a member of this object or of a part. The quantities of a plug
/// stand for the plug.
std::optional<Reference> resolve(const model::Model& model, model::ExprId id);

/// `visitors.size`: a population is read as a whole.
std::optional<Reference> resolve_size(const model::Model& model, model::ExprId id);

/// The name of a variable, port, plug or mailbox.
model::SymbolId symbol_of(const model::Model& model, model::Entity entity);

}  // namespace hyla::picture
