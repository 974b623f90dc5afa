#include "models/graph/step_memory.h"

#include "models/cost/work.h"
#include "models/protocol/touched.h"

#include <algorithm>
#include <array>

namespace foretrain {
namespace {

/// Of so many floats, as a workspace places them: whole cache lines.
Bytes lines(std::int64_t floats) { return {(floats + 15) / 16 * 16 * 4}; }

Bytes batch_bytes(const Network& network, std::int64_t batch) {
  const InputShape& input = network.input();
  if (!input.sparse()) return batch_cost(network, batch).written.batch;
  // A value, its column, its feature; what is sorted, before and after. Of this step and the next.
  const auto entries = static_cast<std::int64_t>(static_cast<double>(batch) * input.sparse_entries);
  return (Bytes{entries * (3 * 4 + 2 * 8) + 4 * (batch + 1)} + Bytes{4 * batch}) * 2;
}

}  // namespace

std::vector<LayerMemory> layer_memory(const Training& training) {
  const std::int64_t batch = training.batch_size;
  std::vector<LayerMemory> all;
  double operations = 0;
  for (const auto& layer : training.network->layers()) {
    const double forward = layer->forward_cost(batch).flops.value;
    const double backward = layer->backward_cost(batch, !all.empty()).flops.value;
    operations += forward + backward;
    all.push_back({lines(batch * layer->output().size()),
                   lines((layer->saved_bytes(batch) + 3) / 4), lines(layer->scratch_floats(batch)),
                   lines(layer->forward_scratch_floats(batch)), forward, backward});
  }
  if (operations <= 0) return all;
  for (LayerMemory& each : all) {
    each.forward_part /= operations;
    each.backward_part /= operations;
  }
  return all;
}

StepMemory step_memory(const Training& training) {
  const Network& network = *training.network;
  const std::int64_t batch = training.batch_size;
  StepMemory memory;
  memory.parameters = {4 * network.parameters()};
  // Of several batches the sum, the one that is added to it.
  memory.gradients = memory.parameters * (training.accumulate > 1 ? 2 : 1);
  const std::int64_t present = training.sparse() ? touched(training, 0) : 0;
  if (network.sparse()) memory.gradients = {4 * present + 8 * network.parameters()};
  if (training.servers == 0) {
    memory.optimizer_state = memory.parameters * training.optimizer->slots();
  }
  std::array<Bytes, 2> alternating;
  const std::vector<LayerMemory> layers = layer_memory(training);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    memory.outputs += layers[i].output;
    alternating[i % 2] = std::max(alternating[i % 2], layers[i].output);
    memory.saved += layers[i].saved;
    memory.scratch = std::max(memory.scratch, layers[i].scratch);
    memory.forward_scratch = std::max(memory.forward_scratch, layers[i].forward_scratch);
  }
  memory.output_gradients = alternating[0] + alternating[1];
  memory.batch = batch_bytes(network, batch);
  return memory;
}

StepMemory evaluation_memory(const Training& training) {
  Training evaluating = training;
  const std::int64_t batch = training.network->evaluation_batch();
  evaluating.batch_size = static_cast<int>(std::min(batch, training.test_examples));
  return step_memory(evaluating);
}

}  // namespace foretrain
