// Values from outside by the types of what they are for.
#include <charconv>
#include <cmath>

#include <fmt/core.h>

#include "base/text.h"
#include "code/heap.h"
#include "engine/assignments.h"

namespace hyla::engine {
namespace {

using model::TypeKind;

class ValueReader {
 public:
  ValueReader(World& world, std::string& message) : world_(world), model_(world.model), message_(message) {}

  bool read(model::Type type, std::string_view text, Slot& result) {
    text = base::trim(text);
    if (type.rank > 0) return read_array(type, text, result);
    switch (type.kind) {
      case TypeKind::Real:
        return read_real(text, result);
      case TypeKind::Integer:
        return read_integer(text, result);
      case TypeKind::Boolean:
        result.integer = text == "true" ? 1 : 0;
        return text == "true" || text == "false" || refuse(text, "`true` or `false`");
      case TypeKind::Enum:
        return read_enumeration(model::EnumId(type.ref), text, result);
      case TypeKind::String:
        if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
        result.box = world_.heap.new_text(text);
        return true;
      default:
        message_ = fmt::format("{} cannot be given from outside", base::with_article(model_.type_name(type)));
        return false;
    }
  }

 private:
  bool refuse(std::string_view text, std::string_view wanted) {
    message_ = fmt::format("`{}` is not {}", text, wanted);
    return false;
  }

  bool read_real(std::string_view text, Slot& result) {
    std::string_view digits = text;
    const bool negative = digits.starts_with('-');
    if (negative) digits.remove_prefix(1);
    double value = 0;
    if (digits == "infinity") {
      value = HUGE_VAL;
    } else {
      if (digits.empty() || (digits[0] != '.' && (digits[0] < '0' || digits[0] > '9'))) return refuse(text, "a number");
      const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
      if (error != std::errc() || end != digits.data() + digits.size()) return refuse(text, "a number");
    }
    result.real = negative ? -value : value;
    return true;
  }

  bool read_integer(std::string_view text, Slot& result) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), result.integer);
    return (error == std::errc() && end == text.data() + text.size()) || refuse(text, "a whole number");
  }

  /// `idle` or `Mode.idle`.
  bool read_enumeration(model::EnumId id, std::string_view text, Slot& result) {
    const model::Enum& record = model_.enums[id];
    const std::string prefix = std::string(model_.name(record.name)) + ".";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    std::vector<std::string_view> names;
    for (const model::SymbolId value : record.values) {
      if (model_.name(value) == text) {
        result.integer = static_cast<std::int64_t>(names.size());
        return true;
      }
      names.push_back(model_.name(value));
    }
    return refuse(text, "one of " + base::quoted_list(names));
  }

  bool read_array(model::Type type, std::string_view text, Slot& result) {
    std::vector<std::string_view> texts;
    if (!split(text, texts)) return refuse(text, "an array such as `[1, 2, 3]`");
    if (type.rank > 2) {
      message_ = "arrays of more than two dimensions cannot be given from outside";
      return false;
    }
    std::vector<std::int64_t> dimensions = {static_cast<std::int64_t>(texts.size())};
    std::vector<std::string_view> elements;
    if (type.rank == 2) {
      std::size_t columns = 0;
      for (const std::string_view row : texts) {
        const std::size_t before = elements.size();
        if (!split(row, elements)) return refuse(row, "a row such as `[1, 2]`");
        if (before == 0) columns = elements.size();
        if (elements.size() - before != columns) return refuse(text, "a matrix with rows of one length");
      }
      dimensions.push_back(static_cast<std::int64_t>(columns));
    } else {
      elements = std::move(texts);
    }
    Box* box = world_.heap.new_array(dimensions, code::is_boxed(type.element()));
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (read(type.element(), elements[i], box->slots()[i])) continue;
      world_.heap.release(box);
      return false;
    }
    result.box = box;
    return true;
  }

  /// The elements of `[a, b, [c, d]]`, appended.
  static bool split(std::string_view text, std::vector<std::string_view>& result) {
    text = base::trim(text);
    if (text.size() < 2 || text.front() != '[' || text.back() != ']') return false;
    text = base::trim(text.substr(1, text.size() - 2));
    if (text.empty()) return true;
    int depth = 0;
    bool quoted = false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ',';
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c != ',' || depth != 0) continue;
      result.push_back(base::trim(text.substr(begin, i - begin)));
      begin = i + 1;
    }
    return depth == 0 && !quoted;
  }

  World& world_;
  const model::Model& model_;
  std::string& message_;
};

}  // namespace

bool read_value(World& world, model::Type type, std::string_view text, Slot& result, std::string& message) {
  return ValueReader(world, message).read(type, text, result);
}

}  // namespace hyla::engine
