// Has native code made on a second thread.
//
// Requests wait in a queue. Equal requests share one piece of code, found by its content. Code that nobody holds any
// more is kept for a while, because a model comes back to its configurations; of such code at most kMostIdle pieces are
// in memory, and the one given back first goes first.
//
// The backend is loaded by the second thread when the first request comes: loading takes tens of milliseconds, which
// the run does not wait for.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "code/evaluator.h"

namespace hyla::code {

class BackgroundCompiler : public NativeCompiler {
 public:
  static constexpr std::size_t kMostIdle = 64;
  /// Null with a reason if there is no backend.
  using Load = std::function<std::unique_ptr<NativeBackend>(std::string& why_not)>;

  /// `load` is called once, on the second thread.
  explicit BackgroundCompiler(Load load);
  /// Drops what waits; ends what is being compiled soon.
  ~BackgroundCompiler() override;

  Ticket compile(const Code& code) override;
  Ticket compile(const Tape& tape, Steps steps) override;
  void release(Ticket ticket) override;
  void wait() override;
  std::string trouble() const override;
  NativeStatistics statistics() const override;

 private:
  struct Entry;
  enum class Stage { Waiting, Compiling, Done };

  template <typename Source>
  Ticket ask(const Source& source);
  void run();
  void compile_next(std::unique_lock<std::mutex>& lock);
  void free_next(std::unique_lock<std::mutex>& lock);
  void load_backend(std::unique_lock<std::mutex>& lock);
  void trim_idle();
  void forget(Entry& entry);

  Load load_;
  std::unique_ptr<NativeBackend> backend_;  ///< used by the second thread alone
  std::atomic<bool> cancelled_ = false;

  mutable std::mutex mutex_;  ///< guards what follows
  std::condition_variable changed_;
  std::unordered_map<std::string, std::unique_ptr<Entry>> entries_;  ///< by content
  std::deque<Entry*> waiting_;
  std::list<Entry*> idle_;  ///< done, held by nobody; given back first stands first
  std::vector<Kernel> to_free_;
  NativeStatistics statistics_;
  std::string trouble_;
  bool loaded_ = false, busy_ = false, ending_ = false;
  std::thread thread_;
};

}  // namespace hyla::code
