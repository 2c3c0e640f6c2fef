// build(): settings, objects, connections; and what all parts of the builder use.
#include "engine/build.h"

#include <algorithm>
#include <cstring>

#include <fmt/core.h>

#include "engine/assignments.h"
#include "engine/builder.h"
#include "engine/compiled_model.h"
#include "engine/gather.h"
#include "engine/populations.h"

namespace hyla::engine {

bool BuildHost::refuse() {
  machine->fail("this cannot be done while objects are being made");
  return false;
}
bool BuildHost::draw(ObjectRef, std::uint32_t, model::Builtin, std::span<const Slot>, Slot&) { return refuse(); }
bool BuildHost::send(ObjectRef, const Sending& sending, std::int64_t&) {
  if (world_) world_->heap.release(sending.message);
  return refuse();
}
std::int64_t BuildHost::mailbox_size(std::uint32_t mailbox) {
  return world_ ? static_cast<std::int64_t>(world_->mailboxes[mailbox].messages.size()) : 0;
}
Box* BuildHost::mailbox_at(std::uint32_t mailbox, std::int64_t place) {
  return world_ ? world_->mailboxes[mailbox].messages[static_cast<std::size_t>(place)] : nullptr;
}
std::int64_t BuildHost::population_size(std::uint32_t population) {
  return world_ ? static_cast<std::int64_t>(world_->populations[population].size) : 0;
}
ObjectRef BuildHost::population_at(std::uint32_t population, std::int64_t place) {
  if (!world_) return {};
  return member_at(world_->populations[population], static_cast<std::size_t>(place), *world_);
}
bool BuildHost::mailbox_put(std::uint32_t, Box*) { return refuse(); }
bool BuildHost::start(ObjectRef, std::uint32_t, std::span<const Slot>, std::int64_t&) { return refuse(); }
bool BuildHost::observe(std::uint32_t, double) { return refuse(); }

Builder::Builder(World& world)
    : world_(world),
      model_(world.model),
      host_(world),
      machine_(world.model, world.functions, world.heap, host_),
      programs_(world.compiled->plan_texts),
      priorities_(world.model),
      recipes_(world.compiled->recipes),
      bodies_(world.compiled->bodies),
      free_numbers_(world.model.classes.size()) {
  host_.machine = &machine_;
}

Builder::~Builder() { release(settings_); }

bool Builder::build(const BuildRequest& request, diag::Sink& sink, BuildFailure& failure) {
  sink_ = &sink;
  complaint_.clear();
  const bool built = build_world(request);
  failure.message = complaint_;
  sink_ = nullptr;
  return built;
}

bool Builder::build_world(const BuildRequest& request) {
  const std::size_t errors = sink_->error_count();
  limits_ = request.limits;
  world_.starts->notes_arguments = request.notes_arguments;
  machine_.most_turns = limits_.loop_turns;
  if (!read_assignments(world_, request.top, request.assignments, settings_, complaint_)) return false;
  std::vector<Given> given;
  for (Override& setting : settings_) given.push_back({&setting, 0});
  ObjectRef top;
  bool made = make_object(request.top, {}, {}, -1, given, top) && connect_all() && make_selections();
  if (made) prepare_classes();
  made = made && evaluate_guesses() && choose_starts(world_, request.starts, complaint_) &&
         (!request.is_probed || choose_probes(world_, request.probes, complaint_)) && gather_clusters(world_, *sink_);
  world_.built = world_.creations;
  settle_absent();
  running_ = true;
  for (const code::Unsupported& item : programs_.unsupported()) report_unsupported(*sink_, item);
  if (!made || sink_->error_count() > errors) return false;
  for (const Override& setting : settings_) {
    if (setting.used) continue;
    complaint_ = fmt::format("`{}` cannot be set: there is no such element", setting.text);
    return false;
  }
  return true;
}

bool Builder::run(const code::Program& program, ObjectRef self, std::span<const Slot> inputs, Slot& result) {
  // A text with something unsupported must not be run; it is reported at the end.
  if (!programs_.unsupported().empty()) return false;
  Slot* slots = self ? world_.object(self).slots : nullptr;
  if (machine_.run(program, self, slots, inputs, &result) == code::Status::Finished) return true;
  const code::Failure& failure = machine_.failure();
  return fail(self, failure.span, failure.message, failure.hint);
}

bool Builder::fail(ObjectRef self, diag::Span span, const std::string& message, const std::string& hint) {
  auto entry = sink_->report(diag::Kind::CannotBuild, span, message);
  if (self) entry.text(fmt::format("in `{}`", world_.path(self)));
  if (!hint.empty()) entry.hint(hint);
  return false;
}

bool Builder::has_room(ObjectRef self, diag::Span span, std::int64_t more, std::size_t present, std::string_view what) {
  if (present + static_cast<std::size_t>(more) <= limits_.objects) return true;
  return fail(self, span, fmt::format("more than {} {}", limits_.objects, what));
}

void Builder::give_back(void* block, std::size_t bytes) {
  if (block != nullptr) free_blocks_[(bytes + 7) / 8 * 8].push_back(static_cast<std::byte*>(block));
}

std::byte* Builder::allocate(std::size_t bytes) {
  constexpr std::size_t kArena = std::size_t{1} << 16;
  bytes = (bytes + 7) / 8 * 8;
  if (!free_blocks_.empty()) {
    std::vector<std::byte*>& blocks = free_blocks_[bytes];
    if (!blocks.empty()) {
      std::byte* block = blocks.back();
      blocks.pop_back();
      return block;
    }
  }
  if (bytes > arena_left_) {
    const std::size_t size = std::max(bytes, kArena);
    world_.arenas_.push_back(std::make_unique<std::byte[]>(size));
    arena_ = world_.arenas_.back().get();
    arena_left_ = size;
  }
  std::byte* result = arena_;
  arena_ += bytes;
  arena_left_ -= bytes;
  return result;
}

std::unique_ptr<World> build(const model::Model& model, const BuildRequest& request, diag::Sink& sink,
                             BuildFailure& failure) {
  const bool is_known = request.compiled != nullptr && &request.compiled->model == &model;
  auto world = std::make_unique<World>(is_known ? request.compiled : std::make_shared<CompiledModel>(model),
                                       request.seed, request.substream);
  world->heap.most_elements = world->compiled->most_elements = request.limits.elements;
  world->functions.external.libraries = request.external;
  world->builder = std::make_unique<Builder>(*world);
  const bool built = world->builder->build(request, sink, failure);
  return built ? std::move(world) : nullptr;
}

}  // namespace hyla::engine
