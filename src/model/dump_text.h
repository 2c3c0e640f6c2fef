// The pieces of dump(): each returns or writes a stable text of one part of a model.
//
// A missing id is written as `?`, so that a model with errors can be dumped too. Names are written as seen from a
// scope: a variable of another state carries the path of that state. `@` is the matrix product, which the language
// writes as `*`.
#pragma once

#include <string>
#include <string_view>

#include "model/model.h"

namespace hyla::model {

/// The place from which names are seen; none of both for what stands outside bodies.
struct Scope {
  BodyId body;
  ChartId chart;
};

/// The text under construction and its indentation.
class DumpWriter {
 public:
  explicit DumpWriter(const Model& the_model) : model(the_model) {}

  void line(std::string_view text);
  std::string take() { return std::move(text_); }

  /// While one lives, lines are indented by one step more.
  class Indent {
   public:
    explicit Indent(DumpWriter& writer) : writer_(writer) { ++writer_.depth_; }
    ~Indent() { --writer_.depth_; }
    Indent(const Indent&) = delete;
    Indent& operator=(const Indent&) = delete;

   private:
    DumpWriter& writer_;
  };

  const Model& model;
  Scope scope;

 private:
  std::string text_;
  std::size_t depth_ = 0;
};

// dump_names.cpp
std::string state_path(const Model& model, StateId state, Scope scope);
std::string entity_name(const Model& model, Entity entity, Scope scope);
std::string type_text(const Model& model, Type type, UnitId unit, ShapeId shape, Scope scope);
/// `[3, n]`; empty without a shape. With an index: `[i in 1..3]`.
std::string shape_text(const Model& model, ShapeId shape, LocalId index, Scope scope);
std::string field_text(const Model& model, const Field& field);
/// `(a: Real, b: Real = 2)`.
std::string parameters_text(const Model& model, const std::vector<LocalId>& parameters,
                            const std::vector<ExprId>& defaults);
std::string message_list(const Model& model, const std::vector<MessageId>& messages);
std::string_view devs_function_name(DevsFunctionKind kind);
std::string quoted(std::string_view text);
/// The fields of a record, message or connector type; none for other types.
const std::vector<Field>* fields_of(const Model& model, Type type);

// dump_expression.cpp
std::string expression_text(const Model& model, ExprId expr, Scope scope);
/// `(p = 3, x := 1)`; empty without arguments.
std::string arguments_text(const Model& model, const std::vector<Argument>& arguments, Scope scope);
std::string occupant_text(const Model& model, const Occupant& occupant, Scope scope);

// dump_action.cpp
std::string awaited_text(const Model& model, const Awaited& awaited, Scope scope);
std::string connection_text(const Model& model, const Connection& connection, Scope scope);
/// A line `head` and the actions of the block: behind it in braces if there is one simple action, else on lines of
/// their own.
void dump_block(DumpWriter& out, const std::string& head, BlockId block);

// dump_body.cpp
std::string requirement_text(const Model& model, const Requirement& requirement, Scope scope);
void dump_body(DumpWriter& out, BodyId body);

}  // namespace hyla::model
