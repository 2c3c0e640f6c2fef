// Compares the tables of docs/language.md with the lists that the checker works by.
#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "check/placement.h"
#include "model/builtins.h"

namespace hyla::check {
namespace {

/// The rows of the tables between the heading of one section and the next heading, cut into cells without blanks.
std::vector<std::vector<std::string>> rows_of(const std::string& section) {
  std::ifstream in("docs/language.md");
  EXPECT_TRUE(in);
  std::vector<std::vector<std::string>> rows;
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("##")) inside = line.find(" " + section + " ") != std::string::npos;
    if (!inside || !line.starts_with("|") || line.starts_with("| ---")) continue;
    std::vector<std::string>& row = rows.emplace_back();
    std::istringstream cells(line.substr(1));
    for (std::string cell; std::getline(cells, cell, '|');) {
      const std::size_t first = cell.find_first_not_of(' ');
      row.push_back(first == std::string::npos ? "" : cell.substr(first, cell.find_last_not_of(' ') - first + 1));
    }
  }
  return rows;
}

/// "`box.take(where …)`" names `take`; the number of arguments stands between the commas.
struct Call {
  std::string name;
  std::size_t arguments = 0;
};

Call read_call(const std::string& cell) {
  const std::string text = cell.substr(1, cell.size() - 2);
  const std::size_t open = text.find('(');
  Call call;
  call.name = text.substr(0, open);
  if (const std::size_t dot = call.name.find('.'); dot != std::string::npos) call.name = call.name.substr(dot + 1);
  if (open != std::string::npos)
    call.arguments = 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
  return call;
}

TEST(LanguageTables, ListTheBuiltInFunctions) {
  std::map<std::string, std::multiset<std::string>> listed;
  for (const std::string section : {"5.5", "5.6", "5.7"}) {
    for (const std::vector<std::string>& row : rows_of(section)) {
      if (!row[0].starts_with('`')) continue;
      const Call call = read_call(row[0]);
      listed[section].insert(call.name);
      const model::Builtin builtin = section == "5.7" ? model::Builtin::None : model::find_builtin(call.name);
      if (builtin == model::Builtin::None) continue;
      const std::string_view signature = model::info(builtin).signature;
      const std::string_view letters = signature.substr(0, signature.find(':'));
      const std::size_t taken = letters.size() - (letters.ends_with('?') ? 1 : 0);  // `*` stands for `, …`
      EXPECT_EQ(call.arguments, taken) << row[0];
    }
  }
  std::map<std::string, std::multiset<std::string>> built_in;
  for (const model::BuiltinInfo& info : model::all_builtins()) {
    const bool random = info.group == model::BuiltinClass::Random;
    built_in[info.group == model::BuiltinClass::Function ? "5.5" : random ? "5.6" : "5.7"].emplace(info.name);
  }
  EXPECT_EQ(listed, built_in);
}

TEST(LanguageTables, SayWhatMayBeWrittenWhere) {
  using Row = std::vector<bool>;
  std::map<std::string, Row> listed;
  for (const std::vector<std::string>& row : rows_of("23.")) {
    if (row[0] == "item") continue;
    for (std::size_t i = 1; i < row.size(); ++i) listed[row[0]].push_back(row[i] == "x");
  }
  std::map<std::string, Row> rules;
  for (const PlacementRule& rule : placement_rules()) {
    Row row;
    for (const Container container : {Container::Model, Container::Atomic, Container::Package, Container::State,
                                      Container::Chart, Container::Family, Container::Conditional})
      row.push_back(rule.allows(container));
    rules[std::string(rule.phrase)] = row;
  }
  EXPECT_EQ(listed, rules);
}

}  // namespace
}  // namespace hyla::check
