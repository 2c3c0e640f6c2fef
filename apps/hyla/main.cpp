// The command `hyla`: options in, texts out. Status 0 all is well, 1 the model has failed, 2 the command could not
// run.
#include <csignal>

#include "command.h"
#include "report.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough is no error
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow any more is told of like a full disk
  const hyla::base::Result<hyla::app::Command> command = hyla::app::parse_command(argc, argv);
  if (!command.ok()) {
    hyla::app::complain(command.message());
    return hyla::app::kCouldNotRun;
  }
  return command.value()();
}
