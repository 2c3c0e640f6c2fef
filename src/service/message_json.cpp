#include "service/message_json.h"

#include <span>
#include <vector>

#include "base/json.h"

namespace hyla::service {
namespace {

using code::Box;
using code::Slot;

class Writer {
 public:
  Writer(std::string& out, const model::Model& model, RunNames& names) : out_(out), model_(model), names_(names) {}

  void fields(const std::vector<model::Field>& fields, const Box& box) {
    out_ += '{';
    for (std::size_t i = 0; i < fields.size() && i < box.size; ++i) {
      if (i > 0) out_ += ',';
      base::append_json_string(out_, model_.name(fields[i].name));
      out_ += ':';
      value(fields[i].type, box.slots()[i]);
    }
    out_ += '}';
  }

 private:
  void value(model::Type type, Slot slot) {
    if (type.rank > 0) {
      array(type.element(), slot.box);
      return;
    }
    switch (type.kind) {
      case model::TypeKind::Real:
        return base::append_json_number(out_, slot.real);
      case model::TypeKind::Integer:
        out_ += std::to_string(slot.integer);
        return;
      case model::TypeKind::Boolean:
        out_ += slot.integer != 0 ? "true" : "false";
        return;
      case model::TypeKind::String:
        return base::append_json_string(out_, code::Heap::text(slot.box));
      case model::TypeKind::Enum:
        return word(model::EnumId{type.ref}, slot.integer);
      case model::TypeKind::Record:
        return structure(slot.box, [&] { fields(model_.records[model::RecordId{type.ref}].fields, *slot.box); });
      case model::TypeKind::Message:
      case model::TypeKind::AnyMessage:
        return structure(slot.box,
                         [&] { fields(model_.messages[model::MessageId{slot.box->type}].fields, *slot.box); });
      case model::TypeKind::Object:
        return structure(slot.object, [&] { base::append_json_string(out_, names_.object(slot.object)); });
      default:
        out_ += "null";
        return;
    }
  }

  void word(model::EnumId id, std::int64_t place) {
    const auto& values = model_.enums[id].values;
    const auto index = static_cast<std::size_t>(place);
    base::append_json_string(out_, index < values.size() ? model_.name(values[index]) : "");
  }

  template <class Condition, class Write>
  void structure(const Condition& exists, Write write) {
    if (exists) {
      write();
    } else {
      out_ += "null";
    }
  }

  void array(model::Type element, const Box* box) {
    if (box == nullptr) {
      out_ += "[]";
      return;
    }
    std::vector<std::int64_t> dimensions;
    for (std::size_t i = 0; i < box->rank; ++i) {
      dimensions.push_back(code::dimension(box, i));
    }
    std::size_t next = 0;
    rows(element, *box, dimensions, next);
  }

  /// The elements stand row by row.
  void rows(model::Type element, const Box& box, std::span<const std::int64_t> dimensions, std::size_t& next) {
    out_ += '[';
    for (std::int64_t i = 0; i < dimensions.front(); ++i) {
      if (i > 0) out_ += ',';
      if (dimensions.size() > 1) {
        rows(element, box, dimensions.subspan(1), next);
      } else {
        value(element, box.slots()[next++]);
      }
    }
    out_ += ']';
  }

  std::string& out_;
  const model::Model& model_;
  RunNames& names_;
};

}  // namespace

void append_message(std::string& out, const model::Model& model, RunNames& names, const code::Box& message) {
  Writer(out, model, names).fields(model.messages[model::MessageId{message.type}].fields, message);
}

}  // namespace hyla::service
