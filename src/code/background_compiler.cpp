#include "code/background_compiler.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>
#include <variant>

#include "base/check.h"

namespace hyla::code {

namespace {

template <typename Number>
void add_number(std::string& key, Number number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  key.append(bytes, sizeof number);
}

void add_instructions(std::string& key, const std::vector<TapeInstruction>& instructions) {
  key.reserve(key.size() + instructions.size() * (1 + 4 * sizeof(std::uint32_t)));
  for (const TapeInstruction& instruction : instructions) {
    add_number(key, instruction.op);
    for (const std::uint32_t place : {instruction.out, instruction.a, instruction.b, instruction.c}) {
      add_number(key, place);
    }
  }
}

struct EvenTape {
  Tape tape;
  std::vector<std::uint32_t> steps;
};

// Two keys are equal exactly if the sources are, bits of constants included.
std::string content(const Code& code) {
  std::string key = "code";
  add_instructions(key, code.instructions);
  return key;
}

std::string content(const EvenTape& source) {
  const Tape& tape = source.tape;
  std::string key = "tape";
  for (const std::size_t size :
       {tape.constants.size(), tape.outputs.size(), tape.instructions.size(), source.steps.size()}) {
    add_number(key, size);
  }
  add_number(key, tape.inputs);
  add_number(key, tape.registers);
  for (const double constant : tape.constants) add_number(key, constant);
  for (const std::uint32_t output : tape.outputs) add_number(key, output);
  for (const std::uint32_t step : source.steps) add_number(key, step);
  add_instructions(key, tape.instructions);
  return key;
}

}  // namespace

struct BackgroundCompiler::Entry : NativeUnit {
  std::variant<std::monostate, Code, EvenTape> source;  ///< until it is compiled
  const std::string* key = nullptr;                     ///< of the table
  std::size_t holders = 0;
  Stage stage = Stage::Waiting;
};

BackgroundCompiler::BackgroundCompiler(Load load) : load_(std::move(load)) {}

BackgroundCompiler::~BackgroundCompiler() {
  cancelled_ = true;
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
}

NativeCompiler::Ticket BackgroundCompiler::compile(const Code& code) { return ask(code); }

NativeCompiler::Ticket BackgroundCompiler::compile(const Tape& tape, Steps steps) {
  return ask(EvenTape{tape, {steps.begin(), steps.end()}});
}

template <typename Source>
NativeCompiler::Ticket BackgroundCompiler::ask(const Source& source) {
  std::string key = content(source);
  const std::lock_guard lock(mutex_);
  ++statistics_.asked;
  const auto [found, is_new] = entries_.try_emplace(std::move(key));
  if (is_new) {
    found->second = std::make_unique<Entry>();
    found->second->source = source;
    found->second->key = &found->first;
    waiting_.push_back(found->second.get());
    if (!thread_.joinable()) thread_ = std::thread([this] { run(); });
    changed_.notify_all();
  }
  Entry& entry = *found->second;
  if (entry.holders == 0 && entry.stage == Stage::Done) std::erase(idle_, &entry);
  ++entry.holders;
  return &entry;
}

void BackgroundCompiler::release(Ticket ticket) {
  // Every ticket was made from an entry by `ask`.
  auto& entry = const_cast<Entry&>(static_cast<const Entry&>(*ticket));
  const std::lock_guard lock(mutex_);
  HYLA_CHECK(entry.holders > 0, "every ticket is given back once");
  if (--entry.holders > 0) return;
  if (entry.stage == Stage::Waiting) {
    std::erase(waiting_, &entry);
    forget(entry);
  } else if (entry.stage == Stage::Done) {
    idle_.push_back(&entry);
    trim_idle();
  }  // What is being compiled becomes idle when it is done.
  changed_.notify_all();
}

void BackgroundCompiler::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.empty() && to_free_.empty() && !busy_; });
}

std::string BackgroundCompiler::trouble() const {
  const std::lock_guard lock(mutex_);
  return trouble_;
}

NativeStatistics BackgroundCompiler::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

// --- the second thread
// ------------------------------------------------------------------------------------------------

void BackgroundCompiler::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ending_ || !waiting_.empty() || !to_free_.empty(); });
    if (ending_) return;
    busy_ = true;
    const auto start = std::chrono::steady_clock::now();
    if (!to_free_.empty()) {
      free_next(lock);
    } else {
      compile_next(lock);
    }
    statistics_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    busy_ = false;
    changed_.notify_all();
  }
}

void BackgroundCompiler::compile_next(std::unique_lock<std::mutex>& lock) {
  Entry& entry = *waiting_.front();
  waiting_.pop_front();
  entry.stage = Stage::Compiling;  // From here on the entry stays where it is until this thread is done with it.
  load_backend(lock);
  lock.unlock();
  Kernel kernel = nullptr;
  std::string why_not;
  if (backend_) {
    if (const auto* even = std::get_if<EvenTape>(&entry.source)) {
      kernel = backend_->compile(even->tape, even->steps, cancelled_, why_not);
    } else {
      kernel = backend_->compile(std::get<Code>(entry.source), cancelled_, why_not);
    }
  }
  entry.source = std::monostate{};
  entry.kernel.store(kernel, std::memory_order_release);
  lock.lock();
  entry.stage = Stage::Done;
  ++(kernel ? statistics_.compiled : statistics_.failed);
  if (kernel) ++statistics_.held;
  if (!why_not.empty()) trouble_ = std::move(why_not);
  if (entry.holders == 0) idle_.push_back(&entry);
  trim_idle();
}

void BackgroundCompiler::load_backend(std::unique_lock<std::mutex>& lock) {
  if (loaded_) return;
  loaded_ = true;
  lock.unlock();
  std::string why_not;
  backend_ = load_(why_not);
  lock.lock();
  if (!backend_) trouble_ = std::move(why_not);
}

void BackgroundCompiler::free_next(std::unique_lock<std::mutex>& lock) {
  const Kernel kernel = to_free_.back();
  to_free_.pop_back();
  --statistics_.held;
  lock.unlock();
  backend_->release(kernel);
  lock.lock();
}

void BackgroundCompiler::trim_idle() {
  while (idle_.size() > kMostIdle) {
    Entry& oldest = *idle_.front();
    idle_.pop_front();
    if (const Kernel kernel = oldest.kernel.load()) to_free_.push_back(kernel);
    forget(oldest);
  }
}

void BackgroundCompiler::forget(Entry& entry) { entries_.erase(entries_.find(*entry.key)); }

}  // namespace hyla::code
