#include "service/run_source.h"

#include <utility>

#include "base/json_reader.h"
#include "service/json_members.h"
#include "service/stored_run.h"

namespace hyla::service {
namespace {

bool read_texts(base::JsonReader& reader, std::vector<std::string>& texts) {
  return reader.read_array([&] { return reader.read_text(texts.emplace_back()); });
}

bool read_number(base::JsonReader& reader, std::optional<double>& number) {
  double value = 0;
  if (!reader.read_number(value)) return false;
  number = value;
  return true;
}

bool read_member(base::JsonReader& reader, std::string_view key, RunRequest& request,
                 std::vector<std::string>& settings) {
  if (key == "file") return reader.read_text(request.path);
  if (key == "model") return reader.read_text(request.model);
  if (key == "settings") return read_texts(reader, settings);
  if (key == "library_paths") return read_texts(reader, request.library_paths);
  if (key == "start_values") return reader.read_text(request.start_values_file);
  if (key == "solver") return reader.read_text(request.solver.solver);
  if (key == "events") return reader.read_text(request.solver.events);
  if (key == "zeno") return reader.read_text(request.solver.zeno);
  if (key == "stop_time") return read_number(reader, request.stop_time);
  if (key == "tolerance") return read_number(reader, request.solver.tolerance);
  if (key == "step_size") return read_number(reader, request.solver.step_size);
  if (key == "random_order") return reader.read_flag(request.random_order);
  if (key == "keep_going") return reader.read_flag(request.keep_going);
  return reader.skip();
}

}  // namespace

std::string run_source_json(const RunRequest& request) {
  std::string out;
  Members members(out);
  members.text("file", request.path);
  const auto add = [&](std::string_view name, const std::string& word) {
    if (!word.empty()) members.text(name, word);
  };
  const auto add_number = [&](std::string_view name, const std::optional<double>& number) {
    if (number) members.number(name, *number);
  };
  add("model", request.model);
  std::vector<std::string> settings;
  for (const ParameterSetting& setting : request.settings) settings.push_back(setting.path + '=' + setting.value);
  if (!settings.empty()) members.texts("settings", settings);
  if (!request.library_paths.empty()) members.texts("library_paths", request.library_paths);
  add("start_values", request.start_values_file);
  add("solver", request.solver.solver);
  add("events", request.solver.events);
  add("zeno", request.solver.zeno);
  add_number("stop_time", request.stop_time);
  add_number("tolerance", request.solver.tolerance);
  add_number("step_size", request.solver.step_size);
  if (request.random_order) members.flag("random_order", true);
  if (request.keep_going) members.flag("keep_going", true);
  members.end();
  return out;
}

std::optional<base::Failure> read_run_source(const std::string& run_path, const std::string& events_path,
                                             const FileSystem& files, RunRequest& request) {
  const base::Result<StoredRun> run = load_run(run_path, events_path, EventsWanted::Must, files);
  if (!run.ok()) return base::Failure{run.message()};
  const record::Events& events = *run.value().events;
  const base::Failure unknown{"`" + run_path +
                              "` does not tell how its run was made: give the model instead, with the " +
                              "--set, --seed, … of the run"};
  if (events.run.empty()) return unknown;
  RunRequest made;
  std::vector<std::string> settings;
  base::JsonReader reader(events.run);
  const bool good = reader.read_object([&](std::string_view key) { return read_member(reader, key, made, settings); });
  if (!good || made.path.empty()) return unknown;
  for (const std::string& text : settings) {
    base::Result<ParameterSetting> setting = parse_setting(text);
    if (!setting.ok()) return unknown;
    made.settings.push_back(std::move(setting).value());
  }
  made.seed = events.seed;
  const std::string beside = folder_of(run_path) + made.path.substr(folder_of(made.path).size());
  if (!files.is_file(made.path) && files.is_file(beside)) made.path = beside;
  made.settings.insert(made.settings.end(), request.settings.begin(), request.settings.end());
  request = std::move(made);
  return std::nullopt;
}

}  // namespace hyla::service
