#include "service/init_model.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/text.h"
#include "engine/build.h"
#include "engine/initial_table.h"
#include "record/glob.h"
#include "service/load_external.h"
#include "service/run_names.h"
#include "service/start_values.h"

namespace hyla::service {
namespace {

using engine::StartEntry;
using engine::StartOrigin;
using engine::StartStatus;
using engine::StartWish;

/// In larger systems paths through all equations are searched only for what is iterated on.
constexpr std::size_t kSearched = 2000;

bool add_wishes(std::string_view option, StartWish::Kind kind, const std::vector<std::string>& texts,
                InitReport& report, StartValues& values) {
  for (const std::string& text : texts) {
    base::Result<StartWish> wish = parse_wish(kind, text);
    if (!wish.ok()) {
      report.failures.push_back(std::string(option) + ": " + wish.message());
      return false;
    }
    if (kind == StartWish::Kind::Guess && !wish.value().number) {
      report.failures.push_back(std::string(option) + ": `" + text + "` is not of the form NAME=NUMBER");
      return false;
    }
    values.wishes.push_back(std::move(wish).value());
  }
  return true;
}

/// What was loaded, then what the options say.
bool collect_wishes(const InitRequest& request, const FileSystem& files, InitReport& report, StartValues& values) {
  if (!request.load_file.empty()) {
    base::Result<StartValues> loaded = load_start_values(request.load_file, files);
    if (!loaded.ok()) {
      report.failures.push_back(loaded.message());
      return false;
    }
    values = std::move(loaded).value();
  }
  values.settings.insert(values.settings.end(), request.settings.begin(), request.settings.end());
  return add_wishes("--fix", StartWish::Kind::Fix, request.fixes, report, values) &&
         add_wishes("--free", StartWish::Kind::Free, request.frees, report, values) &&
         add_wishes("--guess", StartWish::Kind::Guess, request.guesses, report, values);
}

class RowMaker {
 public:
  RowMaker(const engine::World& world, const engine::StartTable& table, InitReport& report)
      : world_(world), table_(table), report_(report) {}

  InitRow row(std::uint32_t number) const {
    const StartEntry& entry = table_.entries[number];
    InitRow row;
    row.object = world_.path(entry.object);
    row.name = entry.own_name;
    row.path = entry.name;
    row.status = entry.status == StartStatus::Fixed  ? InitStatus::Fixed
                 : entry.status == StartStatus::Free ? InitStatus::Free
                                                     : InitStatus::Computed;
    row.value = entry.value;
    row.unit = unit_of(entry);
    row.origin = origin_of(entry);
    row.is_iterated = entry.is_iterated;
    row.is_open = entry.is_open;
    row.is_changed = engine::is_changed(entry);
    const bool is_searched = table_.unknowns <= kSearched || entry.is_iterated;
    if (is_searched && entry.column != engine::kNone) row.instead = names(table_.alternatives(number));
    if (entry.is_iterated) row.affects = names(table_.dependants(number));
    return row;
  }

  bool is_shown(const InitRequest& request, const StartEntry& entry) const {
    switch (request.show) {
      case InitShow::All:
        return true;
      case InitShow::Reduced:
        return entry.is_iterated;
      case InitShow::Changed:
        return engine::is_changed(entry);
      case InitShow::Selected:
        return std::any_of(request.selected.begin(), request.selected.end(), [&](const std::string& pattern) {
          return record::matches(pattern, entry.name) || record::matches(pattern + ".*", entry.name);
        });
    }
    return true;
  }

 private:
  std::vector<std::string> names(const std::vector<std::uint32_t>& entries) const {
    std::vector<std::string> result;
    for (const std::uint32_t entry : entries) result.push_back(table_.entries[entry].name);
    return result;
  }

  std::string unit_of(const StartEntry& entry) const {
    const model::UnitId unit = world_.model.variables[entry.variable].unit;
    if (!unit || unit == model::kBareUnit) return "";
    std::string text(world_.model.unit_name(unit));
    return entry.own_name.starts_with("der(") ? text + "/s" : text;
  }

  std::string origin_of(const StartEntry& entry) const {
    if (entry.status != StartStatus::Fixed && entry.has_equation) return place_text(report_.sources, entry.equation);
    switch (entry.origin) {
      case StartOrigin::Declared:
        return "declared";
      case StartOrigin::Argument:
        return "argument";
      case StartOrigin::Loaded:
        return "loaded";
      case StartOrigin::Chosen:
        return "chosen";
    }
    return "";
  }

  const engine::World& world_;
  const engine::StartTable& table_;
  InitReport& report_;
};

/// The present roles and values as a file would say them.
StartValues values_to_save(const engine::StartTable& table, const StartValues& asked, const std::string& model) {
  StartValues values;
  values.model = model;
  values.settings = asked.settings;
  for (const StartEntry& entry : table.entries) {
    if (entry.cluster == engine::kNone) continue;
    const bool is_derivative = entry.own_name.starts_with("der(");
    const bool is_chosen = std::any_of(asked.wishes.begin(), asked.wishes.end(),
                                       [&](const StartWish& wish) { return wish.name == entry.name; });
    if (is_derivative && !(is_chosen && entry.status == StartStatus::Fixed)) continue;
    if (entry.is_parameter && entry.status == StartStatus::Fixed) continue;
    const StartWish::Kind kind = entry.status == StartStatus::Fixed  ? StartWish::Kind::Fix
                                 : entry.status == StartStatus::Free ? StartWish::Kind::Free
                                                                     : StartWish::Kind::Guess;
    values.wishes.push_back({kind, entry.name, entry.value, StartOrigin::Chosen});
  }
  return values;
}

/// What is to be computed must stand in an equation that can determine it.
bool check_freed(const StartValues& values, const engine::StartTable& table, InitReport& report) {
  for (const StartWish& wish : values.wishes) {
    if (wish.kind != StartWish::Kind::Free) continue;
    const auto entry = std::find_if(table.entries.begin(), table.entries.end(),
                                    [&](const StartEntry& one) { return one.name == wish.name; });
    if (entry == table.entries.end() || entry->status != StartStatus::Fixed) continue;
    report.failures.push_back("`" + wish.name + "` cannot be free: no equation of the start contains it");
    return false;
  }
  return true;
}

bool check_selection(const InitRequest& request, const engine::StartTable& table, InitReport& report) {
  for (const std::string& pattern : request.selected) {
    std::vector<std::string_view> names;
    bool found = false;
    for (const StartEntry& entry : table.entries) {
      names.push_back(entry.name);
      found = found || record::matches(pattern, entry.name) || record::matches(pattern + ".*", entry.name);
    }
    if (found) continue;
    const auto near = base::nearest(pattern, names);
    report.failures.push_back("no variable matches `" + pattern + "`" +
                              (near ? "; did you mean `" + std::string(*near) + "`?" : ""));
    return false;
  }
  return true;
}

void fill_table(const InitRequest& request, const engine::World& world, const engine::StartTable& table,
                InitReport& report) {
  report.has_table = true;
  report.is_solved = table.solved;
  report.unknowns = table.unknowns;
  report.iterated = table.iterated;
  report.blocks = table.blocks;
  const RowMaker maker(world, table, report);
  for (std::uint32_t i = 0; i < table.entries.size(); ++i) {
    if (table.entries[i].status == StartStatus::Fixed) ++report.given;
    if (maker.is_shown(request, table.entries[i])) report.rows.push_back(maker.row(i));
  }
}

}  // namespace

InitReport init_model(const InitRequest& request, FileSystem& files) {
  InitReport report;
  model::Model model;
  StartValues values;
  if (!read_model(request.path, request.library_paths, files, report, model) ||
      !collect_wishes(request, files, report, values)) {
    return report;
  }
  engine::BuildRequest build;
  build.top = find_class(request.path, request.model, model, report);
  if (!build.top) return report;
  report.model = model.name(model.classes[build.top].name);
  if (!values.model.empty() && values.model != report.model) {
    report.failures.push_back(request.load_file + " holds start values of `" + values.model + "`, not of `" +
                              report.model + "`");
    return report;
  }
  for (const ParameterSetting& setting : values.settings) build.assignments.push_back({setting.path, setting.value});
  build.starts = values.wishes;
  build.notes_arguments = true;
  std::unique_ptr<code::ExternalLibraries> external;
  if (request.allow_external) external = load_external_libraries(request.path, request.external_folders);
  build.external = external.get();
  diag::Sink sink;
  engine::BuildFailure failure;
  const std::unique_ptr<engine::World> world = engine::build(model, build, sink, failure);
  if (!world) {
    add_messages(sink, report);
    if (!failure.message.empty()) report.failures.push_back(failure.message);
    return report;
  }
  engine::RunOptions options;
  options.start_time = engine::settings_of(*world).start_time;
  options.stop_time = engine::settings_of(*world).stop_time;
  const engine::StartTable table = engine::find_start_table(*world, options, sink);
  add_messages(sink, report);
  if (!table.fits || !check_freed(values, table, report) || !check_selection(request, table, report)) return report;
  fill_table(request, *world, table, report);
  if (request.save_file.empty() || !table.solved) return report;
  const std::string text = start_values_text(values_to_save(table, values, report.model));
  if (const auto wrong = files.write(request.save_file, text)) report.failures.push_back(wrong->message);
  return report;
}

}  // namespace hyla::service
