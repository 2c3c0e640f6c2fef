// A run that can be held: the loop of run.h in single steps, for whoever looks at the world and changes it on the way.
//
//     RunLoop loop(world, options, observer, sink, recorder);
//     if (loop.start()) while (loop.step(until)) {}
//     RunOutcome outcome = loop.finish();
//
// Holding a run changes nothing of it: islands are in mid-step then, and values are read from their interpolants.
#pragma once

#include <memory>

#include "engine/run.h"

namespace hyla::engine {

struct Run;

class RunLoop {
 public:
  /// All outlive the loop; `observer` and `recorder` may be null.
  RunLoop(World& world, const RunOptions& options, Observer* observer, diag::Sink& sink, Recorder* recorder);
  RunLoop(const RunLoop&) = delete;
  RunLoop& operator=(const RunLoop&) = delete;
  ~RunLoop();

  /// Enters all charts, or takes a checkpoint up. False: the checkpoint does not fit.
  bool start();
  /// Settles the next instant, the first one being that of the start, unless it lies beyond `hold`: then time has come
  /// to `hold`. False: there is nothing more up to `hold`, or the run has ended.
  bool step(double hold);
  bool has_ended() const;
  /// Somebody is about to change the world from outside: the present time becomes an instant, which the next step
  /// settles. Only while the run is held.
  void disturb();
  /// Closes the run where it is.
  RunOutcome finish();

  Run& context();

 private:
  struct State;
  void settle();

  std::unique_ptr<State> state_;
  bool is_good_ = true;
};

}  // namespace hyla::engine
