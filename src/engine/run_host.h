// The world as compiled code sees it.
#pragma once

#include "engine/context.h"

namespace hyla::engine {

class RunHost final : public code::Host {
 public:
  /// Before the first call.
  void attach(Run& run) { run_ = &run; }

  Slot* slots(ObjectRef object) override;
  std::string path(ObjectRef object) override;
  void changed(ObjectRef object, std::uint32_t slot) override;
  void assigned_again(ObjectRef object, std::uint32_t slot) override;
  void observed(ObjectRef object, std::uint32_t slot) override;
  bool draw(ObjectRef self, std::uint32_t stream, model::Builtin distribution, std::span<const Slot> arguments,
            Slot& result) override;
  bool send(ObjectRef self, const Sending& sending, std::int64_t& delivery) override;
  void cancel(std::int64_t delivery) override;
  void raise(ObjectRef self, std::uint32_t signal) override;
  std::int64_t mailbox_size(std::uint32_t mailbox) override;
  Box* mailbox_at(std::uint32_t mailbox, std::int64_t place) override;
  Box* mailbox_take(std::uint32_t mailbox, std::int64_t place) override;
  bool mailbox_put(std::uint32_t mailbox, Box* message) override;
  bool create(ObjectRef self, const Creation& creation, ObjectRef& result) override;
  bool destroy(ObjectRef self, ObjectRef object, bool with_exit, diag::Span span) override;
  bool connect(ObjectRef self, const Joining& joining, std::int64_t& handle) override;
  bool disconnect(ObjectRef self, std::int64_t handle, diag::Span span) override;
  bool disconnect(ObjectRef self, const Joining& joining) override;
  std::int64_t population_size(std::uint32_t population) override;
  ObjectRef population_at(std::uint32_t population, std::int64_t place) override;
  bool start(ObjectRef self, std::uint32_t process, std::span<const Slot> arguments, std::int64_t& handle) override;
  void stop(std::int64_t handle) override;
  void stop_all(ObjectRef self, std::uint32_t process) override;
  bool observe(std::uint32_t statistic, double value) override;
  Slot figure(std::uint32_t statistic, model::Builtin property) override;
  void out_of_range(ObjectRef self, model::VariableId variable, double value, double limit) override;
  void note_ranged(ObjectRef self, std::uint32_t slot) override;
  bool keeps_going() override;
  void print(ObjectRef self, std::string_view text) override;
  void terminate(ObjectRef self, std::string_view why) override;

 private:
  Run* run_ = nullptr;
};

}  // namespace hyla::engine
