// Which bodies an object has: families (`for i in 1..n`) written out, conditional bodies chosen.
//
// Ranges and conditions depend on parameters, so they are evaluated for the object that is being built. The outcomes
// form a key: objects of a class with equal keys share one plan. A class without families and conditional bodies has
// one expansion, made without evaluating anything.
#pragma once

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "engine/plan.h"

namespace hyla::engine {

struct ExpandedBody {
  model::BodyId body;
  diag::Span span;  ///< of the family or conditional that it comes from
  std::vector<model::LocalId> indices;
  Inputs inputs;  ///< values of the indices
  std::vector<ExpandedBody> inner;
};

struct Expansion {
  ExpandedBody root;
  std::unordered_map<std::uint32_t, ExpandedBody> states;  ///< by the BodyId of the state
  std::vector<std::int64_t> key;
};

/// How ranges and conditions are evaluated; each call may fail, then expanding ends.
struct ExpansionSource {
  /// Values of a range or array in a body with these indices.
  std::function<bool(model::ExprId range, const ExpandedBody& around, Inputs& values)> range;
  std::function<bool(model::ExprId condition, const ExpandedBody& around, bool& holds)> condition;
  /// A body belongs to the object: its parameters may now get their values.
  std::function<bool(const ExpandedBody& body)> entered;
};

bool has_choices(const model::Model& model, model::ClassId object_class);
/// False if a call of the source failed.
bool expand(const model::Model& model, model::ClassId object_class, const ExpansionSource& source, Expansion& result);

}  // namespace hyla::engine
