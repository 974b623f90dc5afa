#include "models/graph/step_memory.h"

#include "models/cost/work.h"
#include "models/networks/workspace_plan.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/touched.h"

#include <algorithm>

namespace foretrain {
namespace {

WorkspacePlan plan_of(const Training& training, std::int64_t batch, int simd) {
  return {training.network->planned(part_begins(gradient_stages(training))), batch, simd};
}

Bytes bytes(std::size_t floats) { return {4 * static_cast<std::int64_t>(floats)}; }

Bytes batch_bytes(const Network& network, std::int64_t batch) {
  const InputShape& input = network.input();
  if (!input.sparse()) return batch_cost(network, batch).written.batch;
  // A value, its column, its feature; sort buffers, in and out. For two steps.
  const auto entries = static_cast<std::int64_t>(static_cast<double>(batch) * input.sparse_entries);
  return (Bytes{entries * (3 * 4 + 2 * 8) + 4 * (batch + 1)} + Bytes{4 * batch}) * 2;
}

StepMemory memory_of(const Training& training, std::int64_t batch, int simd) {
  const Network& network = *training.network;
  StepMemory memory;
  memory.parameters = {4 * network.parameters()};
  // With several batches: the sum, and the gradient that is added to it.
  memory.gradients = memory.parameters * (training.adds_batches() ? 2 : 1);
  const std::int64_t present = training.sparse() ? touched(training, 0) : 0;
  if (network.sparse()) memory.gradients = {4 * present + 8 * network.parameters()};
  if (training.servers == 0) {
    memory.optimizer_state = memory.parameters * training.optimizer->slots();
  }
  const WorkspacePlan plan = plan_of(training, batch, simd);
  for (const LayerRun& run : plan.runs()) {
    for (std::size_t i = run.first; i < run.last; ++i) {
      memory.outputs += bytes(plan.output(i).floats);
      memory.saved += bytes(plan.saved(i).floats);
      const Bytes forward{4 * network.layers()[i]->forward_scratch_floats(run.group, simd)};
      memory.forward_scratch = std::max(memory.forward_scratch, forward);
    }
  }
  memory.output_gradients = bytes(plan.gradient_floats());
  memory.scratch = bytes(plan.scratch().floats);
  memory.batch = batch_bytes(network, batch);
  return memory;
}

}  // namespace

std::vector<LayerMemory> layer_memory(const Training& training, int simd) {
  const std::int64_t batch = training.batch_size;
  const WorkspacePlan plan = plan_of(training, batch, simd);
  const auto layers = training.network->layers();
  std::vector<LayerMemory> all;
  double operations = 0;
  for (const LayerRun& run : plan.runs()) {
    for (std::size_t i = run.first; i < run.last; ++i) {
      const Layer& layer = *layers[i];
      LayerMemory& of = all.emplace_back();
      of.output = bytes(plan.output(i).floats);
      of.output_gradient = bytes(plan.gradient(i).floats);
      of.gradient_place = static_cast<std::uint32_t>(plan.gradient(i).buffer);
      of.saved = bytes(plan.saved(i).floats);
      of.scratch = {4 * layer.scratch_floats(run.group, simd)};
      of.forward_scratch = {4 * layer.forward_scratch_floats(run.group, simd)};
      of.reads = layer.reads();
      of.forward_part = layer.forward_cost(batch).flops.value;
      of.backward_part = layer.backward_cost(batch, i > 0).flops.value;
      operations += of.forward_part + of.backward_part;
    }
  }
  for (LayerMemory& each : all) {
    each.forward_part = operations > 0 ? each.forward_part / operations : 0;
    each.backward_part = operations > 0 ? each.backward_part / operations : 0;
  }
  return all;
}

StepMemory step_memory(const Training& training, int simd) {
  return memory_of(training, training.batch_size, simd);
}

StepMemory evaluation_memory(const Training& training, int simd) {
  return memory_of(training, std::min(training.network->evaluation_batch(), training.test_examples),
                   simd);
}

}  // namespace foretrain
