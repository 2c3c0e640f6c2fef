// For tests: counts the references to boxes in a world, to find boxes that are lost or miscounted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "engine/world.h"

namespace hyla::service {

/// References to boxes, found by a walk through everything that a world owns.
class References {
 public:
  explicit References(engine::World& world) : world_(world) {
    for (engine::Object& object : world.objects) add_object(object);
    for (engine::MailboxInstance& mailbox : world.mailboxes) {
      for (std::size_t i = 0; i < mailbox.messages.size(); ++i) add(mailbox.messages[i]);
    }
    for (const std::unique_ptr<engine::ProcessInstance>& process : world.processes) {
      if (process->frame.program == nullptr || process->frame.registers == nullptr) continue;
      for (const std::uint16_t where : process->frame.program->boxed_locals) add(process->frame.registers[where].box);
    }
  }

  /// Those that the world owns; messages without fields belong to the heap.
  std::size_t boxes() const {
    std::size_t result = 0;
    for (const auto& [box, count] : found_) result += box->shared ? 0 : 1;
    return result;
  }
  /// Boxes whose own count differs.
  std::size_t miscounted() const {
    std::size_t result = 0;
    for (const auto& [box, count] : found_) result += box->references == count + (box->shared ? 1 : 0) ? 0 : 1;
    return result;
  }

 private:
  void add_object(engine::Object& object) {
    const std::vector<code::SlotUse>& slots = world_.layout.classes[object.object_class.index].slots;
    for (std::size_t i = 0; object.slots != nullptr && i < slots.size(); ++i) {
      if (slots[i] == code::SlotUse::Box) add(object.slots[i].box);
    }
    if (const auto kept = world_.start_values.find(object.self.index); kept != world_.start_values.end()) {
      for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] == code::SlotUse::Box) add(kept->second[i].box);
      }
    }
    if (object.extras == nullptr) return;
    for (const engine::DeferredMessage& one : object.extras->deferred) add(one.delivery.message);
    for (const std::vector<code::Box*>& bag : object.extras->bags) {
      for (code::Box* message : bag) add(message);
    }
  }
  void add(code::Box* box) {
    if (box == nullptr || ++found_[box] > 1 || box->kind == code::BoxKind::Text) return;
    for (std::size_t i = 0; i < box->size; ++i) {
      if (world_.heap.holds_box(box, i)) add(box->slots()[i].box);
    }
  }

  engine::World& world_;
  std::map<code::Box*, std::uint32_t> found_;
};

}  // namespace hyla::service
