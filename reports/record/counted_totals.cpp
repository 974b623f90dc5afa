#include "reports/record/counted_totals.h"

#include <fmt/format.h>

namespace foretrain {

std::string memory_sentence(const CountedTotals& counted, const std::string& shard) {
  const DeviceMemory& memory = counted.memory;
  if (memory.capacity.value == 0) return {};
  std::string text = fmt::format(
      "{}{}: {:.1f} of {:.4g} GiB a device (parameters {:.1f}, gradients {:.1f}, optimizer {:.1f}, "
      "activations {:.1f}, libraries {:.1f})",
      memory.fits() ? "It fits" : "It does not fit", shard.empty() ? "" : " with shard: " + shard,
      in_gib(memory.total()), in_gib(memory.capacity), in_gib(memory.parameters),
      in_gib(memory.gradients), in_gib(memory.optimizer), in_gib(memory.activations),
      in_gib(memory.base));
  if (memory.fits()) return text + ".";
  if (counted.would_fit.empty())
    return text + "; no number of such devices that was tried is enough.";
  return text + "; it would with " + counted.would_fit + ".";
}

}  // namespace foretrain
