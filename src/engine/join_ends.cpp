#include "engine/join_ends.h"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "code/heap.h"
#include "engine/connect.h"
#include "model/dump_text.h"

namespace hyla::engine {

using model::ConnectionKind;

namespace {

model::ExprId without_indices(const model::Model& model, model::ExprId end) {
  while (model.exprs[end].op == model::Op::Index || model.exprs[end].op == model::Op::Field) {
    end = model.operand(model.exprs[end], 0);
  }
  return end;
}

}  // namespace

const model::Expr& member_of(const model::Model& model, model::ExprId end) {
  return model.exprs[without_indices(model, end)];
}

namespace {

std::vector<std::int64_t> sizes_of(Slot end, std::size_t rank) {
  std::vector<std::int64_t> sizes;
  for (std::size_t i = 0; i < rank; ++i) sizes.push_back(code::dimension(end.box, i));
  return sizes;
}

/// Finds what is joined to what. False: told to the machine.
bool find_pairs(Run& run, const code::Host::Joining& request, Joining& joining) {
  const model::Model& model = run.world.model;
  const model::Connection& connection = model.connections[request.connection];
  if (connection.kind == ConnectionKind::Value) {
    const model::Expr& fed = model.exprs[connection.to];
    if (fed.op != model::Op::Index) return true;
    for (const std::uint32_t place : numbers_at(request.to_place, fed.type.rank > 0))
      joining.pairs.emplace_back(0, place);
    return true;
  }
  const bool ports = connection.kind == ConnectionKind::Messages;
  const Slot from = ports ? request.from : request.from_place, to = ports ? request.to : request.to_place;
  const std::size_t rank = model.exprs[connection.from].type.rank;
  const std::vector<std::int64_t> from_sizes = sizes_of(from, rank), to_sizes = sizes_of(to, rank);
  if (from_sizes != to_sizes) {
    run.machine.fail(fmt::format("`{}` has {} elements and `{}` has {}",
                                 model::expression_text(model, connection.from, {}), fmt::join(from_sizes, " x "),
                                 model::expression_text(model, connection.to, {}), fmt::join(to_sizes, " x ")),
                     "arrays are joined element by element: name one element, or a slice of the same size");
    return false;
  }
  const std::vector<std::uint32_t> left = numbers_at(from, rank > 0), right = numbers_at(to, rank > 0);
  for (std::size_t i = 0; i < left.size(); ++i) joining.pairs.emplace_back(left[i], right[i]);
  return true;
}

/// The object whose port or mailbox it is.
ObjectRef owner_of(const Run& run, model::ExprId end, std::uint32_t number) {
  const bool mailbox = member_of(run.world.model, end).entity == model::EntityKind::Mailbox;
  return mailbox ? run.world.mailboxes[number].owner : run.world.ports[number].owner;
}

/// "[2, 3]": the indices of the element at a place in an array of plugs or an input; empty for anything else.
std::string indices_at(const Run& run, model::ExprId end, ObjectRef object, std::uint32_t place) {
  const model::Model& model = run.world.model;
  const model::Expr& whole = member_of(model, end);
  const std::uint32_t slot = code::array_slot(model, run.world.layout, whole);
  if (slot == code::Layout::kNoSlot || model.exprs[end].type.rank > 0 || !run.world.is_alive(object)) return "";
  const Box* array = run.world.object(object).slots[slot].box;
  std::vector<std::int64_t> indices(whole.type.rank);
  for (std::size_t i = indices.size(); i-- > 0;) {
    const auto size = static_cast<std::uint32_t>(code::dimension(array, i));
    indices[i] = place % size + 1;
    place /= size;
  }
  return fmt::format("[{}]", fmt::join(indices, ", "));
}

/// An end as it was written; one element with its indices.
std::string end_text(const Run& run, model::ExprId end, ObjectRef object, std::uint32_t place) {
  const model::Model& model = run.world.model;
  const std::string indices = indices_at(run, end, object, place);
  return model::expression_text(model, indices.empty() ? end : without_indices(model, end), {}) + indices;
}

}  // namespace

bool find_ends(Run& run, const Object& self, const code::Host::Joining& request, Joining& joining) {
  const model::Connection& connection = run.world.model.connections[request.connection];
  joining.connection = request.connection;
  joining.scope = self.self;
  if (!find_pairs(run, request, joining)) return false;
  if (connection.kind != ConnectionKind::Messages) {
    joining.from = request.from.object;
    joining.to = request.to.object;
  } else if (joining.pairs.empty()) {
    joining.from = joining.to = self.self;
  } else {
    joining.from = owner_of(run, connection.from, joining.pairs[0].first);
    joining.to = owner_of(run, connection.to, joining.pairs[0].second);
  }
  return true;
}

bool is_same(const Run& run, const Joining& a, const Joining& b) {
  const model::Model& model = run.world.model;
  const model::Connection &one = model.connections[a.connection], &other = model.connections[b.connection];
  if (one.kind != other.kind || a.pairs.size() != b.pairs.size()) return false;
  const auto same = [&](model::ExprId first, model::ExprId second) {
    const model::Expr &left = member_of(model, first), &right = member_of(model, second);
    if (left.entity != right.entity) return false;
    if (one.kind == ConnectionKind::Messages) return true;  // told by the numbers
    if (one.kind == ConnectionKind::Plugs) return left.ref == right.ref;
    return code::slot_of(run.world.layout, left) == code::slot_of(run.world.layout, right);
  };
  const bool straight =
      a.from == b.from && a.to == b.to && same(one.from, other.from) && same(one.to, other.to) && a.pairs == b.pairs;
  if (straight || one.kind == ConnectionKind::Value) return straight;
  const auto are_swapped = [](const auto& pair, const auto& back) {
    return pair.first == back.second && pair.second == back.first;
  };
  return a.from == b.to && a.to == b.from && same(one.from, other.to) && same(one.to, other.from) &&
         std::equal(a.pairs.begin(), a.pairs.end(), b.pairs.begin(), are_swapped);
}

std::string text_of(const Run& run, const Joining& joining) {
  const model::Connection& connection = run.world.model.connections[joining.connection];
  const bool is_value = connection.kind == ConnectionKind::Value;
  const auto [from, to] = joining.pairs.empty() ? std::pair<std::uint32_t, std::uint32_t>() : joining.pairs.front();
  return fmt::format("{} {} {}",
                     is_value ? model::expression_text(run.world.model, connection.from, {})
                              : end_text(run, connection.from, joining.from, from),
                     is_value ? "->" : "--", end_text(run, connection.to, joining.to, to));
}

std::string fed_text(const Run& run, const Joining& joining) {
  const model::Model& model = run.world.model;
  const model::ExprId to = model.connections[joining.connection].to;
  const std::string_view name = model.name(model.variables[model::VariableId(member_of(model, to).ref)].name);
  return std::string(name) + indices_at(run, to, joining.to, joining.pairs.empty() ? 0 : joining.pairs.front().second);
}

}  // namespace hyla::engine
