#include "exec/launch/memory_need.h"

#include "models/graph/node_memory.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <fstream>
#include <limits>
#include <string>

namespace foretrain::exec {

Bytes memory_need(const Training& training, const DataMemory& data) {
  Bytes need;
  for (int node = 0; node < training.nodes(); ++node) {
    const NodeId id{static_cast<std::uint32_t>(node)};
    need += node_memory(training, data, id).resident(true, expected_held(training, id));
  }
  return need;
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

void check_memory(const Training& training, const DataMemory& data) {
  const Bytes need = memory_need(training, data);
  const Bytes available = available_memory();
  if (available.value < 0 || need <= available) return;
  constexpr double kGigabyte = 1e9;
  throw InputError(fmt::format(
      "the nodes of this training hold {:.1f} GB at least, and this machine has {:.1f} GB left; "
      "take fewer workers or examples, a smaller model or batch, or simulate with numerics: off",
      static_cast<double>(need.value) / kGigabyte,
      static_cast<double>(available.value) / kGigabyte));
}

}  // namespace foretrain::exec
