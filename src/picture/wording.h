// What a picture says of equations, conditions and actions: the modeller's own text, on few and short lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "diag/source.h"
#include "model/model.h"

namespace hyla::picture {

using Lines = std::vector<std::string>;

/// How many characters a text has; bytes may be more.
std::size_t letters(std::string_view text);

/// One line of a text: comments left out, spaces and line breaks as one space each, no `;` at the end.
std::string on_one_line(std::string_view text);

/// Broken at spaces where it is wider than `width` characters; lines after the first are indented.
Lines wrapped(std::string_view text, std::size_t width);

class Wording {
 public:
  Wording(const model::Model& model, const diag::Sources& sources) : model_(model), sources_(sources) {}

  std::string name(model::SymbolId symbol) const { return std::string(model_.name(symbol)); }
  std::string expression(model::ExprId expr) const;
  std::string equation(const model::Equation& equation) const;
  std::string connection(const model::Connection& connection) const;
  /// Without its subject: `on command.Open`, `after 5`.
  std::string trigger(const model::Reaction& reaction) const;
  /// `-> Idle`, for transitions that are told and not drawn; empty without a target.
  std::string target(const model::Target& target) const;
  /// One text for each action.
  Lines actions(model::BlockId block) const;
  /// `valve[2]`, `producer[i in 1..n]`.
  std::string part_name(const model::Part& part) const;
  std::string with_shape(model::SymbolId symbol, model::ShapeId shape, model::LocalId index = {}) const;
  std::string class_name(model::ClassId id) const;
  /// `Valve.travel`, `Washer.program.Running.drum`.
  std::string chart_name(model::ChartId id) const;

 private:
  /// A chart without a name has a number if it is not the only one of its body.
  std::string own_name(model::ChartId id) const;
  std::string source(diag::Span span) const;
  std::string awaited(const std::vector<model::Awaited>& awaited) const;

  const model::Model& model_;
  const diag::Sources& sources_;
};

}  // namespace hyla::picture
