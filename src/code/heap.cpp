#include "code/heap.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/check.h"

namespace hyla::code {
namespace {

constexpr std::uint8_t kLarge = UINT8_MAX;

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

Heap::Shape Heap::shape_of(const std::vector<model::Field>& fields) {
  Shape shape{static_cast<std::uint32_t>(fields.size()), false, std::vector<bool>(fields.size())};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    shape.boxed[i] = is_boxed(fields[i].type);
    shape.holds_boxes = shape.holds_boxes || shape.boxed[i];
  }
  return shape;
}

Heap::Heap(const model::Model& model) : model_(&model) {
  for (const model::Record& record : model.records) records_.push_back(shape_of(record.fields));
  for (const model::Message& message : model.messages) messages_.push_back(shape_of(message.fields));
  shared_.resize(messages_.size());
}

Heap::~Heap() {
  for (std::vector<Box*>& boxes : shared_) {
    for (Box* box : boxes) std::free(box);
  }
  for (FreeBox* list : free_) {
    while (list != nullptr) std::free(std::exchange(list, list->next));
  }
}

void* Heap::fresh_memory(std::size_t slots) {
  void* memory = std::malloc(sizeof(Box) + slots * sizeof(Slot));
  HYLA_CHECK(memory != nullptr, "there is memory for a box");
  return memory;
}

/// Its slots are not set.
inline Box* Heap::allocate(BoxKind kind, std::size_t slots) {
  void* memory = nullptr;
  if (slots <= kSmall && free_[slots] != nullptr) [[likely]] {
    memory = std::exchange(free_[slots], free_[slots]->next);
  } else {
    memory = fresh_memory(slots);
  }
  Box* box = new (memory) Box();
  box->kind = kind;
  box->size = static_cast<std::uint32_t>(slots);
  box->size_class = slots <= kSmall ? static_cast<std::uint8_t>(slots) : kLarge;
  ++live_;
  return box;
}

Box* Heap::allocate_zero(BoxKind kind, std::size_t slots) {
  Box* box = allocate(kind, slots);
  std::memset(static_cast<void*>(box->slots()), 0, slots * sizeof(Slot));
  return box;
}

/// Without fields: zero.
Box* Heap::make(BoxKind kind, const Shape& shape, std::uint32_t type, const Slot* fields) {
  Box* box = fields == nullptr ? allocate_zero(kind, shape.size) : allocate(kind, shape.size);
  box->type = type;
  box->boxed_elements = shape.holds_boxes;
  if (fields == nullptr) return box;
  for (std::size_t i = 0; i < shape.size; ++i) box->slots()[i] = fields[i];
  if (!shape.holds_boxes) return box;
  for (std::size_t i = 0; i < shape.size; ++i) {
    if (shape.boxed[i]) retain(fields[i].box);
  }
  return box;
}

Box* Heap::new_text(std::string_view text) {
  if (text.empty()) return nullptr;
  Box* box = allocate_zero(BoxKind::Text, (text.size() + sizeof(Slot) - 1) / sizeof(Slot));
  box->size = static_cast<std::uint32_t>(text.size());
  std::memcpy(static_cast<void*>(box->slots()), text.data(), text.size());
  return box;
}

Box* Heap::new_array(std::span<const std::int64_t> dimensions, bool boxed_elements) {
  std::size_t count = 1;
  for (const std::int64_t size : dimensions) count *= static_cast<std::size_t>(size);
  const std::size_t further = dimensions.size() > 2 ? dimensions.size() - 2 : 0;
  Box* box = allocate_zero(BoxKind::Array, count + further);
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

Box* Heap::new_record(model::RecordId record) { return new_record(record, nullptr); }

Box* Heap::new_record(model::RecordId record, const Slot* fields) {
  return make(BoxKind::Record, records_[record.index], record.index, fields);
}

Box* Heap::make_shared_message(std::uint32_t message, std::uint32_t port) {
  std::vector<Box*>& boxes = shared_[message];
  if (port >= boxes.size()) boxes.resize(port + 1, nullptr);
  boxes[port] = allocate(BoxKind::Message, 0);
  boxes[port]->type = message;
  boxes[port]->port = port;
  boxes[port]->shared = true;
  --live_;  // the heap's own
  return boxes[port];
}

Box* Heap::new_message(model::MessageId message) { return new_message(message, nullptr); }

Box* Heap::new_message(model::MessageId message, const Slot* fields) {
  const Shape& shape = messages_[message.index];
  if (shape.size == 0) return shared_message(message.index, 0);
  return make(BoxKind::Message, shape, message.index, fields);
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
      return records_[box->type].boxed[index];
    case BoxKind::Message:
      return messages_[box->type].boxed[index];
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
    const std::uint8_t size_class = box->size_class;
    free_[size_class] = new (static_cast<void*>(box)) FreeBox{free_[size_class]};
  }
}

std::string_view Heap::text(const Box* box) {
  if (box == nullptr) return {};
  return {reinterpret_cast<const char*>(box->slots()), box->size};
}

}  // namespace hyla::code
