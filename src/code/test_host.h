// A small world for the tests of this folder: objects as rows of slots, mailboxes as lists, a log of all that happens.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "code/heap.h"
#include "code/host.h"
#include "code/machine.h"

namespace hyla::code {

class TestHost : public Host {
 public:
  explicit TestHost(Heap& the_heap) : heap(the_heap) {}
  ~TestHost() override {
    for (const std::vector<Box*>& mailbox : mailboxes) {
      for (Box* message : mailbox) heap.release(message);
    }
  }
  TestHost(const TestHost&) = delete;
  TestHost& operator=(const TestHost&) = delete;

  Heap& heap;
  Machine* machine = nullptr;          ///< told of failures
  std::deque<std::vector<Slot>> rows;  ///< of object 1, 2, …
  std::vector<std::vector<Box*>> mailboxes;
  std::vector<std::vector<ObjectRef>> populations;
  std::vector<std::string> log;
  double next_draw = 0.5;         ///< negative: the draw fails
  std::function<void()> on_draw;  ///< called by each draw

  ObjectRef add_object(std::size_t slots) {
    rows.emplace_back(slots);
    return {static_cast<std::uint32_t>(rows.size()), 1};
  }
  void note(std::string text) { log.push_back(std::move(text)); }
  /// The log since the last call, one entry a line.
  std::string take_log() {
    std::string text;
    for (const std::string& entry : log) text += entry + "\n";
    log.clear();
    return text;
  }

  Slot* slots(ObjectRef object) override {
    return object.index <= rows.size() ? rows[object.index - 1].data() : nullptr;
  }
  std::string path(ObjectRef object) override { return "object" + std::to_string(object.index); }
  void changed(ObjectRef object, std::uint32_t slot) override {
    note("changed " + path(object) + " " + std::to_string(slot));
  }
  void assigned_again(ObjectRef, std::uint32_t) override {}
  void observed(ObjectRef object, std::uint32_t slot) override {
    note("observed " + path(object) + " " + std::to_string(slot));
  }
  bool draw(ObjectRef, std::uint32_t stream, model::Builtin distribution, std::span<const Slot> arguments,
            Slot& result) override {
    std::string text = "draw " + std::to_string(stream) + " " + std::string(model::info(distribution).name);
    for (const Slot argument : arguments) text += " " + base::format_number(argument.real);
    note(text);
    if (on_draw) on_draw();
    if (next_draw < 0) {
      machine->fail("no such distribution");
      return false;
    }
    result.real = next_draw;
    return true;
  }
  bool send(ObjectRef, const Sending& sending, std::int64_t& delivery) override {
    std::string text = "send " + std::to_string(sending.message->type) + " to " + std::to_string(sending.port);
    if (sending.direct) text += " direct";
    if (sending.delay_kind == model::DelayKind::After) text += " after " + base::format_number(sending.delay);
    if (sending.delay_kind == model::DelayKind::At) text += " at " + base::format_number(sending.delay);
    note(text);
    heap.release(sending.message);
    delivery = ++deliveries_;
    return true;
  }
  void cancel(std::int64_t delivery) override { note("cancel " + std::to_string(delivery)); }
  void raise(ObjectRef, std::uint32_t signal) override { note("raise " + std::to_string(signal)); }
  std::int64_t mailbox_size(std::uint32_t mailbox) override {
    return static_cast<std::int64_t>(mailboxes[mailbox].size());
  }
  Box* mailbox_at(std::uint32_t mailbox, std::int64_t place) override {
    return mailboxes[mailbox][static_cast<std::size_t>(place)];
  }
  Box* mailbox_take(std::uint32_t mailbox, std::int64_t place) override {
    Box* message = mailbox_at(mailbox, place);
    mailboxes[mailbox].erase(mailboxes[mailbox].begin() + place);
    return message;
  }
  bool mailbox_put(std::uint32_t mailbox, Box* message) override {
    Heap::retain(message);
    mailboxes[mailbox].push_back(message);
    return true;
  }
  bool create(ObjectRef, const Creation& creation, ObjectRef& result) override {
    std::string text = creation.place ? "exchange " + std::to_string(creation.element) : "create";
    text += creation.occupant == Creation::kNone ? " none" : " " + std::to_string(creation.occupant);
    for (const Slot value : creation.values) text += " " + base::format_number(value.real);
    note(text);
    if (creation.occupant == Creation::kNone) return true;
    result = add_object(8);
    if (creation.population != Creation::kNone) populations[creation.population].push_back(result);
    return true;
  }
  bool destroy(ObjectRef, ObjectRef object, bool with_exit, diag::Span) override {
    if (!object) {
      machine->fail("there is no object to delete");
      return false;
    }
    note("delete " + path(object) + (with_exit ? " with exit" : ""));
    return true;
  }
  bool connect(ObjectRef, const Joining& joining, std::int64_t& handle) override {
    note("connect " + std::to_string(joining.from.integer) + " " + std::to_string(joining.to.integer) + " with " +
         std::to_string(joining.values.size()));
    handle = ++connections_;
    return true;
  }
  bool disconnect(ObjectRef, std::int64_t handle, diag::Span) override {
    note("disconnect " + std::to_string(handle));
    return true;
  }
  bool disconnect(ObjectRef, const Joining& joining) override {
    note("disconnect " + std::to_string(joining.from.integer) + " " + std::to_string(joining.to.integer));
    return true;
  }
  std::int64_t population_size(std::uint32_t population) override {
    return static_cast<std::int64_t>(populations[population].size());
  }
  ObjectRef population_at(std::uint32_t population, std::int64_t place) override {
    return populations[population][static_cast<std::size_t>(place)];
  }
  bool start(ObjectRef, std::uint32_t process, std::span<const Slot> arguments, std::int64_t& handle) override {
    note("start " + std::to_string(process) + " with " + std::to_string(arguments.size()));
    handle = ++processes_;
    return true;
  }
  void stop(std::int64_t handle) override { note("stop " + std::to_string(handle)); }
  void stop_all(ObjectRef, std::uint32_t process) override { note("stop all " + std::to_string(process)); }
  bool observe(std::uint32_t statistic, double value) override {
    note("observe " + std::to_string(statistic) + " " + base::format_number(value));
    return true;
  }
  Slot figure(std::uint32_t, model::Builtin property) override {
    return property == model::Builtin::CountOf ? Slot(std::int64_t{3}) : Slot(2.5);
  }
  void print(ObjectRef, std::string_view text) override { note("print " + std::string(text)); }
  void terminate(ObjectRef, std::string_view why) override { note("terminate " + std::string(why)); }

 private:
  std::int64_t deliveries_ = 0, processes_ = 0, connections_ = 0;
};

}  // namespace hyla::code
