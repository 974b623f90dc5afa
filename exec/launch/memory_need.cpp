#include "exec/launch/memory_need.h"

#include "models/graph/step_memory.h"
#include "models/protocol/registry.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <string>

namespace foretrain::exec {

Bytes memory_need(const Training& training) {
  const StepMemory step = step_memory(training);
  const std::int64_t worker = (step.total() - step.optimizer_state).value;
  const std::int64_t all = 4 * training.layout->parameters;
  // The state is one, whoever holds which part of it.
  std::int64_t need = worker * training.workers + all * training.optimizer->slots();
  if (training.servers > 0) {
    const bool gathers = !find_protocol(training.strategy)->update_each;
    need += all * (1 + (gathers ? training.workers : 0));
  }
  return {need};
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
