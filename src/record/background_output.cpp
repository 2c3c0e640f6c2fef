#include "record/background_output.h"

#include <utility>

namespace hyla::record {

BackgroundOutput::BackgroundOutput(Output& target) : target_(target), thread_([this] { run(); }) {}

BackgroundOutput::~BackgroundOutput() { finish(); }

bool BackgroundOutput::write(std::string_view bytes) {
  if (failed_) return false;
  std::string piece(bytes);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting || failed_; });
  if (failed_) return false;
  waiting_.push_back(std::move(piece));
  changed_.notify_all();
  return true;
}

bool BackgroundOutput::finish() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  return !failed_;
}

void BackgroundOutput::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
    if (waiting_.empty()) return;
    const std::string piece = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    const bool written = target_.write(piece);
    lock.lock();
    if (written) continue;
    failed_ = true;
    waiting_.clear();
    changed_.notify_all();
    return;
  }
}

}  // namespace hyla::record
