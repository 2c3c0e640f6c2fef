// The programs of a model: each piece of text of a class is compiled once, when the first plan or object needs it.
//
// Texts of one reaction, process or state share one stream of random numbers; it is named after them, so that a stream
// keeps its numbers when something else is added to the class. A class hands out numbers to those names only that draw.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "code/compiler.h"

namespace hyla::engine {

class CompiledModel;

/// What surrounds a piece of text; see code::Unit.
struct TextUnit {
  model::ClassId object_class;
  std::vector<model::LocalId> inputs;
  const model::Awaited* pattern = nullptr;
  std::string purpose;  ///< of its random numbers
  bool traced = false;
  bool as_real = false;
};

class Programs {
 public:
  explicit Programs(CompiledModel& compiled);

  // Null where there is no text.
  const code::Program* expression(model::ExprId expr, const TextUnit& unit);
  const code::Program* block(model::BlockId block, const TextUnit& unit);
  const code::Program* assignment(model::ExprId target, const TextUnit& unit);
  const code::Program* places(model::ExprId end, const TextUnit& unit);
  const code::Program* process(model::ProcessId process, model::ClassId object_class, const std::string& purpose);

  /// Names of the streams of a class so far, by number.
  const std::vector<std::string>& streams(model::ClassId object_class) const { return streams_[object_class.index]; }
  /// What cannot be run in the texts compiled so far.
  const std::vector<code::Unsupported>& unsupported() const { return compiler_.unsupported(); }

 private:
  enum class Kind : std::uint8_t { Expression, Block, Assignment, Places, Process };
  using Key = std::tuple<Kind, std::uint32_t, const void*, bool, bool>;

  code::Unit unit_of(const TextUnit& unit) const;
  const code::Program* keep(const Key& key, code::Program program, model::ClassId object_class,
                            const std::string& purpose);
  std::uint32_t stream_number(model::ClassId object_class, const std::string& purpose) const;

  CompiledModel& compiled_;
  code::Compiler compiler_;
  std::map<Key, const code::Program*> programs_;  ///< only looked up in; its order means nothing
  std::vector<std::vector<std::string>> streams_;
};

}  // namespace hyla::engine
