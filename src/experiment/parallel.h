// Pieces of work that know nothing of each other, on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace hyla::experiment {

/// Calls work(0) to work(count - 1), each once, on up to `threads` threads, and returns when all have ended. Pieces are
/// begun in order. `work` does not throw. With one thread everything runs in the caller's.
void run_parallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)>& work);

}  // namespace hyla::experiment
