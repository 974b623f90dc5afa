#include "models/graph/node_memory.h"

#include "models/cost/work.h"
#include "models/graph/step_memory.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/recursive_halving.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "models/protocol/touched.h"

#include <algorithm>
#include <cmath>

namespace foretrain {
namespace {

/// The parameters that `id` applies gradients to: the shard of a server, or the part that a worker
/// of an all-reduce owns; with `single` all.
std::int64_t applied_by(const Training& training, NodeId id) {
  const Protocol& protocol = *training.protocol;
  if (protocol.updated_by != nullptr) return protocol.updated_by(training, id);
  const bool worker = training.is_worker(id);
  if (worker && training.servers > 0) return 0;
  const int shard = static_cast<int>(index_of(id)) - (worker ? 0 : training.workers);
  std::int64_t count = 0;
  for (const Bucket& bucket : training.layout->buckets) {
    const bool kept = worker ? training.keeps_part(shard, bucket.shard) : bucket.shard == shard;
    if (kept) count += bucket.count;
  }
  return count;
}

/// The mean size of a push of all buckets of a sparse training.
Bytes push_of(const Training& training) {
  const std::int64_t count = touched(training);
  return push_size({count, count});
}

Bytes largest_message(const Training& training) {
  if (training.nodes() == 1) return {};
  if (training.sparse()) return push_of(training);
  const Layout& layout = *training.layout;
  if (training.servers == 0 && Ways::of(training, layout.buckets.front()).hypercube) {
    return largest_of_halving(layout, gradient_stages(training), training.workers);
  }
  return std::ranges::max(layout.buckets, {}, &Bucket::count).size();
}

/// Forward passes of an evaluation write outputs and scratch, but no gradients. A buffer larger
/// than the training's is allocated in addition, because other blocks prevent its growth.
Bytes evaluation_of(const Training& training, const StepMemory& step, int simd) {
  if (training.test_examples == 0) return {};
  const StepMemory memory = evaluation_memory(training, simd);
  const bool fits = memory.activations() + memory.scratch <= step.activations() + step.scratch;
  return memory.batch + (fits ? Bytes{} : memory.outputs + memory.forward_scratch);
}

/// Parameters at a worker that keeps `applied` of them: all, or its own and the gathered ones.
Bytes parameters_of(const Training& training, std::int64_t applied) {
  const Bytes all{4 * training.network->parameters()};
  if (!training.gathers()) return all;
  return std::min(all, Bytes{4 * applied} + read_by_two_stages(training));
}

/// Gradients at such a worker; if batches are added up, a sum and its addend.
Bytes gradients_of(const Training& training, std::int64_t applied) {
  const Bytes all{4 * touched(training)};
  if (training.adds_batches()) return all * 2;
  if (!training.shards_gradients()) return all;
  return std::min(all, Bytes{4 * applied} + made_by_two_stages(training));
}

/// Values kept by a worker that sums in half precision over a hypercube (recursive_halving.h).
Bytes halves_kept(const Training& training, NodeId id) {
  const Layout& layout = *training.layout;
  if (training.gathers() || !Ways::of(training, layout.buckets.front()).hypercube) return {};
  const auto worker = static_cast<int>(index_of(id));
  return compressed_size(training.compression, owned_by_half(layout, training.workers, worker));
}

}  // namespace

Bytes NodeMemory::resident(bool has_evaluated, Bytes held) const {
  const Bytes training = step + (has_evaluated ? evaluation : Bytes{}) + message + held;
  return data + std::max(drawing, learned + std::max(set_up, training));
}

NodeMemory node_memory(const Training& training, const DataMemory& data, NodeId id, int simd) {
  const std::int64_t all = training.network->parameters();
  const std::int64_t applied = applied_by(training, id);
  const std::int64_t slots = training.optimizer->slots();
  const std::int64_t sums = training.sparse() ? 8 : 0;  // at a server, for the pushes of a step
  const Protocol& protocol = *training.protocol;
  NodeMemory memory;
  memory.learned = {applied * (4 * slots + sums)};
  if (protocol.kept_by != nullptr) memory.learned += protocol.kept_by(training, id);
  memory.message = largest_message(training);
  if (!training.is_worker(id)) {
    memory.learned += {4 * applied};
    memory.set_up = {4 * all};
    return memory;
  }
  memory.learned += parameters_of(training, applied);
  if (training.compression.keeps_rest()) memory.learned += {4 * all};
  const bool masters = training.servers == 0 && training.compression.converts_sums();
  if (masters) memory.learned += Bytes{4 * applied} + halves_kept(training, id);  // all_reduce.h
  if (training.nodes() == 1) memory.set_up = {4 * all};
  const std::int64_t examples = (data.train_examples + training.workers - 1) / training.workers;
  const Bytes share = data.share_example * examples;
  memory.drawing = data.drawing;
  memory.data = share.value > 0 ? share : data.examples + Bytes{8 * examples};
  const StepMemory step = step_memory(training, simd);
  const std::int64_t batches = data.prefetched && !training.sparse() ? 2 : 1;
  memory.step =
      gradients_of(training, applied) + step.activations() + step.scratch + step.batch * batches;
  if (index_of(id) == 0) memory.evaluation = evaluation_of(training, step, simd);
  return memory;
}

WorkerShare worker_share(const Training& training, NodeId id) {
  const std::int64_t applied = applied_by(training, id);
  return {parameters_of(training, applied), gradients_of(training, applied),
          static_cast<double>(applied) / static_cast<double>(training.network->parameters())};
}

Bytes expected_held(const Training& training, NodeId id) {
  const Protocol& protocol = *training.protocol;
  if (training.is_worker(id)) {
    // A root has the gradients of a bucket, then their mean.
    return protocol.rooted && index_of(id) == 0 ? largest_message(training) * training.workers
                                                : Bytes{};
  }
  const std::int64_t pushed =
      training.sparse() ? push_of(training).value / training.servers : 4 * applied_by(training, id);
  // A server that waits for all workers has the gradients of all, including late ones.
  return {pushed * (protocol.synchronous ? training.workers : 1)};
}

}  // namespace foretrain
