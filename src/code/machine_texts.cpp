// Texts, and values as texts; messages and records as a whole.
#include "base/text.h"
#include "code/machine_impl.h"

namespace hyla::code {

using model::Type;
using model::TypeKind;

namespace {

class Writer {
 public:
  Writer(std::string& out, const model::Model& model, Host& host) : out_(out), model_(model), host_(host) {}

  void value(Type type, Slot value, bool inside) {
    if (type.rank > 0) {
      std::size_t place = 0;
      return array(type, value.box, 0, place);
    }
    switch (type.kind) {
      case TypeKind::Real:
        out_ += base::format_number(value.real);
        return;
      case TypeKind::Boolean:
        out_ += value.integer != 0 ? "true" : "false";
        return;
      case TypeKind::String:
        return text(Heap::text(value.box), inside);
      case TypeKind::Enum: {
        const model::Enum& record = model_.enums[model::EnumId(type.ref)];
        const auto place = static_cast<std::size_t>(value.integer);
        out_ += place < record.values.size() ? model_.name(record.values[place]) : std::string_view("?");
        return;
      }
      case TypeKind::Record: {
        const model::Record& record = model_.records[model::RecordId(type.ref)];
        return fields(record.name, record.fields, value.box);
      }
      case TypeKind::Message:
      case TypeKind::AnyMessage: {
        if (value.box == nullptr) return none();
        const model::Message& message = model_.messages[model::MessageId(value.box->type)];
        return fields(message.name, message.fields, value.box);
      }
      case TypeKind::Object:
        if (!value.object || host_.slots(value.object) == nullptr) return none();
        out_ += host_.path(value.object);
        return;
      case TypeKind::Bag:
        return bag(value.box);
      case TypeKind::None:
        return none();
      default:
        out_ += std::to_string(value.integer);
    }
  }

 private:
  void none() { out_ += "none"; }

  void text(std::string_view text, bool inside) {
    if (!inside) {
      out_ += text;
      return;
    }
    out_ += '"';
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') out_ += '\\';
      out_ += letter;
    }
    out_ += '"';
  }

  void fields(model::SymbolId name, const std::vector<model::Field>& fields, const Box* box) {
    if (box == nullptr) return none();
    out_ += model_.name(name);
    out_ += '(';
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (i > 0) out_ += ", ";
      out_ += model_.name(fields[i].name);
      out_ += " = ";
      value(fields[i].type, box->slots()[i], true);
    }
    out_ += ')';
  }

  void array(Type type, const Box* box, std::size_t depth, std::size_t& place) {
    out_ += '[';
    const std::int64_t size = dimension(box, depth);
    for (std::int64_t i = 0; i < size && out_.size() <= kLongestText; ++i) {
      if (i > 0) out_ += ", ";
      if (depth + 1U < type.rank) {
        array(type, box, depth + 1, place);
      } else {
        value(type.element(), box->slots()[place++], true);
      }
    }
    out_ += ']';
  }

  void bag(const Box* box) {
    out_ += '[';
    for (std::size_t i = 0; box != nullptr && i < box->size; ++i) {
      if (i > 0) out_ += ", ";
      value({TypeKind::AnyMessage}, box->slots()[i], true);
    }
    out_ += ']';
  }

  std::string& out_;
  const model::Model& model_;
  Host& host_;
};

}  // namespace

void append_text(std::string& out, const model::Model& model, Host& host, Type type, Slot value, bool inside) {
  Writer(out, model, host).value(type, value, inside);
}

template <>
bool Machine::Impl::perform<Opcode::LoadText>(const Instruction& instruction, Activation& at) {
  const auto index = static_cast<std::size_t>(instruction.immediate.integer);
  if (texts.size() <= index) texts.resize(model.strings.size());
  if (texts[index] == nullptr) texts[index] = heap.new_text(model.strings[index]);
  at[instruction.a].box = texts[index];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::LoadModuleConstant>(const Instruction& instruction, Activation& at) {
  const auto index = static_cast<std::size_t>(instruction.immediate.integer);
  if (constants.size() <= index) constants.resize(model.variables.size());
  if (constants[index].box == nullptr) {
    const Program& program = functions.program(model::VariableId(index));
    if (machine.run(program, {}, nullptr, {}, &constants[index]) == Status::Failed) return false;
  }
  at[instruction.a] = constants[index];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::JoinTexts>(const Instruction& instruction, Activation& at) {
  const std::string_view left = Heap::text(at[instruction.b].box), right = Heap::text(at[instruction.c].box);
  if (left.size() + right.size() > kLongestText) return fail_text();
  std::string joined(left);
  joined += right;
  at[instruction.a].box = keep(heap.new_text(joined));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CompareTexts>(const Instruction& instruction, Activation& at) {
  const int order = Heap::text(at[instruction.b].box).compare(Heap::text(at[instruction.c].box));
  at[instruction.a].integer = order < 0 ? -1 : order > 0 ? 1 : 0;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ToText>(const Instruction& instruction, Activation& at) {
  std::string text;
  append_text(text, model, host, unpack_type(instruction.immediate.integer), at[instruction.b], false);
  if (text.size() > kLongestText) return fail_text();
  at[instruction.a].box = keep(heap.new_text(text));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::PrintPart>(const Instruction& instruction, Activation& at) {
  if (!line.empty()) line += ' ';
  append_text(line, model, host, unpack_type(instruction.immediate.integer), at[instruction.a], false);
  return line.size() <= kLongestText || fail_text();
}

template <>
bool Machine::Impl::perform<Opcode::PrintLine>(const Instruction&, Activation& at) {
  host.print(at.self, line);
  line.clear();
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Terminate>(const Instruction& instruction, Activation& at) {
  host.terminate(at.self, Heap::text(at[instruction.a].box));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::NewRecord>(const Instruction& instruction, Activation& at) {
  const model::RecordId record(static_cast<std::size_t>(instruction.immediate.integer));
  at[instruction.a].box = keep(heap.new_record(record, &at[instruction.b]));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::NewMessage>(const Instruction& instruction, Activation& at) {
  const model::MessageId message(static_cast<std::size_t>(instruction.immediate.integer));
  at[instruction.a].box = keep(heap.new_message(message, &at[instruction.b]));
  return true;
}

}  // namespace hyla::code
