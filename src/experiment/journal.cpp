#include "experiment/journal.h"

#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"

namespace hyla::experiment {
namespace {

constexpr std::string_view kHead = "hyla experiment 1";
constexpr char kBetween = '\t';

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\\\";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\n')
      out += "\\n";
    else if (c == '\r')
      out += "\\r";
    else
      out += c;
  }
  return out;
}

std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      out += text[i];
      continue;
    }
    const char c = text[++i];
    out += c == 't' ? '\t' : c == 'n' ? '\n' : c == 'r' ? '\r' : c;
  }
  return out;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t end = line.find(kBetween);
    fields.push_back(line.substr(0, end));
    if (end == std::string_view::npos) return fields;
    line.remove_prefix(end + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string text_of(double value) {
  if (value != value) return "nan";
  return fmt::format("{}", value);
}

/// A line without its checksum; none if that is wrong.
std::optional<std::string_view> checked(std::string_view line) {
  const std::size_t end = line.rfind(kBetween);
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view body = line.substr(0, end);
  if (line.substr(end + 1) != hash_text(body)) return std::nullopt;
  return body;
}

std::string with_checksum(const std::string& body) { return body + kBetween + hash_text(body) + '\n'; }

/// key, status, time, seconds, number of values, values, number of violated, violated, message, coverage if it was
/// counted
bool read_result(std::string_view body, Results& results) {
  const std::vector<std::string_view> fields = fields_of(body);
  std::size_t next = 0;
  const auto take = [&]() -> std::optional<double> {
    return next < fields.size() ? number_of(fields[next++]) : std::nullopt;
  };
  if (fields.size() < 7) return false;
  std::string key = unescaped(fields[next++]);
  MemberResult result;
  const std::string_view status = fields[next++];
  if (status != "good" && status != "failed") return false;
  result.status = status == "good" ? MemberStatus::Good : MemberStatus::Failed;
  const auto time = take(), seconds = take(), values = take();
  if (!time || !seconds || !values || !(*values >= 0 && *values <= static_cast<double>(fields.size()))) return false;
  result.time = *time;
  result.seconds = *seconds;
  for (double i = 0; i < *values; ++i) {
    const auto value = take();
    if (!value) return false;
    result.values.push_back(*value);
  }
  const auto violated = take();
  if (!violated || !(*violated >= 0 && *violated <= static_cast<double>(fields.size()))) return false;
  for (double i = 0; i < *violated; ++i) {
    const auto number = take();
    if (!number || !(*number >= 0 && *number < 1e9)) return false;
    result.violated.push_back(static_cast<std::uint32_t>(*number));
  }
  if (next == fields.size() || next + 2 < fields.size()) return false;
  result.message = unescaped(fields[next++]);
  if (next < fields.size()) {
    std::optional<CoverageCounts> counts = read_counts(fields[next]);
    if (!counts || counts->empty()) return false;
    result.coverage = std::move(*counts);
  }
  results[std::move(key)] = std::move(result);
  return true;
}

}  // namespace

std::string hash_text(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211ULL;
  }
  return fmt::format("{:016x}", hash);
}

std::string journal_header(const std::string& name, const std::string& fingerprint) {
  return with_checksum(std::string(kHead) + kBetween + escaped(name) + kBetween + escaped(fingerprint));
}

std::string journal_line(const std::string& key, const MemberResult& result) {
  std::string body = escaped(key) + kBetween + (result.status == MemberStatus::Good ? "good" : "failed") + kBetween +
                     text_of(result.time) + kBetween + text_of(result.seconds) + kBetween +
                     std::to_string(result.values.size());
  for (const double value : result.values) body += kBetween + text_of(value);
  body += kBetween + std::to_string(result.violated.size());
  for (const std::uint32_t number : result.violated) body += kBetween + std::to_string(number);
  body += kBetween + escaped(result.message);
  if (!result.coverage.empty()) body += kBetween + counts_text(result.coverage);
  return with_checksum(body);
}

std::size_t read_results(std::string_view lines, Results& results) {
  std::size_t damaged = 0;
  for (const std::string_view line : base::split_lines(lines)) {
    if (line.empty()) continue;
    const auto body = checked(line);
    if (!body || !read_result(*body, results)) ++damaged;
  }
  return damaged;
}

base::Result<Journal> read_journal(std::string_view text) {
  const std::size_t end = text.find('\n');
  const auto head = checked(text.substr(0, end));
  const std::vector<std::string_view> fields = head ? fields_of(*head) : std::vector<std::string_view>();
  if (fields.size() != 3 || fields[0] != kHead) return base::Failure{"it is no journal of an experiment"};
  Journal journal;
  journal.name = unescaped(fields[1]);
  journal.fingerprint = unescaped(fields[2]);
  if (end != std::string_view::npos) journal.damaged = read_results(text.substr(end + 1), journal.results);
  return journal;
}

}  // namespace hyla::experiment
