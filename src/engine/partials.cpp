#include "engine/partials.h"

#include "engine/configure.h"

namespace hyla::engine {

code::Graph& Partials::graph_of(TermId term) {
  const auto [entry, added] = graphs_.try_emplace(term);
  if (added) entry->second = tapes_.terms()[term].graph;
  return entry->second;
}

std::vector<Partials::Partial> Partials::add_wanted(TermId term, const std::vector<At>& operands,
                                                    const std::vector<std::uint32_t>& wanted) {
  std::vector<Partial> result;
  Rows rows;
  rows.term = term;
  Row row;
  row.operands = &operands;
  code::Graph& graph = graph_of(term);
  for (const std::uint32_t k : wanted) {
    if (graph.is_constant(graph.derivative(tapes_.terms()[term].value, k), 0.0)) continue;
    result.push_back({k, size_});
    rows.operands.push_back(k);
    row.places.push_back(size_++);
  }
  if (!result.empty()) rows_[rows].push_back(std::move(row));
  return result;
}

std::vector<std::uint32_t> Partials::operands_of(TermId term, std::uint32_t operand) {
  code::Graph& graph = graph_of(term);
  return graph.operands_of_node(graph.derivative(tapes_.terms()[term].value, operand));
}

/// Each partial derivative of a batch gets a row of places, one for each member.
void Partials::compile(Evaluation& result, std::vector<std::unique_ptr<code::Tape>>& tapes) {
  moved_.resize(size_ - first_);
  At next = first_;
  for (auto& [rows, members] : rows_) {
    code::Graph& graph = graph_of(rows.term);
    const Term& term = tapes_.terms()[rows.term];
    std::vector<code::NodeId> outputs;
    for (const std::uint32_t operand : rows.operands) outputs.push_back(graph.derivative(term.value, operand));
    tapes.push_back(std::make_unique<code::Tape>(code::record_tape(graph, outputs, term.operands)));
    std::vector<At> index;
    const auto count = static_cast<At>(members.size());
    for (At member = 0; member < count; ++member) {
      const Row& row = members[member];
      index.insert(index.end(), row.operands->begin(), row.operands->end());
      for (At k = 0; k < row.places.size(); ++k) {
        moved_[row.places[k] - first_] = next + k * count + member;
        index.push_back(next + k * count + member);
      }
    }
    next += count * static_cast<At>(rows.operands.size());
    add_batches(result, *tapes.back(), index);
  }
}

}  // namespace hyla::engine
