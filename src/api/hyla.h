// Hyla as a C++ library: load a model, run it as a whole or in steps, look at it and change it on the way.
//
//     const hyla::Model model = hyla::Model::load("tank.hyla");
//     hyla::Simulation tank(model, {.parameters = {{"area", "2"}}});
//     const hyla::Variable level = tank.find("level");
//     while (tank.run_to(tank.time() + 1)) std::cout << tank.time() << ' ' << tank.get(level) << '\n';
//
// What cannot be done throws hyla::Error, whose text is that of the command `hyla`. Objects know nothing of each other:
// any number of simulations can live in one program and in one thread, also of one model. One simulation is used by
// one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#if defined(__GNUC__)
#define HYLA_API __attribute__((visibility("default")))
#else
#define HYLA_API
#endif

namespace hyla {

/// A message about a model or a run.
struct Message {
  bool is_error = true;  ///< else a warning
  std::string kind;      ///< such as `unknown-name`; `hyla explain KIND` tells more
  std::string text;      ///< what is wrong, in one or several lines
  std::string file;      ///< empty if it has no place
  std::size_t line = 0, column = 0;
};

class HYLA_API Error : public std::runtime_error {
 public:
  Error(const std::string& text, std::vector<Message> messages)
      : std::runtime_error(text), messages_(std::move(messages)) {}
  /// The single messages behind the text; none for mistakes in calls.
  const std::vector<Message>& messages() const { return messages_; }

 private:
  std::vector<Message> messages_;
};

/// The version of the library, such as `0.1.0`.
HYLA_API std::string version();

/// A file with models that has been read and checked. Copies share it.
class HYLA_API Model {
 public:
  /// `library_paths` are folders in which imported modules are looked for, behind the standard library and the file's
  /// own folder.
  static Model load(const std::string& path, const std::vector<std::string>& library_paths = {});
  /// The same from a text; `name` stands in messages.
  static Model from_text(const std::string& text, const std::string& name = "model.hyla");

  /// Warnings of the check.
  const std::vector<Message>& warnings() const;

  struct Data;

 private:
  friend class Simulation;
  explicit Model(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

/// A function of the program that a model calls: `external function f(x: Real, n: Integer) -> Real = "host:f";` with
/// the name `host:f`. Its parameters are numbers, its result is one.
using Function = std::function<double(std::span<const double> arguments)>;

/// How a model is run. What is not given is taken from the model's `section Simulation`, or is the default of the
/// command `hyla run`, whose options have the same names.
struct Options {
  std::string model = {};  ///< empty: the one that no other uses
  std::map<std::string, std::string> parameters =
      {};  ///< by path, such as `plant.valve[2].travel`; values as in a model
  std::optional<double> stop_time = {};
  std::optional<double> tolerance = {};
  std::optional<double> step_size = {};
  std::string solver = {};  ///< `auto`, `rk45`, …
  std::string events = {};  ///< `isolate` or `one_sided`
  std::string zeno = {};    ///< `stop`, `slide` or `continue`
  std::string jit = {};     ///< `auto`, `on` or `off`
  std::optional<std::uint64_t> seed = {};
  unsigned threads = 1;
  bool keep_going = false;                        ///< a violated requirement does not end the run
  std::string start_values_file = {};             ///< what `hyla init --save` has written
  bool allow_external = false;                    ///< functions of shared libraries may be called
  std::vector<std::string> library_folders = {};  ///< where they are looked for
  std::map<std::string, Function> functions = {};
};

enum class Role : std::uint8_t { Constant, Parameter, Input, Output, Variable, Discrete };

struct VariableInfo {
  std::string path;
  std::string unit;  ///< empty for a bare number and where none is known
  Role role{};
  bool is_real = true;  ///< else Integer, Boolean (0 or 1) or an enumeration (the place of the value, from 0)
};

/// A variable of one simulation, found by its path once and used often.
class Variable {
 public:
  Variable() = default;

 private:
  friend class Simulation;
  explicit Variable(std::size_t index) : index_(index) {}
  std::size_t index_ = SIZE_MAX;
};

/// Something that has happened, as in an events file; views hold during the call only, and are empty where they make no
/// sense.
struct Event {
  std::uint64_t number = 0;
  std::uint64_t cause = 0;  ///< number of the event that led to it; 0: none
  double time = 0;
  std::string_view kind;    ///< `transition`, `reaction`, `message`, …
  std::string_view object;  ///< path
  std::string_view chart, from, to;
  std::string_view reaction, message, process, text;
};

enum class Ending : std::uint8_t { StopTime, Exhausted, Terminated, Requirement, EventLimit, Interrupted, Failed };

struct Summary {
  Ending ending{};
  std::string reason;  ///< of Terminated
  double time = 0;     ///< the last good time
  std::uint64_t events = 0, instants = 0, messages = 0, violations = 0;
  std::uint64_t steps = 0, rejected_steps = 0, evaluations = 0;  ///< of the integrators
  std::vector<Message> warnings;
};

class HYLA_API Simulation {
 public:
  /// Builds the objects, enters their charts and finds start values: time() is the start time then.
  explicit Simulation(const Model& model, const Options& options = {});
  Simulation(Simulation&&) noexcept;
  Simulation& operator=(Simulation&&) noexcept;
  ~Simulation();

  // --- time

  double time() const;
  double stop_time() const;
  /// Lets time pass up to and including `time`, with everything that happens on the way. False: the run has ended, at
  /// this time or before.
  bool run_to(double time);
  /// To the next instant at which something happens. False: there was none, and the run has ended.
  bool step();
  /// To the end.
  void run();
  bool has_ended() const;
  /// How the run has gone so far, or has ended.
  Summary summary() const;

  // --- values

  /// All that can be read, in the order of objects and their members; those of objects made by the run as well.
  std::vector<VariableInfo> variables() const;
  Variable find(std::string_view path) const;
  /// NaN while the variable does not exist: its object has gone, or its state is not active.
  double get(Variable variable) const;
  double get(std::string_view path) const { return get(find(path)); }
  /// Changes a variable at the present time, as an action would; what depends on it follows at once. Variables that a
  /// formula or an algebraic equation defines cannot be set, nor can parameters and constants.
  void set(Variable variable, double value);
  void set(std::string_view path, double value) { set(find(path), value); }
  /// The active states of an object's charts, such as `On.Green`, with a comma between those of orthogonal charts.
  std::string state(std::string_view object_path = "") const;

  // --- being told; the functions must not change the simulation

  void on_event(std::function<void(const Event&)> call);
  /// What actions print.
  void on_print(std::function<void(double time, std::string_view text)> call);
  /// At the start time, and then at this distance, while time passes.
  void on_sample(double interval, std::function<void(const Simulation&)> call);

 private:
  struct Data;
  std::unique_ptr<Data> data_;
};

}  // namespace hyla
