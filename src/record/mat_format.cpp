#include "record/mat_format.h"

#include <algorithm>

namespace hyla::record {
namespace {

void append_number(std::string& bytes, std::int32_t number) { append_mat_numbers<std::int32_t>(bytes, {&number, 1}); }

std::size_t longest(const std::vector<std::string>& texts) {
  std::size_t length = 1;
  for (const std::string& text : texts) length = std::max(length, text.size());
  return length;
}

}  // namespace

void append_mat_header(std::string& bytes, std::int32_t type, std::size_t rows, std::size_t columns,
                       std::string_view name) {
  append_number(bytes, type);
  append_number(bytes, static_cast<std::int32_t>(rows));
  append_number(bytes, static_cast<std::int32_t>(columns));
  append_number(bytes, 0);
  append_number(bytes, static_cast<std::int32_t>(name.size() + 1));
  bytes += name;
  bytes += '\0';
}

void append_mat_columns(std::string& bytes, std::string_view name, const std::vector<std::string>& texts) {
  const std::size_t length = longest(texts);
  append_mat_header(bytes, kMatText, length, texts.size(), name);
  for (const std::string& text : texts) bytes += text + std::string(length - text.size(), ' ');
}

void append_mat_rows(std::string& bytes, std::string_view name, const std::vector<std::string>& texts) {
  const std::size_t length = longest(texts);
  append_mat_header(bytes, kMatText, texts.size(), length, name);
  for (std::size_t i = 0; i < length; ++i) {
    for (const std::string& text : texts) bytes += i < text.size() ? text[i] : ' ';
  }
}

void append_mat_text(std::string& bytes, std::string_view name, const std::string& text) {
  append_mat_header(bytes, kMatText, 1, text.size(), name);
  bytes += text;
}

void append_mat_scalar(std::string& bytes, std::string_view name, double value) {
  append_mat_header(bytes, kMatDouble, 1, 1, name);
  append_mat_numbers<double>(bytes, {&value, 1});
}

void append_mat_matrix(std::string& bytes, std::string_view name, std::size_t rows, std::size_t columns,
                       std::span<const double> numbers) {
  append_mat_header(bytes, kMatDouble, rows, columns, name);
  for (std::size_t column = 0; column < columns; ++column) {
    for (std::size_t row = 0; row < rows; ++row)
      append_mat_numbers<double>(bytes, {&numbers[row * columns + column], 1});
  }
}

}  // namespace hyla::record
