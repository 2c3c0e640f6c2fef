// Arrays: making them, elements, slices. Arithmetic on them is in machine_array_math.cpp.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "code/machine_impl.h"

namespace hyla::code {
namespace {

/// What a slice takes of one dimension, places counted from 0.
struct Taken {
  std::int64_t first = 0, count = 0, step = 1;
  bool kept = true;  ///< the dimension stays in the result
};
using Selection = std::array<Taken, kMostDimensions>;

/// Walks over the elements of a slice in order and hands each its place in the array.
template <class Visitor>
void walk(const Box* array, const Selection& selection, std::size_t depth, std::size_t offset, const Visitor& visit) {
  if (depth == array->rank) return visit(offset);
  const Taken& taken = selection[depth];
  const auto size = static_cast<std::size_t>(dimension(array, depth));
  for (std::int64_t i = 0; i < taken.count; ++i) {
    const auto place = static_cast<std::size_t>(taken.first + i * taken.step);
    walk(array, selection, depth + 1, offset * size + place, visit);
  }
}

std::size_t shape_of(const Box* array, const Selection& selection, std::array<std::int64_t, kMostDimensions>& sizes) {
  std::size_t rank = 0;
  for (std::size_t i = 0; i < array->rank; ++i) {
    if (selection[i].kept) sizes[rank++] = selection[i].count;
  }
  return rank;
}

}  // namespace

bool Machine::Impl::locate(const Activation& at, const Box* array, const Slot* indices, std::size_t count,
                           std::size_t& place) {
  place = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t index = indices[i].integer, size = dimension(array, i);
    if (index < 1 || index > size) {
      if (count == 1) return fail_index(at, index, size);
      return fail(fmt::format("index {} is outside dimension {} of {}, whose size is {}", index, i + 1,
                              origin(at, true), size));
    }
    place = place * static_cast<std::size_t>(size) + static_cast<std::size_t>(index - 1);
  }
  return true;
}

namespace {

/// Reads the selection of a Slice instruction. Returns the dimension whose selection is no good, or the rank.
std::size_t read_selection(const Box* array, const Slot* selected, std::int64_t how, Selection& selection) {
  for (std::size_t i = 0; i < array->rank; ++i) {
    const std::int64_t size = dimension(array, i);
    const Slot* const registers = selected + 3 * i;
    switch (selector(how, i)) {
      case Selector::Whole:
        selection[i] = {0, size, 1, true};
        break;
      case Selector::Index:
        selection[i] = {registers[0].integer - 1, 1, 1, false};
        break;
      case Selector::Range: {
        const std::int64_t first = registers[0].integer, last = registers[1].integer, step = registers[2].integer;
        if (step == 0) return i;
        const bool empty = step > 0 ? first > last : first < last;
        if (!empty && (first < 1 || first > size || last < 1 || last > size)) return i;
        selection[i] = {first - 1, empty ? 0 : (last - first) / step + 1, step, true};
        break;
      }
    }
    const Taken& taken = selection[i];
    if (!taken.kept && (taken.first < 0 || taken.first >= size)) return i;
  }
  return array->rank;
}

}  // namespace

/// Says what is wrong with the selection of a slice.
bool Machine::Impl::fail_slice(const Activation& at, const Box* array, const Slot* selected, std::int64_t how,
                               std::size_t outside) {
  const Slot* const registers = selected + 3 * outside;
  const std::int64_t size = dimension(array, outside);
  if (selector(how, outside) == Selector::Index) {
    return fail(fmt::format("index {} is outside dimension {} of {}, whose size is {}", registers[0].integer,
                            outside + 1, origin(at, true), size));
  }
  if (registers[2].integer == 0) return fail("the step of a range is 0");
  return fail(fmt::format("{}..{} reaches outside {}, whose size there is {}", registers[0].integer,
                          registers[1].integer, origin(at, true), size));
}

template <>
bool Machine::Impl::perform<Opcode::NewArray>(const Instruction& instruction, Activation& at) {
  const std::int64_t sizes[1] = {instruction.c};
  Box* array = keep(heap.new_array(sizes, instruction.immediate.integer != 0));
  for (std::size_t i = 0; i < instruction.c; ++i) {
    array->slots()[i] = at[instruction.b + i];
    if (array->boxed_elements) Heap::retain(array->slots()[i].box);
  }
  at[instruction.a].box = array;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::NewMatrix>(const Instruction& instruction, Activation& at) {
  const Box* first = at[instruction.b].box;
  std::array<std::int64_t, kMostDimensions> sizes{instruction.c};
  const std::size_t rank = first == nullptr ? 1 : first->rank;
  for (std::size_t i = 0; i < rank; ++i) sizes[i + 1] = dimension(first, i);
  for (std::size_t row = 1; row < instruction.c; ++row) {
    for (std::size_t i = 0; i < rank; ++i) {
      if (dimension(at[instruction.b + row].box, i) != sizes[i + 1]) return fail("the rows have different sizes");
    }
  }
  Box* array = keep(heap.new_array(std::span(sizes).first(rank + 1), first != nullptr && first->boxed_elements));
  std::size_t place = 0;
  for (std::size_t row = 0; row < instruction.c; ++row) {
    const Box* given = at[instruction.b + row].box;
    for (std::size_t i = 0; given != nullptr && i < given->size; ++i, ++place) {
      array->slots()[place] = given->slots()[i];
      if (array->boxed_elements) Heap::retain(given->slots()[i].box);
    }
  }
  at[instruction.a].box = array;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::FillArray>(const Instruction& instruction, Activation& at) {
  const auto rank = static_cast<std::size_t>(instruction.immediate.integer & 0xFF);
  std::array<std::int64_t, kMostDimensions> sizes{};
  std::int64_t count = 1;
  for (std::size_t i = 0; i < rank; ++i) {
    sizes[i] = at[instruction.c + i].integer;
    if (sizes[i] < 0) return fail(fmt::format("an array cannot have {} elements", sizes[i]));
    if (__builtin_mul_overflow(count, sizes[i], &count)) return fail_size(sizes[i]);
  }
  if (count > static_cast<std::int64_t>(heap.most_elements)) return fail_size(count);
  Box* array = keep(heap.new_array(std::span(sizes).first(rank), (instruction.immediate.integer & 256) != 0));
  const Slot element = at[instruction.b];
  std::fill(array->slots(), array->slots() + array->size, element);
  if (array->boxed_elements && element.box != nullptr) element.box->references += array->size;
  at[instruction.a].box = array;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::RangeArray>(const Instruction& instruction, Activation& at) {
  const Slot* const range = &at[instruction.b];
  const std::int64_t sizes[1] = {range[1].integer};
  if (sizes[0] > static_cast<std::int64_t>(heap.most_elements)) return fail_size(sizes[0]);
  Box* array = keep(heap.new_array(sizes, false));
  for (std::int64_t i = 0; i < sizes[0]; ++i) {
    if (instruction.immediate.integer != 0) {
      array->slots()[i].real = range[0].real + static_cast<double>(i) * range[2].real;
    } else {
      array->slots()[i].integer = range[0].integer + i * range[2].integer;
    }
  }
  at[instruction.a].box = array;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::LoadElements>(const Instruction& instruction, Activation& at) {
  std::size_t place = 0;
  const Box* array = at[instruction.b].box;
  const auto count = static_cast<std::size_t>(instruction.immediate.integer);
  if (!locate(at, array, &at[instruction.c], count, place)) return false;
  at[instruction.a] = array->slots()[place];
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Slice>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  if (array == nullptr) return fail_none(at, false);
  const Slot* const selected = &at[instruction.c];
  const std::int64_t how = instruction.immediate.integer;
  Selection selection;
  const std::size_t outside = read_selection(array, selected, how, selection);
  if (outside < array->rank) return fail_slice(at, array, selected, how, outside);
  std::array<std::int64_t, kMostDimensions> sizes{};
  const std::size_t rank = shape_of(array, selection, sizes);
  Box* made = keep(heap.new_array(std::span(sizes).first(rank), array->boxed_elements));
  Slot* goal = made->slots();
  walk(array, selection, 0, 0, [&](std::size_t place) {
    *goal = array->slots()[place];
    if (array->boxed_elements) Heap::retain(goal->box);
    ++goal;
  });
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::Places>(const Instruction& instruction, Activation& at) {
  const auto rank = static_cast<std::size_t>(instruction.immediate.integer);
  std::array<std::int64_t, kMostDimensions> sizes{};
  for (std::size_t i = 0; i < rank; ++i) sizes[i] = dimension(at[instruction.b].box, i);
  Box* made = keep(heap.new_array(std::span(sizes).first(rank), false));
  for (std::uint32_t i = 0; i < made->size; ++i) made->slots()[i].integer = i;
  at[instruction.a].box = made;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::StoreSlice>(const Instruction& instruction, Activation& at) {
  Box* array = own_box();
  if (array == nullptr) return fail_none(at, false);
  const Slot* const selected = &at[instruction.c];
  const std::int64_t how = instruction.immediate.integer;
  Selection selection;
  const std::size_t outside = read_selection(array, selected, how, selection);
  if (outside < array->rank) return fail_slice(at, array, selected, how, outside);
  const Box* given = at[instruction.b].box;
  std::array<std::int64_t, kMostDimensions> sizes{};
  const std::size_t rank = shape_of(array, selection, sizes);
  for (std::size_t i = 0; i < rank; ++i) {
    if (dimension(given, i) == sizes[i]) continue;
    return fail(fmt::format("{} elements cannot be assigned to a slice of {}", dimension(given, i), sizes[i]));
  }
  const Slot* from = given == nullptr ? nullptr : given->slots();
  bool changed = false;
  walk(array, selection, 0, 0, [&](std::size_t place) {
    Slot& goal = array->slots()[place];
    const Slot old = goal;
    if (array->boxed_elements) Heap::retain(from->box);
    goal = *from++;
    changed = changed || (old.integer != goal.integer && !(array->boxed_elements && heap.same(old.box, goal.box)));
    if (array->boxed_elements) heap.release(old.box);
  });
  const auto slot = static_cast<std::uint32_t>(at[instruction.a].integer);
  if (changed && slot != Layout::kNoSlot) host.changed(at.self, slot);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::ArraySize>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  at[instruction.a].integer = array == nullptr ? 0 : array->size;
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::RowCount>(const Instruction& instruction, Activation& at) {
  at[instruction.a].integer = dimension(at[instruction.b].box, 0);
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::DimensionSize>(const Instruction& instruction, Activation& at) {
  const Box* array = at[instruction.b].box;
  const std::int64_t which = at[instruction.c].integer, rank = array == nullptr ? 0 : array->rank;
  if (which < 1 || which > rank) {
    return fail(fmt::format("{} has {} dimensions, not {}", origin(at, true), rank, which));
  }
  at[instruction.a].integer = dimension(array, static_cast<std::size_t>(which - 1));
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::CheckShape>(const Instruction& instruction, Activation& at) {
  const Box *given = at[instruction.a].box, *held = at.slots[instruction.immediate.integer].box;
  for (std::size_t i = 0; held != nullptr && i < held->rank; ++i) {
    if (dimension(given, i) == dimension(held, i)) continue;
    return fail(fmt::format("{} elements cannot be assigned to {}, which has {}", dimension(given, i),
                            origin(at, false), dimension(held, i)));
  }
  return true;
}

template <>
bool Machine::Impl::perform<Opcode::SameArrays>(const Instruction& instruction, Activation& at) {
  at[instruction.a].integer = heap.same(at[instruction.b].box, at[instruction.c].box) ? 1 : 0;
  return true;
}

}  // namespace hyla::code
