#include "exec/launch/memory_need.h"

#include "models/graph/node_memory.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/check_case.h"

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

std::optional<Bytes> available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::int64_t kilobytes = 0;
  while (file >> key >> kilobytes) {
    if (key == "MemAvailable:") return Bytes{1024 * kilobytes};
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return std::nullopt;
}

void check_memory(const Case& scenario_case, const Training& training, const DataMemory& data) {
  const Bytes need = memory_need(training, data);
  const auto available = available_memory();
  if (!available || need <= *available) return;
  const std::string sizes = fmt::format(
      "the nodes of this training need at least {} of memory, and this machine has {} left",
      in_gigabytes(need), in_gigabytes(*available));
  const Bytes examples{training.workers * data.examples.value};
  if (2 * examples.value < need.value) {
    throw InputError(
        sizes +
        "; "
        "use fewer workers or examples, a smaller model or batch, or simulate with numerics: off");
  }
  const DatasetSpec& spec = scenario_case.scenario.dataset;
  std::string key = "dataset";
  if (spec.take > 0) key = "dataset.take";
  if (spec.test_take > spec.take) key = "dataset.test_take";
  fail(scenario_case, key,
       fmt::format(
           "{}; {} of that are examples, of which each worker has a copy; lower dataset.take or "
           "dataset.test_take, use fewer workers, or simulate with numerics: off",
           sizes, in_gigabytes(examples)));
}

}  // namespace foretrain::exec
