#include "models/graph/device_memory.h"

#include "models/graph/node_memory.h"

#include <cmath>

namespace foretrain {
namespace {

constexpr double kFull = 4;  // bytes of a number in 32 bits

double master_bytes(const DeviceNeeds& needs) {
  return needs.master_weights && needs.number_bytes < kFull ? kFull : 0;
}

}  // namespace

DeviceMemory device_memory(const Training& training, const DeviceNeeds& needs) {
  const WorkerShare share = worker_share(training, training.worker(0));
  const double state = kFull * training.optimizer->slots() + master_bytes(needs);
  const double updated = needs.replicated ? 1 : share.updated;
  DeviceMemory memory;
  memory.parameters = share.parameters;
  // Frameworks of devices add a batch's gradient in place.
  memory.gradients = {training.adds_batches() ? share.gradients.value / 2 : share.gradients.value};
  memory.optimizer = {std::llround(state * updated * static_cast<double>(needs.parameters))};
  memory.activations = needs.activations;
  return memory;
}

double update_bytes_ratio(const Training& training, const DeviceNeeds& needs) {
  const double state = 2 * kFull * training.optimizer->slots();
  const double master = master_bytes(needs);
  const double number = needs.number_bytes;
  // Reads a gradient, the parameter that is updated, its state; writes them, and the copy.
  const double moved = number + state + (master > 0 ? 2 * master + number : 2 * number);
  const double counted = (3 * kFull + state) * number / kFull;
  return moved / counted;
}

}  // namespace foretrain
