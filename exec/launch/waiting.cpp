#include "exec/launch/waiting.h"

#include "exec/system/process.h"

#include <unistd.h>

#include <utility>

namespace foretrain::exec {

Waiting::~Waiting() {
  if (door >= 0) close(door);
  std::vector<pid_t> processes;
  processes.reserve(there_.size());
  for (const Survivor& each : there_) processes.push_back(each.process);
  end_processes(processes, kTermToKill);
}

void Waiting::keep(Survivor survivor) {
  if (survivor.remote) survivor.remote->move_to(loop_);
  there_.push_back(std::move(survivor));
}

std::vector<Survivor> Waiting::take() { return std::exchange(there_, {}); }

}  // namespace foretrain::exec
