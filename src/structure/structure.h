// The structure of a system of equations: who can be computed from what, in which order, and what is wrong if nothing
// can.
//
// Input is an incidence: which equation contains which unknown. Equations and unknowns are numbers; nothing is known
// here of models. Matching and blocks are SuiteSparse BTF's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hyla::structure {

inline constexpr std::uint32_t kNothing = UINT32_MAX;

/// Rows are equations, columns unknowns.
struct Incidence {
  std::size_t unknowns = 0;
  std::vector<std::uint32_t> starts{0};  ///< by equation, and one more
  std::vector<std::uint32_t> columns;    ///< unknowns of each equation, each once
  /// By entry: this equation can give this unknown by a formula without solving anything (`x = e` without x in e).
  std::vector<std::uint8_t> explicit_for;
  /// By unknown: iterated on rather than others, where as few will do. Empty: none is.
  std::vector<std::uint8_t> preferred;

  std::size_t equations() const { return starts.size() - 1; }
};

/// Everybody's partner, or kNothing.
struct Matching {
  std::vector<std::uint32_t> unknown_of_equation;
  std::vector<std::uint32_t> equation_of_unknown;
  std::size_t size = 0;
};

/// A maximum matching. Prefers explicit entries: a formula is matched with its own variable wherever that does not make
/// the matching smaller.
Matching match(const Incidence& incidence);

/// A group of equations that must be solved together, and in it the unknowns to iterate on: given these (`tears`), the
/// others follow one by one in the order of `inner`, and the residuals of `residuals` must vanish.
struct Block {
  struct Step {
    std::uint32_t equation = 0, unknown = 0;
  };
  std::vector<std::uint32_t> equations, unknowns;
  bool is_loop = false;                         ///< more than one equation, or one that is not explicit for its unknown
  std::vector<Step> inner;                      ///< of a loop: explicit steps, given the tears
  std::vector<std::uint32_t> tears, residuals;  ///< of a loop: as many of each; of an explicit block: none
};

/// Blocks in an order in which each needs only unknowns of those before it. The matching must be complete.
std::vector<Block> blocks(const Incidence& incidence, const Matching& matching);
/// The same without `inner`, tears and residuals.
std::vector<Block> untorn_blocks(const Incidence& incidence, const Matching& matching);

/// What is wrong with an incidence without a complete matching (Dulmage-Mendelsohn).
struct Misfit {
  std::vector<std::uint32_t> over_equations;  ///< too many equations for their unknowns
  std::vector<std::uint32_t> over_unknowns;
  std::vector<std::uint32_t> under_equations;  ///< too few equations for their unknowns
  std::vector<std::uint32_t> under_unknowns;
};
Misfit misfit(const Incidence& incidence, const Matching& matching);

/// A set of equations with an unmatched one that together have one equation more than unknowns, and no part of it has.
/// The smallest if this is the only unmatched equation, else the smallest found by leaving others over instead.
std::vector<std::uint32_t> contradicting(const Incidence& incidence, const Matching& matching, std::uint32_t equation);

/// Equations that contain unknowns and their derivatives. What is differentiated more than once is written with an
/// unknown for each order but the highest, as in der(x) = v.
struct Signature {
  Incidence incidence;               ///< whatever the order; what is explicit is of no account
  std::vector<std::uint8_t> orders;  ///< by entry, the highest: 0, or 1 for the derivative
};

/// How often each equation is to be differentiated, and up to which order each unknown occurs then: the smallest
/// numbers with which the equations, at their last derivatives, can be solved for the unknowns at their highest ones.
struct Offsets {
  bool exist = false;  ///< false: there is no complete matching; `misfit` of the incidence tells why
  std::vector<std::uint32_t> equations, unknowns;

  /// The number of states: by so many values the motion is determined.
  std::size_t freedom() const;
};
Offsets offsets(const Signature& signature);

/// Whether an entry counts among the highest derivatives: whether the last derivative of the equation contains the
/// highest one of the unknown.
bool is_leading(const Signature& signature, const Offsets& offsets, std::uint32_t equation, std::uint32_t entry);

/// Equations that are differentiated, with the unknowns that they tie together. For each equation of a group one of its
/// unknowns is not integrated any more (Mattsson and Söderlind 1993); no equation ties unknowns of two groups.
struct Group {
  std::vector<std::uint32_t> equations, unknowns;
};
std::vector<Group> constraint_groups(const Signature& signature, const Offsets& offsets);

/// Who can come into a complete matching for whom: the ends of alternating paths (Ford and Fulkerson 1956).
class Exchange {
 public:
  explicit Exchange(const Incidence& incidence);

  /// Matched unknowns that can leave if `entering`, which has no partner, comes in.
  std::vector<std::uint32_t> leaving_for(const Matching& matching, std::uint32_t entering);
  /// Unknowns without a partner that can come in if `leaving` goes.
  std::vector<std::uint32_t> entering_for(const Matching& matching, std::uint32_t leaving) const;
  /// Carries one out; `leaving` is among those that can leave.
  void carry_out(Matching& matching, std::uint32_t entering, std::uint32_t leaving);

 private:
  const Incidence& incidence_;
  std::vector<std::uint32_t> starts_, rows_;  ///< by unknown: the equations that contain it
  std::vector<std::uint32_t> from_;           ///< by equation, of the last search: the unknown by which it was reached
  std::vector<std::uint32_t> by_;             ///< by unknown: the equation by which it was reached
};

/// Colours for the columns of a sparse pattern such that columns of a colour share no row; gives the number of colours.
std::size_t colour_columns(const Incidence& incidence, std::vector<std::uint32_t>& colours);

/// Connected components of a graph given as pairs: number of each node's component, in the order of its first node.
std::vector<std::uint32_t> components(std::size_t nodes,
                                      const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges);

}  // namespace hyla::structure
