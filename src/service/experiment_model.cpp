#include "service/experiment_model.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "base/text.h"
#include "engine/build.h"
#include "service/experiment_files.h"
#include "service/experiment_source.h"
#include "service/gnuplot.h"
#include "service/load_experiment.h"
#include "service/modules.h"
#include "service/prepare_run.h"
#include "service/read_model.h"
#include "service/record_run.h"
#include "service/report_requirements.h"

namespace hyla::service {
namespace {

using experiment::Plan;

/// One experiment from its text to its end.
class Experimenter {
 public:
  Experimenter(const ExperimentRequest& request, FileSystem& files, const ExperimentWatcher& watcher)
      : request_(request), files_(files), watcher_(watcher), run_(request.run) {}

  ExperimentReport run() {
    if (prepare()) conduct();
    return std::move(report_);
  }

 private:
  bool fail(std::string reason) {
    report_.failures.push_back(std::move(reason));
    return false;
  }

  // --- reading

  bool prepare() {
    model_ = std::make_shared<model::Model>();
    if (!open_crew() || !read()) return false;
    if (request_.name.empty() && !request_.ad_hoc.is_given()) {
      list();
      return false;
    }
    return find() && choose() && plan() && open_outputs();
  }

  bool read() {
    if (!read_model(run_.path, run_.library_paths, files_, report_, *model_)) return false;
    if (!request_.ad_hoc.is_given()) return true;
    const model::ClassId of = find_class(run_.path, request_.ad_hoc.of, *model_, report_);
    if (!of) return false;
    const std::string text = ad_hoc_text(request_.ad_hoc, std::string(model_->name(model_->classes[of].name)));
    const ExtendedFiles extended(files_, run_.path, text);
    ModelReport again;
    *model_ = model::Model();
    const bool good = read_model(run_.path, run_.library_paths, extended, again, *model_);
    static_cast<ModelReport&>(report_) = std::move(again);
    return good;
  }

  void list() {
    for (const model::Experiment& one : model_->experiments) {
      const diag::Position position = report_.sources.position(one.span.file, one.span.begin);
      report_.listed.push_back({std::string(model_->name(one.name)),
                                std::string(model_->name(model_->classes[one.of].name)),
                                fmt::format("{}:{}", report_.sources.path(one.span.file), position.line)});
    }
    if (report_.listed.empty()) {
      fail(run_.path + " has no experiments; `--vary` and `--observe` make one from the command line");
    }
  }

  bool find() {
    const std::string name = request_.ad_hoc.is_given() ? kAdHocName : request_.name;
    std::vector<std::string_view> names;
    for (std::size_t i = 0; i < model_->experiments.size(); ++i) {
      const std::string_view known = model_->name(model_->experiments[model::ExperimentId(i)].name);
      if (known == name) id_ = model::ExperimentId(i);
      names.push_back(known);
    }
    if (!id_) {
      const auto near = base::nearest(name, names);
      return fail(fmt::format("there is no experiment `{}`{}", name,
                              near            ? fmt::format("; did you mean `{}`?", *near)
                              : names.empty() ? fmt::format(": {} has none", run_.path)
                                              : "; there are " + base::quoted_list(names)));
    }
    report_.name = name;
    return true;
  }

  // --- settings

  void add_messages_of(const diag::Sink& sink) { add_messages(sink, report_); }

  std::unique_ptr<engine::World> build(const engine::BuildRequest& request) {
    diag::Sink sink;
    engine::BuildFailure failure;
    auto world = engine::build(*model_, request, sink, failure);
    if (world) return world;
    add_messages_of(sink);
    if (!failure.message.empty()) fail(failure.message);
    return nullptr;
  }

  /// Values that the experiment sets come before those of the command line, so that these count.
  bool set_parameters(const model::Experiment& one) {
    std::vector<ParameterSetting> settings;
    std::unique_ptr<engine::World> world;
    for (const model::Argument& argument : one.parameters) {
      auto text = experiment::value_text(*model_, argument.value, nullptr);
      if (!text) {
        if (!world) {
          diag::Sink sink;
          engine::BuildFailure failure;
          engine::BuildRequest defaults;
          defaults.top = one.of;
          world = engine::build(*model_, defaults, sink, failure);
        }
        text = experiment::value_text(*model_, argument.value, world.get());
      }
      const std::string path = experiment::path_of(*model_, argument.target, report_.sources);
      if (!text) return fail(fmt::format("experiment `{}`: the value of `{}` cannot be computed", report_.name, path));
      settings.push_back({path, *text, ""});
    }
    settings.insert(settings.end(), run_.settings.begin(), run_.settings.end());
    run_.settings = std::move(settings);
    return true;
  }

  bool choose() {
    const model::Experiment one = model_->experiments[id_];
    if (!set_parameters(one)) return false;
    prepared_.model = model_;
    prepared_.build.top = one.of;
    prepared_.overlay.settings = one.settings;
    RunReport scratch;
    if (!choose_settings(run_, files_, scratch, prepared_)) {
      report_.failures = scratch.failures;
      return false;
    }
    report_.model = scratch.model;
    report_.seed = scratch.seed;
    report_.time_unit = scratch.time_unit;
    return true;
  }

  // --- plan

  bool plan() {
    const std::unique_ptr<engine::World> world = build(prepared_.build);
    if (!world) return false;
    experiment::PlanOptions options;
    options.replications = request_.replications;
    options.samples = request_.samples;
    options.max_replications = request_.max_replications;
    options.max_points = request_.max_points;
    options.sampling = request_.sampling;
    options.optimizer = request_.optimizer;
    options.seed = report_.seed;
    options.time_unit = report_.time_unit;
    diag::Sink sink;
    const auto load = [&](const std::string& file, const std::string& column) {
      const bool is_absolute = file.starts_with('/');
      return load_data(is_absolute ? file : folder_of(run_.path) + file, column, files_);
    };
    std::optional<Plan> made = experiment::make_plan(*model_, id_, *world, report_.sources, options, load, sink);
    add_messages_of(sink);
    if (!made) return false;
    report_.plan = std::move(*made);
    report_.checked_model = model_;
    return check_plan();
  }

  bool check_plan() {
    const Plan& plan = report_.plan;
    for (const experiment::Factor& factor : plan.factors) {
      for (const ParameterSetting& setting : request_.run.settings) {
        if (setting.path == factor.path) return fail(fmt::format("`{}` is set and varied: choose one", factor.path));
      }
    }
    if (plan.observed.empty()) {
      return fail(fmt::format("experiment `{}` observes nothing; write `observe peak = max(h);`", report_.name));
    }
    if (plan.objective && plan.factors.empty()) {
      return fail(fmt::format("experiment `{}` has an objective and varies nothing", report_.name));
    }
    if (!settings_follow_factors()) {
      if (const auto wrong = check_data(plan, prepared_.options, report_.time_unit)) return fail(wrong->message);
    }
    constexpr double kMostMembers = 1e8;
    double members = static_cast<double>(plan.samples) * static_cast<double>(plan.replications);
    for (const experiment::Factor& factor : plan.factors) {
      if (factor.kind == experiment::FactorKind::Values) members *= static_cast<double>(factor.values.size());
    }
    if (members > kMostMembers) return fail("the experiment has more than a hundred million runs");
    if (request_.parts > 0 && (plan.is_optimisation() || plan.enough)) {
      return fail(
          "--member divides runs that are known from the beginning; those of an optimisation or of `replicate … until` "
          "are not: use `mpirun`, or give a fixed number by --replications");
    }
    return !plan.is_optimisation() || find_optimizer();
  }

  bool settings_follow_factors() const {
    const Plan& plan = report_.plan;
    const bool sets = std::any_of(plan.factors.begin(), plan.factors.end(),
                                  [](const experiment::Factor& factor) { return factor.is_setting; });
    return sets || engine::settings_vary(*model_, prepared_.build.top, prepared_.overlay);
  }

  bool find_optimizer() {
    std::string why_not;
    optimizer_ = load_optimizer(why_not);
    if (!optimizer_) return fail(why_not);
    const std::vector<std::string> methods = optimizer_->methods();
    if (std::find(methods.begin(), methods.end(), report_.plan.optimizer) != methods.end()) return true;
    const std::vector<std::string_view> names(methods.begin(), methods.end());
    const auto near = base::nearest(report_.plan.optimizer, names);
    return fail(fmt::format(
        "there is no optimizer `{}`{}", report_.plan.optimizer,
        near ? fmt::format("; did you mean `{}`?", *near) : "; there are " + base::quoted_list(names, methods.size())));
  }

  /// Members whose settings follow what is varied get options of their own.
  void set_up() {
    setup_.build = prepared_.build;
    setup_.options = prepared_.options;
    if (!settings_follow_factors()) return;
    setup_.adapt = [this](const experiment::Member& member, const engine::BuildRequest& build,
                          engine::RunOptions& options) { return adapt(member, build, options); };
  }

  std::string adapt(const experiment::Member& member, const engine::BuildRequest& build,
                    engine::RunOptions& options) const {
    RunRequest request = run_;
    request.settings.clear();
    request.solver.jit = "off";
    for (const engine::Assignment& one : build.assignments) request.settings.push_back({one.path, one.value, ""});
    PreparedRun own;
    own.model = model_;
    own.build.top = build.top;
    own.overlay = prepared_.overlay;
    for (std::size_t i = 0; i < report_.plan.factors.size(); ++i) {
      const experiment::Factor& factor = report_.plan.factors[i];
      if (factor.is_setting) own.overlay.values.emplace_back(factor.path, member.point[i].text);
    }
    RunReport scratch;
    if (!choose_settings(request, files_, scratch, own)) {
      return scratch.failures.empty() ? "its settings make no sense" : scratch.failures.front();
    }
    own.options.continuous.jit = options.continuous.jit;
    own.options.continuous.native = options.continuous.native;
    options = own.options;
    return "";
  }

  // --- doing it

  bool open_crew() {
    if (!is_in_crew()) return true;
    std::string why_not;
    crew_ = load_crew(why_not);
    if (!crew_) return fail(why_not);
    report_.processes = crew_->size();
    report_.is_quiet = crew_->rank() != 0;
    return true;
  }

  bool open_outputs() {
    if (!request_.table_file.empty() && !is_table_name(request_.table_file)) {
      return fail("--output: the name must end with .csv, .h5 or .mat, not `" + request_.table_file + "`");
    }
    if (!request_.plot_file.empty()) {
      if (const auto wrong = check_picture("--plot", request_.plot_file, plot_format_)) return fail(wrong->message);
    }
    for (const std::string& path : {request_.table_file, request_.plot_file, request_.journal_file}) {
      if (!path.empty() && is_source(report_.sources, path)) {
        return fail("cannot write `" + path + "`: it is a file of the model");
      }
    }
    return true;
  }

  std::string fingerprint() const {
    std::string text;
    for (std::size_t i = 0; i < report_.sources.size(); ++i) text += report_.sources.text(diag::FileId(i));
    for (const ParameterSetting& one : run_.settings) text += '\n' + one.path + '=' + one.value;
    const engine::ContinuousOptions& continuous = prepared_.options.continuous;
    for (const double number :
         {prepared_.options.start_time, prepared_.options.stop_time, continuous.relative_tolerance,
          continuous.absolute_tolerance, continuous.fixed_step, continuous.gamma}) {
      text += '\n' + base::format_number(number);
    }
    text += fmt::format("\n{} {} {} {} {}", report_.seed, static_cast<int>(continuous.method),
                        static_cast<int>(continuous.zeno), continuous.one_sided, prepared_.options.random_order);
    const Plan& plan = report_.plan;
    for (const experiment::DataColumn& data : plan.data) {
      for (const double value : data.values) text += base::format_number(value) + ' ';
    }
    text += fmt::format("\n{} {} {}", plan.samples, static_cast<int>(plan.sampling), plan.optimizer);
    return experiment::hash_text(text);
  }

  bool load_known(const std::string& journal, const std::string& print, experiment::Results& known) {
    std::vector<std::string> paths = request_.merged_files;
    if (request_.resume) {
      if (request_.merged_files.empty() && !files_.is_file(journal)) {
        return fail("there is no " + journal + " to go on from");
      }
      paths.push_back(journal);
    }
    for (const std::string& path : paths) {
      const auto damaged = load_journal(path, files_, {report_.name, print, run_.coverage}, known);
      if (!damaged.ok()) return fail(damaged.message());
    }
    report_.reused = known.size();
    return true;
  }

  void conduct() {
    set_up();
    const std::string part = request_.parts > 0 ? fmt::format(".{}of{}", request_.part, request_.parts) : "";
    const std::string journal_path =
        request_.journal_file.empty() ? report_.name + part + ".journal" : request_.journal_file;
    const std::string print = fingerprint();
    experiment::Results known;
    if (!load_known(journal_path, print, known)) return;
    const bool is_first = !crew_ || crew_->rank() == 0;
    const bool merges = !request_.merged_files.empty();
    JournalFile journal(is_first && !merges ? journal_path : "", !request_.journal_file.empty() || request_.parts > 0,
                        experiment::journal_header(report_.name, print), known);
    experiment::TeamOptions options;
    options.threads = report_.threads = std::max(1U, run_.threads);
    options.crew = crew_.get();
    if (request_.parts > 0) {
      options.parts = request_.parts;
      options.part = request_.part - 1;
    }
    if (merges) options.part = options.parts = UINT64_MAX;  // none is run
    const auto begin = std::chrono::steady_clock::now();
    experiment::Team team(report_.plan, setup_, options, watch(journal), std::move(known));
    report_.conclusion = experiment::conduct(report_.plan, setup_, team, optimizer_.get());
    report_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    report_.has_run = true;
    report_.is_part = request_.parts > 0;
    report_.was_interrupted = team.is_ending();
    finish(journal, team.is_ending());
  }

  experiment::TeamWatch watch(JournalFile& journal) {
    experiment::TeamWatch watch;
    watch.progress = [this](const experiment::TeamProgress& now) {
      if (!watcher_.progress) return true;
      ExperimentProgress progress;
      progress.finished = now.finished;
      progress.known = std::max(now.known, report_.plan.member_count());
      progress.failed = now.failed;
      progress.is_open = report_.plan.is_optimisation() || static_cast<bool>(report_.plan.enough);
      const double all = static_cast<double>(std::max<std::uint64_t>(1, progress.known));
      progress.part = std::min(1.0, (static_cast<double>(now.finished) + now.running) / all);
      return watcher_.progress(progress);
    };
    watch.finished = [&journal](const std::string& key, const experiment::MemberResult& result) {
      journal.add(key, result);
    };
    watch.told = [this](const experiment::Member& member, const diag::Sink& sink) { tell(member, sink); };
    return watch;
  }

  std::string describe(const experiment::Member& member) const {
    std::string text;
    for (std::size_t i = 0; i < member.point.size(); ++i) {
      text += (i > 0 ? ", " : "") + report_.plan.factors[i].path + " = " + member.point[i].text;
    }
    if (report_.plan.replications > 1 || text.empty()) {
      text += (text.empty() ? "" : ", ") + fmt::format("replication {}", member.replication + 1);
    }
    return text;
  }

  /// One kind at one place is told once.
  void tell(const experiment::Member& member, const diag::Sink& sink) {
    for (diag::Diagnostic diagnostic : sink.diagnostics()) {
      const diag::Span& span = diagnostic.span;
      if (!told_.emplace(diagnostic.kind, span.file.index, span.begin).second) continue;
      diagnostic.hints.push_back("first with " + describe(member));
      ++(diagnostic.severity() == diag::Severity::Error ? report_.counts.errors : report_.counts.warnings);
      report_.diagnostics.push_back(std::move(diagnostic));
    }
  }

  void finish(JournalFile& journal, bool was_interrupted) {
    if (run_.coverage) {
      const auto coverage = experiment::sum_up_coverage(*model_, report_.conclusion);
      if (!coverage) fail("the coverage in a journal does not fit the model");
      if (coverage) report_.coverage = coverage_of(*model_, report_.sources, *coverage);
    }
    for (const experiment::Group& group : report_.conclusion.groups) {
      report_.members += group.members.size() - group.missing;
      report_.failed += group.failed;
      for (const experiment::MemberResult& result : group.results) report_.processor_seconds += result.seconds;
    }
    journal.finish(!was_interrupted);
    if (journal.is_left()) report_.journal_file = journal.path();
    if (!journal.failure().empty()) fail(journal.failure());
    if (report_.is_quiet) return;
    if (!request_.table_file.empty()) {
      if (const auto wrong = write_experiment(report_, request_.table_file, files_)) fail(wrong->message);
    }
    if (!request_.plot_file.empty()) {
      const std::string script = experiment_plot(report_, plot_format_);
      if (const auto wrong = run_gnuplot(script, request_.plot_file)) fail(wrong->message);
    }
  }

  const ExperimentRequest& request_;
  FileSystem& files_;
  const ExperimentWatcher& watcher_;
  RunRequest run_;
  ExperimentReport report_;
  std::shared_ptr<model::Model> model_;
  model::ExperimentId id_;
  PreparedRun prepared_;
  experiment::MemberSetup setup_;
  std::unique_ptr<experiment::Optimizer> optimizer_;
  std::unique_ptr<experiment::Crew> crew_;
  record::PlotFormat plot_format_{};
  std::set<std::tuple<diag::Kind, std::uint32_t, std::uint32_t>> told_;
};

}  // namespace

bool ExperimentReport::has_failed() const {
  if (counts.errors > 0 || failed > 0) return true;
  if (!has_run) return false;
  if (is_part) return was_interrupted;
  if (!conclusion.is_complete || !conclusion.has_converged) return true;
  if (plan.objective) return !conclusion.best;
  return std::any_of(conclusion.groups.begin(), conclusion.groups.end(), [](const experiment::Group& group) {
    return !group.is_enough ||
           std::any_of(group.violations.begin(), group.violations.end(), [](std::uint64_t count) { return count > 0; });
  });
}

ExperimentReport run_experiment(const ExperimentRequest& request, FileSystem& files, const ExperimentWatcher& watcher) {
  return Experimenter(request, files, watcher).run();
}

}  // namespace hyla::service
