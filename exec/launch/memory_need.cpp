#include "exec/launch/memory_need.h"

#include "models/graph/step_memory.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <string>

namespace foretrain::exec {

Bytes memory_need(const Training& training) {
  const StepMemory step = step_memory(training);
  const Bytes worker{step.total().value};
  if (training.servers == 0) return {worker.value * training.workers};
  // Over all shards: the values, the optimizer's state beside them; and who learns synchronously
  // holds a gradient of everybody.
  const std::int64_t all = 4 * training.layout->parameters;
  const std::int64_t slots = training.optimizer->slots();
  return {worker.value * training.workers + all * (1 + slots + training.workers)};
}

Bytes available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return {1024 * kilobytes};
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return {-1};
}

void check_memory(const Training& training) {
  const Bytes need = memory_need(training);
  const Bytes available = available_memory();
  if (available.value < 0 || need <= available) return;
  constexpr double kGigabyte = 1e9;
  throw InputError(fmt::format(
      "the nodes of this training hold {:.1f} GB at least, and this machine has {:.1f} GB left; "
      "take fewer workers, a smaller model or batch, or simulate with numerics: off",
      static_cast<double>(need.value) / kGigabyte,
      static_cast<double>(available.value) / kGigabyte));
}

}  // namespace foretrain::exec
