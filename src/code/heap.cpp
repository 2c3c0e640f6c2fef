#include "code/heap.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/check.h"

namespace hyla::code {
namespace {

/// Boxes of at most so many slots come from free lists.
constexpr std::size_t kSmall = 32;
constexpr std::uint8_t kLarge = UINT8_MAX;

std::vector<bool> boxed_fields(const std::vector<model::Field>& fields) {
  std::vector<bool> boxed(fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) boxed[i] = is_boxed(fields[i].type);
  return boxed;
}

/// The slots of a box, with those behind them that hold further dimensions or the bytes of a text.
std::size_t payload(const Box* box) {
  if (box->kind == BoxKind::Text) return (box->size + sizeof(Slot) - 1) / sizeof(Slot);
  return box->size + (box->rank > 2 ? box->rank - 2U : 0U);
}

}  // namespace

bool is_boxed(model::Type type) {
  using enum model::TypeKind;
  return type.rank > 0 || type.kind == String || type.kind == Record || type.kind == Message ||
         type.kind == AnyMessage || type.kind == Bag;
}

std::int64_t dimension(const Box* array, std::size_t index) {
  if (array == nullptr || index >= array->rank) return 0;
  return index < 2 ? array->dimensions[index] : array->slots()[array->size + index - 2].integer;
}

Heap::Heap(const model::Model& model) : model_(&model), free_(kSmall + 1) {
  const auto any = [](const std::vector<bool>& fields) {
    return std::find(fields.begin(), fields.end(), true) != fields.end();
  };
  for (const model::Record& record : model.records) record_boxed_.push_back(boxed_fields(record.fields));
  for (const model::Message& message : model.messages) message_boxed_.push_back(boxed_fields(message.fields));
  shared_.resize(message_boxed_.size());
  for (const std::vector<bool>& fields : record_boxed_) record_holds_boxes_.push_back(any(fields));
  for (const std::vector<bool>& fields : message_boxed_) message_holds_boxes_.push_back(any(fields));
}

Heap::~Heap() {
  for (std::vector<Box*>& boxes : shared_) {
    for (Box* box : boxes) std::free(box);
  }
  for (const std::vector<Box*>& list : free_) {
    for (Box* box : list) std::free(box);
  }
}

Box* Heap::allocate(BoxKind kind, std::size_t slots) {
  void* memory = nullptr;
  if (slots <= kSmall && !free_[slots].empty()) {
    memory = free_[slots].back();
    free_[slots].pop_back();
  } else {
    memory = std::malloc(sizeof(Box) + slots * sizeof(Slot));
    HYLA_CHECK(memory != nullptr, "there is memory for a box");
  }
  Box* box = new (memory) Box();
  box->kind = kind;
  box->size = static_cast<std::uint32_t>(slots);
  box->size_class = slots <= kSmall ? static_cast<std::uint8_t>(slots) : kLarge;
  std::memset(static_cast<void*>(box->slots()), 0, slots * sizeof(Slot));
  ++live_;
  return box;
}

Box* Heap::new_text(std::string_view text) {
  if (text.empty()) return nullptr;
  Box* box = allocate(BoxKind::Text, (text.size() + sizeof(Slot) - 1) / sizeof(Slot));
  box->size = static_cast<std::uint32_t>(text.size());
  std::memcpy(static_cast<void*>(box->slots()), text.data(), text.size());
  return box;
}

Box* Heap::new_array(std::span<const std::int64_t> dimensions, bool boxed_elements) {
  std::size_t count = 1;
  for (const std::int64_t size : dimensions) count *= static_cast<std::size_t>(size);
  const std::size_t further = dimensions.size() > 2 ? dimensions.size() - 2 : 0;
  Box* box = allocate(BoxKind::Array, count + further);
  box->size = static_cast<std::uint32_t>(count);
  box->rank = static_cast<std::uint8_t>(dimensions.size());
  box->boxed_elements = boxed_elements;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    if (i < 2) {
      box->dimensions[i] = static_cast<std::uint32_t>(dimensions[i]);
    } else {
      box->slots()[count + i - 2].integer = dimensions[i];
    }
  }
  return box;
}

Box* Heap::new_record(model::RecordId record) {
  Box* box = allocate(BoxKind::Record, record_boxed_[record.index].size());
  box->type = record.index;
  box->boxed_elements = record_holds_boxes_[record.index];
  return box;
}

Box* Heap::shared_message(std::uint32_t message, std::uint32_t port) {
  std::vector<Box*>& boxes = shared_[message];
  if (port >= boxes.size()) boxes.resize(port + 1, nullptr);
  if (boxes[port] == nullptr) {
    boxes[port] = allocate(BoxKind::Message, 0);
    boxes[port]->type = message;
    boxes[port]->port = port;
    boxes[port]->shared = true;
    --live_;  // the heap's own
  }
  retain(boxes[port]);
  return boxes[port];
}

Box* Heap::new_message(model::MessageId message) {
  if (message_boxed_[message.index].empty()) return shared_message(message.index, 0);
  Box* box = allocate(BoxKind::Message, message_boxed_[message.index].size());
  box->type = message.index;
  box->boxed_elements = message_holds_boxes_[message.index];
  return box;
}

Box* Heap::new_bag(std::span<Box* const> messages) {
  Box* box = allocate(BoxKind::Bag, messages.size());
  box->boxed_elements = true;
  for (std::size_t i = 0; i < messages.size(); ++i) box->slots()[i].box = messages[i];
  return box;
}

bool Heap::holds_box(const Box* box, std::size_t index) const {
  switch (box->kind) {
    case BoxKind::Text:
      return false;
    case BoxKind::Array:
      return box->boxed_elements;
    case BoxKind::Record:
      return record_boxed_[box->type][index];
    case BoxKind::Message:
      return message_boxed_[box->type][index];
    case BoxKind::Bag:
      return true;
  }
  return false;
}

Box* Heap::copy(const Box* box) {
  if (box == nullptr) return nullptr;
  Box* made = allocate(box->kind, payload(box));
  const std::uint8_t size_class = made->size_class;
  *made = *box;
  made->references = 1;
  made->size_class = size_class;
  std::memcpy(static_cast<void*>(made->slots()), box->slots(), payload(box) * sizeof(Slot));
  if (!box->boxed_elements) return made;
  for (std::size_t i = 0; i < box->size; ++i) {
    if (holds_box(made, i)) retain(made->slots()[i].box);
  }
  return made;
}

bool Heap::same(const Box* a, const Box* b) const {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->kind != b->kind || a->type != b->type || a->size != b->size) return false;
  if (a->kind == BoxKind::Text) return text(a) == text(b);
  if (a->rank != b->rank || a->port != b->port) return false;
  for (std::size_t i = 0; i < a->rank; ++i) {
    if (dimension(a, i) != dimension(b, i)) return false;
  }
  for (std::size_t i = 0; i < a->size; ++i) {
    const Slot x = a->slots()[i], y = b->slots()[i];
    if (x.integer != y.integer && !(holds_box(a, i) && same(x.box, y.box))) return false;
  }
  return true;
}

void Heap::destroy(Box* box) {
  if (box->boxed_elements) {
    for (std::size_t i = 0; i < box->size; ++i) {
      if (holds_box(box, i)) release(box->slots()[i].box);
    }
  }
  --live_;
  if (box->size_class == kLarge) {
    std::free(box);
  } else {
    free_[box->size_class].push_back(box);
  }
}

std::string_view Heap::text(const Box* box) {
  if (box == nullptr) return {};
  return {reinterpret_cast<const char*>(box->slots()), box->size};
}

}  // namespace hyla::code
