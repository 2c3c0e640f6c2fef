#include "interrupt.h"

#include <atomic>
#include <csignal>

namespace hyla::app {
namespace {

std::atomic<bool> g_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

}  // namespace

void end_on_interrupt() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_interrupted = true; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

bool is_interrupted() { return g_interrupted; }

}  // namespace hyla::app
