#include "record/background_writer.h"

#include <utility>

namespace hyla::record {

BackgroundWriter::BackgroundWriter(ResultWriter& target, std::size_t series) : target_(target) {
  block_.width = series + 1;
  thread_ = std::thread([this] { run(); });
}

BackgroundWriter::~BackgroundWriter() { finish(); }

void BackgroundWriter::row(double time, std::span<const double> values) {
  if (block_.numbers.capacity() == 0) block_.numbers = fresh_numbers();
  block_.numbers.push_back(time);
  block_.numbers.insert(block_.numbers.end(), values.begin(), values.end());
  if (block_.numbers.size() >= kBlock) hand_on();
}

void BackgroundWriter::add_columns(std::vector<ResultColumn> columns) {
  hand_on();
  block_.width += columns.size();
  push(std::move(columns));
}

bool BackgroundWriter::write(std::string_view lines) {
  push(std::string(lines));
  return !failed_;
}

void BackgroundWriter::refresh() {
  if (refreshing_.exchange(true)) return;
  hand_on();
  push(Refresh());
}

/// Memory that a written block has left, if there is some: new pages cost the run more than filling them.
std::vector<double> BackgroundWriter::fresh_numbers() {
  std::vector<double> numbers;
  {
    const std::lock_guard lock(mutex_);
    if (!left_.empty()) {
      numbers = std::move(left_.back());
      left_.pop_back();
    }
  }
  numbers.reserve(kBlock + block_.width);
  return numbers;
}

void BackgroundWriter::hand_on() {
  if (block_.numbers.empty()) return;
  const std::size_t width = block_.width;
  push(std::exchange(block_, {}));
  block_.width = width;
}

void BackgroundWriter::push(Task task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return waiting_.size() < kMostWaiting || failed_; });
  if (failed_) return;
  waiting_.push_back(std::move(task));
  changed_.notify_all();
}

bool BackgroundWriter::finish() {
  if (!thread_.joinable()) return !failed_;
  hand_on();
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.join();
  return !failed_;
}

bool BackgroundWriter::do_task(const Task& task) {
  if (const auto* block = std::get_if<RowBlock>(&task)) return target_.add_rows(*block);
  if (const auto* columns = std::get_if<std::vector<ResultColumn>>(&task)) return target_.add_columns(*columns);
  if (const auto* lines = std::get_if<std::string>(&task)) return target_.add_events(*lines);
  const bool done = target_.refresh();
  refreshing_ = false;
  return done;
}

void BackgroundWriter::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !waiting_.empty() || ending_; });
    if (waiting_.empty()) {
      lock.unlock();
      if (!target_.finish()) failed_ = true;
      return;
    }
    Task task = std::move(waiting_.front());
    waiting_.pop_front();
    changed_.notify_all();
    lock.unlock();
    const bool done = do_task(task);
    lock.lock();
    if (auto* block = std::get_if<RowBlock>(&task)) {
      block->numbers.clear();
      left_.push_back(std::move(block->numbers));
    }
    if (done) continue;
    failed_ = true;
    waiting_.clear();
    changed_.notify_all();
    return;
  }
}

}  // namespace hyla::record
