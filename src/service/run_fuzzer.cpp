// Any text that passes the checker must build and run under limits without harm, and lose no box. Twice, with the
// order of simultaneous events fixed and drawn. Most bytes do not pass the checker, so inputs are also changed by lines
// and words, and random models, which are valid, are mixed in.

#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/text.h"
#include "service/box_references.h"
#include "service/random_models.h"
#include "service/run_testing.h"

namespace {

using namespace hyla;

/// Asks for everything and keeps nothing.
class Listener : public engine::Observer {
 public:
  void occurred(const engine::World& /*world*/, const engine::Occurrence& occurrence) override {
    last_ = occurrence.sequence;
  }
  bool progress(const engine::World& /*world*/, double /*time*/, std::uint64_t /*events*/) override { return true; }
  void printed(const engine::World& /*world*/, double /*time*/, code::ObjectRef /*object*/,
               std::string_view /*text*/) override {}
  bool wants_occurrences() const override { return true; }

 private:
  engine::Sequence last_ = 0;
};

void run(const service::CheckedText& text, bool random_order) {
  engine::BuildRequest request = text.request(1);
  request.limits = {200, 10000, 100000};
  diag::Sink sink;
  const std::unique_ptr<engine::World> world = text.build(request, sink);
  if (!world) return;
  engine::RunOptions options;
  options.stop_time = 10;
  options.step_limit = 200;
  options.queue_limit = 200;
  options.loop_limit = 100000;
  options.event_limit = 2000;
  options.keep_going = random_order;
  options.random_order = random_order;
  Listener listener;
  engine::run(*world, options, &listener, sink);
  const service::References references(*world);
  HYLA_CHECK(world->heap.live() == references.boxes(), "a box is lost");
  HYLA_CHECK(references.miscounted() == 0, "references are miscounted");
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (const std::string_view line : base::split_lines(text)) lines.emplace_back(line);
  return lines;
}

/// Places a line of a random model, moves, repeats or drops one of the text's own.
std::string change_lines(const std::string& text, service::Dice& dice) {
  std::vector<std::string> lines = lines_of(text);
  if (lines.empty()) return text;
  const auto place = [&] { return static_cast<std::ptrdiff_t>(dice.roll(static_cast<int>(lines.size()))); };
  const std::string line = lines[static_cast<std::size_t>(place())];
  switch (dice.roll(4)) {
    case 0:
      lines.erase(lines.begin() + place());
      break;
    case 1:
      lines.insert(lines.begin() + place(), line);
      break;
    case 2:
      std::swap(lines[static_cast<std::size_t>(place())], lines[static_cast<std::size_t>(place())]);
      break;
    default: {
      const std::uint64_t seed = static_cast<std::uint64_t>(dice.roll(1 << 20));
      lines.insert(lines.begin() + place(), dice.pick(lines_of(service::RandomModel(seed).text())));
    }
  }
  std::string result;
  for (const std::string& one : lines) result += one + "\n";
  return result;
}

/// Puts one word or number of the text in the place of another.
std::string change_word(const std::string& text, service::Dice& dice) {
  std::vector<std::pair<std::size_t, std::size_t>> words;  // place, length
  const auto is_part = [&](std::size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])) != 0; };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_part(end)) ++end;
    if (end > i) words.emplace_back(i, end - i);
    i = end + 1;
  }
  if (words.empty()) return text;
  const auto any = [&] { return words[static_cast<std::size_t>(dice.roll(static_cast<int>(words.size())))]; };
  const auto [from, from_length] = any();
  const auto [to, to_length] = any();
  const std::string word = dice.chance(20) ? dice.pick({"0", "1e300", "infinity", "9223372036854775807", "none"})
                                           : text.substr(from, from_length);
  return text.substr(0, to) + word + text.substr(to + to_length);
}

}  // namespace

/// Of libFuzzer; absent where a corpus is replayed.
extern "C" __attribute__((weak)) std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned int seed) {
  service::Dice dice(seed);
  const int way = dice.roll(100);
  if (way < 15 && LLVMFuzzerMutate != nullptr) return LLVMFuzzerMutate(data, size, most);
  const std::string text(data, data + size);
  std::string made = way < 20   ? service::RandomModel(seed).text()
                     : way < 60 ? change_word(text, dice)
                                : change_lines(text, dice);
  if (made.size() > most) made = text;
  std::memcpy(data, made.data(), made.size());
  return made.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const service::MemoryFiles files({{"model.hyla", std::string(data, data + size)}});
  const service::CheckedText text(files, "model.hyla");
  if (!text.good()) return 0;
  run(text, false);
  run(text, true);
  return 0;
}
