#include "service/checkpoint_file.h"

#include <utility>

#include "base/archive.h"
#include "service/output_file.h"
#include "service/record_run.h"
#include "service/summary.h"

namespace hyla::service {
namespace {

constexpr std::string_view kMagic = "HYLACKPT";
constexpr std::uint32_t kVersion = 2;

/// FNV-1a.
std::uint64_t hash(std::string_view bytes, std::uint64_t value = 14695981039346656037U) {
  for (const char byte : bytes) {
    value ^= static_cast<unsigned char>(byte);
    value *= 1099511628211U;
  }
  return value;
}

}  // namespace

std::string seal_checkpoint(std::uint64_t identity, const std::string& content) {
  base::Archive archive;
  std::uint32_t version = kVersion;
  std::uint64_t checksum = hash(content);
  std::string rest = content;
  archive(version, identity, checksum, rest);
  return std::string(kMagic) + archive.bytes();
}

base::Result<std::string> open_checkpoint(std::string_view bytes, std::uint64_t identity) {
  if (!bytes.starts_with(kMagic)) return base::Failure{"it is no checkpoint"};
  base::Archive archive(bytes.substr(kMagic.size()));
  std::uint32_t version = 0;
  std::uint64_t owner = 0, checksum = 0;
  archive(version);
  if (!archive.failed() && version != kVersion) {
    return base::Failure{"it was written by another version of hyla"};
  }
  std::string content;
  archive(owner, checksum, content);
  if (!archive.at_end() || hash(content) != checksum) return base::Failure{"the file is damaged or cut off"};
  if (owner != identity) {
    return base::Failure{
        "it belongs to another run: the text of the model, parameters, seed, stop time, solver and limits must be "
        "those with which it was written"};
  }
  return content;
}

CheckpointFile::CheckpointFile(const RunRequest& request, const std::string& options, RunReport& report)
    : request_(request),
      report_(report),
      identity_(hash(options)),
      is_wanted_(request.checkpoint_time || !request.resume_file.empty()) {
  for (std::size_t i = 0; i < report.sources.size(); ++i) {
    identity_ = hash(report.sources.text(diag::FileId(i)), hash("\n", identity_));
  }
}

bool CheckpointFile::refuse(const std::string& reason) {
  report_.failures.push_back(reason);
  return false;
}

bool CheckpointFile::misfits() {
  return refuse("--resume: cannot go on from `" + request_.resume_file + "`: its content does not fit the model");
}

bool CheckpointFile::open(const FileSystem& files) {
  if (request_.checkpoint_time) {
    const double at = *request_.checkpoint_time;
    if (!(at >= report_.start_time && at < report_.stop_time)) {
      return refuse("--checkpoint-at: the time must lie in the run, from " + short_number(report_.start_time) +
                    " to before " + short_number(report_.stop_time));
    }
    if (is_source(report_.sources, request_.checkpoint_file)) {
      return refuse("--checkpoint-at: cannot write to `" + request_.checkpoint_file + "`: it is a file of the model");
    }
    checkpointing_.at = at;
  }
  if (request_.resume_file.empty()) return true;
  const base::Result<std::string> bytes = files.read(request_.resume_file);
  if (!bytes.ok()) return refuse("--resume: " + bytes.message());
  base::Result<std::string> content = open_checkpoint(bytes.value(), identity_);
  if (!content.ok()) return refuse("--resume: cannot go on from `" + request_.resume_file + "`: " + content.message());
  checkpointing_.resume = std::move(content).value();
  base::Archive archive(checkpointing_.resume);
  double time = 0;
  archive(time);
  if (archive.failed()) return misfits();
  if (request_.checkpoint_time && !(*request_.checkpoint_time > time)) {
    return refuse("--checkpoint-at: the run goes on behind t = " + short_number(time) + ", so the time must be later");
  }
  return true;
}

bool CheckpointFile::finish() {
  if (!checkpointing_.fits) return misfits();
  if (!request_.checkpoint_time) return true;
  if (checkpointing_.taken.empty()) {
    const std::string& obstacle = checkpointing_.obstacle;
    refuse("--checkpoint-at: there is no checkpoint, for " +
           (obstacle.empty() ? "the run has ended before" : obstacle));
    return true;
  }
  OutputFile file;
  auto failure = file.open(request_.checkpoint_file);
  if (!failure) {
    file.write(seal_checkpoint(identity_, checkpointing_.taken));
    failure = file.close();
  }
  if (failure) refuse("--checkpoint-at: " + failure->message);
  return true;
}

}  // namespace hyla::service
