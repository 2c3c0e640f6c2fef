#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "api/functions.h"
#include "api/messages.h"
#include "api/model_data.h"
#include "api/thrown.h"
#include "base/text.h"
#include "engine/intervene.h"
#include "engine/islands.h"
#include "engine/run_loop.h"
#include "service/log_entries.h"
#include "service/prepare_run.h"
#include "service/recorded_columns.h"

namespace hyla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What the engine tells goes on to the functions of the program.
class Teller final : public engine::Observer {
 public:
  void attach(const engine::World& world, const diag::Sources& sources) {
    names_ = std::make_unique<service::RunNames>(world, sources);
    entries_ = std::make_unique<service::LogEntries>(*names_);
  }

  void occurred(const engine::World& world, const engine::Occurrence& occurrence) override {
    if (!on_event || thrown) return;
    const record::LogEntry entry = entries_->entry(world, occurrence);
    const Event event = {entry.sequence, entry.cause, entry.time,     entry.kind,    entry.object,  entry.chart,
                         entry.from,     entry.to,    entry.reaction, entry.message, entry.process, entry.text};
    thrown.keep([&] { on_event(event); });
  }
  bool progress(const engine::World& /*world*/, double /*time*/, std::uint64_t /*events*/) override { return !thrown; }
  void printed(const engine::World& /*world*/, double time, code::ObjectRef /*object*/,
               std::string_view text) override {
    if (on_print && !thrown) thrown.keep([&] { on_print(time, text); });
  }
  bool wants_occurrences() const override { return true; }

  std::function<void(const Event&)> on_event;
  std::function<void(double, std::string_view)> on_print;
  api::Thrown thrown;

 private:
  std::unique_ptr<service::RunNames> names_;
  std::unique_ptr<service::LogEntries> entries_;
};

/// A function that is called at equal distances.
struct Sampling {
  double interval = 0;
  double start = 0;
  std::uint64_t count = 0;  ///< calls so far
  std::function<void(const Simulation&)> call;
  double next() const { return start + static_cast<double>(count) * interval; }
};

service::RunRequest request_of(const Options& options, const std::string& path) {
  service::RunRequest request;
  request.path = path;
  request.model = options.model;
  for (const auto& [name, value] : options.parameters) request.settings.push_back({name, value, {}});
  request.stop_time = options.stop_time;
  request.seed = options.seed;
  request.threads = std::max(1U, options.threads);
  request.keep_going = options.keep_going;
  request.start_values_file = options.start_values_file;
  request.allow_external = options.allow_external;
  request.external_folders = options.library_folders;
  request.solver.tolerance = options.tolerance;
  request.solver.step_size = options.step_size;
  if (!options.solver.empty()) request.solver.solver = options.solver;
  if (!options.events.empty()) request.solver.events = options.events;
  if (!options.zeno.empty()) request.solver.zeno = options.zeno;
  if (!options.jit.empty()) request.solver.jit = options.jit;
  return request;
}

}  // namespace

struct Simulation::Data {
  Data(const Model::Data& the_model, const Options& options) : sources(the_model.sources) { build(the_model, options); }

  void build(const Model::Data& the_model, const Options& options);
  engine::Run& run() { return loop->context(); }
  /// Objects come and go: names that are not known yet are looked for again.
  std::size_t index_of(std::string_view path);
  const service::RecordedColumn& column(std::size_t index);
  void update_columns();
  /// Steps up to a time, with the calls of samplings. False: the run has ended.
  bool advance(const Simulation& simulation, double time);
  /// One step of the loop.
  bool step(double hold);
  /// When the run has ended: closes it, and throws if it has failed.
  void close_at_end();
  engine::RunOutcome outcome();

  diag::Sources sources;
  Teller teller;
  service::RunReport report;
  service::PreparedRun prepared;
  diag::Sink sink;
  std::unique_ptr<engine::World> world;
  std::unique_ptr<engine::RunLoop> loop;
  std::vector<service::RecordedColumn> columns;  ///< a place in it stays that of its variable
  std::unordered_map<std::string, std::size_t> places;
  std::size_t updated_at = 0;  ///< objects of the world when the columns were found
  std::vector<Sampling> samplings;
  engine::RunOutcome final_outcome;  ///< when the run is closed
  bool is_closed = false;
  bool is_telling = false;   ///< a function of the program is being called with a held run
  bool is_stepping = false;  ///< functions that are called now see the middle of an instant
};

void Simulation::Data::build(const Model::Data& the_model, const Options& options) {
  const service::RunRequest request = request_of(options, the_model.path);
  if (const auto wrong = service::check_solver_words(request.solver)) api::raise(wrong->message);
  prepared.model = the_model.model;
  if (!service::choose_settings(request, service::Disk(), report, prepared)) {
    api::raise(report.failures, report.diagnostics, sources);
  }
  if (!options.functions.empty()) {
    prepared.external = api::make_libraries(options.functions, std::move(prepared.external), teller.thrown);
    prepared.build.external = prepared.external.get();
  }
  engine::BuildFailure failure;
  world = engine::build(*prepared.model, prepared.build, sink, failure);
  if (!world) {
    std::vector<std::string> failures;
    if (!failure.message.empty()) failures.push_back(failure.message);
    api::raise(failures, sink.diagnostics(), sources);
  }
  teller.attach(*world, sources);
  loop = std::make_unique<engine::RunLoop>(*world, prepared.options, &teller, sink, nullptr);
  loop->start();
  step(prepared.options.start_time);
  close_at_end();
}

bool Simulation::Data::step(double hold) {
  is_stepping = true;
  const bool goes_on = loop->step(hold);
  is_stepping = false;
  teller.thrown.go_on();
  return goes_on;
}

void Simulation::Data::close_at_end() {
  if (!loop->has_ended() || std::exchange(is_closed, true)) return;
  final_outcome = loop->finish();
  if (final_outcome.ending == engine::Ending::Failed) api::raise({}, sink.diagnostics(), sources);
}

engine::RunOutcome Simulation::Data::outcome() {
  if (is_closed) return final_outcome;
  const engine::RunOutcome before = run().outcome;
  engine::count_work(run());
  engine::RunOutcome now = std::exchange(run().outcome, before);
  now.ending = engine::Ending::Interrupted;
  now.time = run().now;
  return now;
}

void Simulation::Data::update_columns() {
  if (updated_at == world->objects.size() && !columns.empty()) return;
  updated_at = world->objects.size();
  for (service::RecordedColumn& column : service::all_columns(*world)) {
    const auto [entry, is_new] = places.try_emplace(column.name, columns.size());
    if (is_new) {
      columns.push_back(std::move(column));
    } else if (!world->is_alive(columns[entry->second].place.object)) {
      columns[entry->second] = std::move(column);  // another object has taken the name
    }
  }
}

std::size_t Simulation::Data::index_of(std::string_view path) {
  update_columns();
  if (const auto found = places.find(std::string(path)); found != places.end()) return found->second;
  std::vector<std::string_view> names;
  for (const service::RecordedColumn& column : columns) names.push_back(column.name);
  const auto near = base::nearest(path, names);
  api::raise("`" + report.model + "` has no variable `" + std::string(path) + "`" +
             (near ? "; did you mean `" + std::string(*near) + "`?" : ""));
}

const service::RecordedColumn& Simulation::Data::column(std::size_t index) {
  if (index >= columns.size()) api::raise("this hyla::Variable is of no simulation: get it with find()");
  return columns[index];
}

bool Simulation::Data::advance(const Simulation& simulation, double time) {
  if (std::isnan(time)) api::raise("time cannot pass to a number that is none");
  if (is_telling || is_stepping) api::raise("a function that is told of a run cannot let its time pass");
  while (!loop->has_ended()) {
    double hold = time;
    for (const Sampling& sampling : samplings) hold = std::min(hold, sampling.next());
    while (step(hold)) {
    }
    close_at_end();
    for (Sampling& sampling : samplings) {
      if (sampling.next() > run().now) continue;
      ++sampling.count;
      is_telling = true;
      teller.thrown.keep([&] { sampling.call(simulation); });
      is_telling = false;
      teller.thrown.go_on();
    }
    if (hold >= time) break;
  }
  return !loop->has_ended();
}

Simulation::Simulation(const Model& model, const Options& options)
    : data_(std::make_unique<Data>(*model.data_, options)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

double Simulation::time() const { return data_->run().now; }
double Simulation::stop_time() const { return data_->prepared.options.stop_time; }
bool Simulation::has_ended() const { return data_->loop->has_ended(); }

bool Simulation::run_to(double time) {
  if (time < this->time()) api::raise("time is " + base::format_number(this->time()) + " already");
  return data_->advance(*this, time);
}

void Simulation::run() { data_->advance(*this, kInfinity); }

bool Simulation::step() {
  if (data_->is_telling || data_->is_stepping) api::raise("a function that is told of a run cannot let its time pass");
  const std::uint64_t before = data_->run().outcome.instants;
  const auto is_on = [&] { return !has_ended() && data_->run().outcome.instants == before; };
  while (is_on()) {
    double hold = kInfinity;
    for (const Sampling& sampling : data_->samplings) hold = std::min(hold, sampling.next());
    data_->step(std::max(hold, time()));
    data_->close_at_end();
    if (is_on()) data_->advance(*this, time());  // what is sampled now
  }
  return !has_ended();
}

std::vector<VariableInfo> Simulation::variables() const {
  data_->update_columns();
  std::vector<VariableInfo> variables;
  for (const service::RecordedColumn& column : data_->columns) {
    variables.push_back({column.name, column.unit, static_cast<Role>(column.kind), column.is_real});
  }
  return variables;
}

Variable Simulation::find(std::string_view path) const { return Variable(data_->index_of(path)); }

double Simulation::get(Variable variable) const {
  const service::RecordedColumn& column = data_->column(variable.index_);
  if (!data_->world->is_alive(column.place.object)) return std::numeric_limits<double>::quiet_NaN();
  if (!data_->is_stepping) engine::bring_up_to_date(data_->run(), column.place.object);
  return service::value_of(*data_->world, column);
}

void Simulation::set(Variable variable, double value) {
  const service::RecordedColumn& column = data_->column(variable.index_);
  const std::string what = "`" + column.name + "` cannot be set: ";
  if (data_->is_telling || data_->is_stepping) api::raise(what + "a function that is told of a run cannot change it");
  if (has_ended()) api::raise(what + "the run has ended");
  if (column.kind == model::VariableKind::Constant || column.kind == model::VariableKind::Parameter) {
    api::raise(what + "it is fixed during a run; Options::parameters sets parameters");
  }
  if (!column.is_real && value != std::floor(value)) api::raise(what + base::format_number(value) + " is not whole");
  if (const std::string reason = engine::why_not_assigned(data_->run(), column.place); !reason.empty()) {
    api::raise(what + reason);
  }
  if (std::isnan(service::value_of(*data_->world, column))) api::raise(what + "it does not exist now");
  data_->loop->disturb();
  code::Slot slot(value);
  if (!column.is_real) slot = code::Slot(static_cast<std::int64_t>(value));
  engine::assign(data_->run(), column.place, slot);
  data_->step(time());
  data_->close_at_end();
}

std::string Simulation::state(std::string_view object_path) const {
  const std::string top = data_->world->path(data_->world->objects.front().self);
  const std::string wanted = object_path.empty() ? top : top + "." + std::string(object_path);
  for (const engine::Object& object : data_->world->objects) {
    if (!object.exists || data_->world->path(object.self) != wanted) continue;
    std::string text;
    for (const std::string& state : data_->world->active_states(object.self))
      text += (text.empty() ? "" : ", ") + state;
    return text;
  }
  api::raise("`" + data_->report.model + "` has no object `" + std::string(object_path) + "` now");
}

Summary Simulation::summary() const {
  const engine::RunOutcome outcome = data_->outcome();
  Summary summary;
  summary.ending = static_cast<Ending>(outcome.ending);
  summary.reason = outcome.reason;
  summary.time = outcome.time;
  summary.events = outcome.events;
  summary.instants = outcome.instants;
  summary.messages = outcome.messages;
  summary.violations = outcome.violations;
  summary.steps = outcome.continuous.steps;
  summary.rejected_steps = outcome.continuous.rejected;
  summary.evaluations = outcome.continuous.evaluations;
  summary.warnings = api::messages_of(data_->sink.diagnostics(), data_->sources);
  return summary;
}

void Simulation::on_event(std::function<void(const Event&)> call) { data_->teller.on_event = std::move(call); }

void Simulation::on_print(std::function<void(double, std::string_view)> call) {
  data_->teller.on_print = std::move(call);
}

void Simulation::on_sample(double interval, std::function<void(const Simulation&)> call) {
  if (!(interval > 0) || std::isinf(interval)) api::raise("the distance of samples must be positive and finite");
  Sampling& sampling = data_->samplings.emplace_back();
  sampling.interval = interval;
  sampling.start = time();
  sampling.call = std::move(call);
}

}  // namespace hyla
