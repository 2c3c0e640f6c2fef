// Values that do not fit into one word: texts, arrays, records, messages, bags. They live in boxes that count their
// references; a box is changed in place only while it has one reference, so values are copied as the language says
// without copying them in fact.
//
// Cost: a box of few slots comes from a free list, about 5 ns. Reference counts are plain integers: a heap belongs to
// one world and one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "code/slot.h"
#include "model/model.h"

namespace hyla::code {

/// Larger arrays and longer texts are taken for a mistake.
inline constexpr std::size_t kMostElements = std::size_t{1} << 28;
inline constexpr std::size_t kLongestText = std::size_t{1} << 28;  ///< bytes

enum class BoxKind : std::uint8_t { Text, Array, Record, Message, Bag };

/// The header of a box; its slots (or the bytes of a text) follow it in memory.
struct alignas(Slot) Box {
  std::uint32_t references = 1;
  BoxKind kind = BoxKind::Text;
  std::uint8_t rank = 0;        ///< of an array
  bool boxed_elements = false;  ///< some of its slots hold boxes; of an array: all
  std::uint8_t size_class = 0;
  bool shared = false;     ///< a message without fields, the same for all
  std::uint32_t type = 0;  ///< RecordId or MessageId
  std::uint32_t port = 0;  ///< of a message: the number, in the class of the receiver, of the port where it arrived
  std::uint32_t size = 0;  ///< slots, or bytes of a text
  std::uint32_t dimensions[2] = {0, 0};  ///< of an array; a third and further dimension stand behind the slots

  Slot* slots() { return reinterpret_cast<Slot*>(this + 1); }
  const Slot* slots() const { return reinterpret_cast<const Slot*>(this + 1); }
};

class Heap {
 public:
  explicit Heap(const model::Model& model);
  ~Heap();
  Heap(const Heap&) = delete;
  Heap& operator=(const Heap&) = delete;

  // New boxes have one reference; their slots are zero.
  Box* new_text(std::string_view text);  ///< null for the empty text
  Box* new_array(std::span<const std::int64_t> dimensions, bool boxed_elements);
  Box* new_record(model::RecordId record);
  /// One without fields is shared by all: it has nothing that could differ.
  Box* new_message(model::MessageId message);
  // The same with their fields, which are retained; nothing is set to zero first.
  Box* new_record(model::RecordId record, const Slot* fields);
  Box* new_message(model::MessageId message, const Slot* fields);
  /// The box shared by all messages without fields that arrive at ports of this number; a reference for the caller.
  Box* shared_message(std::uint32_t message, std::uint32_t port) {
    const std::vector<Box*>& boxes = shared_[message];
    Box* box = port < boxes.size() ? boxes[port] : nullptr;
    if (box == nullptr) [[unlikely]] {
      box = make_shared_message(message, port);
    }
    ++box->references;
    return box;
  }
  /// A bag of messages, one slot each; the references of the messages are taken over.
  Box* new_bag(std::span<Box* const> messages);
  /// A box of its own with equal content (the boxes inside are shared).
  Box* copy(const Box* box);

  static void retain(Box* box) {
    if (box != nullptr) ++box->references;
  }
  void release(Box* box) {
    if (box != nullptr && --box->references == 0) destroy(box);
  }
  static std::string_view text(const Box* box);
  /// Equal content, number for number by their bits.
  bool same(const Box* a, const Box* b) const;
  /// Whether that slot of the box holds a box.
  bool holds_box(const Box* box, std::size_t index) const;
  /// Boxes alive, for tests that look for leaks.
  std::size_t live() const { return live_; }

  std::size_t most_elements = kMostElements;  ///< of an array

 private:
  /// What the boxes of a record or message look like.
  struct Shape {
    std::uint32_t size = 0;
    bool holds_boxes = false;  ///< some fields hold boxes
    std::vector<bool> boxed;   ///< by field
  };
  /// A box that waits to be used again.
  struct FreeBox {
    FreeBox* next = nullptr;
  };
  /// Boxes of at most so many slots come from free lists.
  static constexpr std::size_t kSmall = 32;

  static Shape shape_of(const std::vector<model::Field>& fields);
  [[gnu::noinline]] static void* fresh_memory(std::size_t slots);
  Box* allocate(BoxKind kind, std::size_t slots);
  Box* allocate_zero(BoxKind kind, std::size_t slots);
  Box* make(BoxKind kind, const Shape& shape, std::uint32_t type, const Slot* fields);
  Box* make_shared_message(std::uint32_t message, std::uint32_t port);
  void destroy(Box* box);

  const model::Model* model_;
  std::vector<Shape> records_, messages_;  ///< by type
  std::vector<std::vector<Box*>> shared_;  ///< by message and port
  FreeBox* free_[kSmall + 1] = {};         ///< by number of slots
  std::size_t live_ = 0;
};

/// Whether values of the type live in boxes.
bool is_boxed(model::Type type);

/// The size of a dimension, from 0; 0 for those that the array does not have.
std::int64_t dimension(const Box* array, std::size_t index);

}  // namespace hyla::code
