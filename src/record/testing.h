// An output that keeps what is written, and can be full.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "record/output.h"

namespace hyla::record {

class Memory : public Output {
 public:
  bool write(std::string_view bytes) override {
    if (pieces.size() == room) return false;
    pieces.emplace_back(bytes);
    return true;
  }
  std::string text() const {
    std::string all;
    for (const std::string& piece : pieces) all += piece;
    return all;
  }
  std::vector<std::string> pieces;
  std::size_t room = std::numeric_limits<std::size_t>::max();  ///< for so many pieces
};

}  // namespace hyla::record
