// What compiled code needs of the world it runs in. The engine fills this role; tests fill it with a small stand-in.
//
// Calls that can fail return false (or none) after Machine::fail() has been told why. The machine may be entered again
// from within a call (the order of a mailbox is an expression).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "code/slot.h"
#include "diag/source.h"
#include "model/model.h"

namespace hyla::code {

/// Where the slots of an object are.
struct ObjectHead {
  static constexpr std::uint32_t kAsk = UINT32_MAX;  ///< no reference has it: slots() decides
  Slot* slots = nullptr;
  std::uint32_t generation = kAsk;  ///< as in references to it
};

class Host {
 public:
  /// By object: those that can be read without a call of slots(). May be empty.
  std::span<const ObjectHead> heads;

  virtual ~Host() = default;

  /// The slots of an object; null if it is none or gone.
  virtual Slot* slots(ObjectRef object) = 0;
  /// The path of an object, for `string(o)` and messages.
  virtual std::string path(ObjectRef object) = 0;
  /// A watched slot of the running object has a new value.
  virtual void changed(ObjectRef object, std::uint32_t slot) = 0;
  /// A watched slot of the running object was assigned the value that it had.
  virtual void assigned_again(ObjectRef object, std::uint32_t slot) = 0;
  /// A traced program has read this slot (own or of another object); Layout::kNoSlot: whether the object exists.
  virtual void observed(ObjectRef object, std::uint32_t slot) = 0;

  /// A draw from the object's stream of that purpose; arrays come as boxes. False: bad arguments, told to fail().
  virtual bool draw(ObjectRef self, std::uint32_t stream, model::Builtin distribution, std::span<const Slot> arguments,
                    Slot& result) = 0;

  struct Sending {
    std::uint32_t port = 0;  ///< the host's number
    bool direct = false;     ///< the port of another object: deliver there, not to what is joined to it
    Box* message = nullptr;  ///< the reference goes to the host
    model::DelayKind delay_kind = model::DelayKind::None;
    double delay = 0;  ///< duration or time
  };
  /// The handle of the delivery goes into `delivery`.
  virtual bool send(ObjectRef self, const Sending& sending, std::int64_t& delivery) = 0;
  virtual void cancel(std::int64_t delivery) = 0;
  virtual void raise(ObjectRef self, std::uint32_t signal) = 0;

  // Mailboxes, by the host's number; places count from 0 in the mailbox's order.
  virtual std::int64_t mailbox_size(std::uint32_t mailbox) = 0;
  virtual Box* mailbox_at(std::uint32_t mailbox, std::int64_t place) = 0;    ///< borrowed
  virtual Box* mailbox_take(std::uint32_t mailbox, std::int64_t place) = 0;  ///< its reference goes to the caller
  virtual bool mailbox_put(std::uint32_t mailbox, Box* message) = 0;         ///< takes a reference of its own

  /// An object to be made.
  struct Creation {
    static constexpr std::uint32_t kNone = UINT32_MAX;
    std::uint32_t occupant = kNone;  ///< into Model::occupants: class and arguments; none for an empty dynamic part
    /// For each argument that gives a value, that value; for one that binds an input, those of captured_locals().
    std::span<const Slot> values;
    std::uint32_t population = kNone;  ///< the host's number
    model::PartId place;               ///< it becomes the occupant of this dynamic part
    std::int64_t element = 0;          ///< in an array of them, from 1
    diag::Span span;
  };
  /// Makes an object, or exchanges or removes the occupant of a dynamic part.
  virtual bool create(ObjectRef self, const Creation& creation, ObjectRef& result) = 0;
  /// The object goes at the end of the event step.
  virtual bool destroy(ObjectRef self, ObjectRef object, bool with_exit, diag::Span span) = 0;

  /// A connection made by an action. Its ends are ports or mailboxes, or arrays of them; for values and plugs the
  /// objects.
  struct Joining {
    model::ConnectionId connection;
    Slot from, to;
    /// Of plugs, and of an input of which elements are named: the place in its array, or an array of places.
    Slot from_place, to_place;
    std::span<const Slot> values;  ///< of values: those of captured_locals()
  };
  virtual bool connect(ObjectRef self, const Joining& joining, std::int64_t& handle) = 0;
  /// By its value, or by its text.
  virtual bool disconnect(ObjectRef self, std::int64_t handle, diag::Span span) = 0;
  virtual bool disconnect(ObjectRef self, const Joining& joining) = 0;

  // Populations.
  virtual std::int64_t population_size(std::uint32_t population) = 0;
  virtual ObjectRef population_at(std::uint32_t population, std::int64_t place) = 0;

  /// Arguments as in the process's parameters; boxes are retained by the host.
  virtual bool start(ObjectRef self, std::uint32_t process, std::span<const Slot> arguments, std::int64_t& handle) = 0;
  virtual void stop(std::int64_t handle) = 0;
  virtual void stop_all(ObjectRef self, std::uint32_t process) = 0;

  virtual bool observe(std::uint32_t statistic, double value) = 0;
  /// CountOf gives an Integer, all others Reals.
  virtual Slot figure(std::uint32_t statistic, model::Builtin property) = 0;

  /// A variable of the object has got a value outside its `min` or `max`.
  virtual void out_of_range(ObjectRef /*self*/, model::VariableId /*variable*/, double /*value*/, double /*limit*/) {}
  /// Elements of an array with `min` or `max` may be outside.
  virtual void note_ranged(ObjectRef /*self*/, std::uint32_t /*slot*/) {}

  /// Asked from time to time by long loops: whether to go on.
  virtual bool keeps_going() { return true; }

  virtual void print(ObjectRef self, std::string_view text) = 0;
  virtual void terminate(ObjectRef self, std::string_view why) = 0;
};

}  // namespace hyla::code
