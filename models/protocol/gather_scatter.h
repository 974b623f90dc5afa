// Synchronous SGD through worker 0, which gathers gradients, then scatters their mean.
#pragma once

#include "models/protocol/collective_worker.h"
#include "models/protocol/protocol.h"
#include "models/protocol/shard.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain {

/// Worker 0, the root, gathers the gradients of a bucket, usually a tensor, and scatters their
/// mean; every worker applies it to its own copy of the parameters:
///
///     mean    = (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///     w_{t+1} = w_t - rate * mean
///
///     worker n -> root    partial       g_n of a bucket
///     root                adds its own and all others, in the order of the workers, divides
///     root -> worker n    parameters    the mean; then every worker applies it
///
/// It is what a loop over `dist.gather` and `dist.scatter` does in PyTorch. Both calls block, so a
/// worker sends its next bucket once it has applied the mean of the last one (launch_queue.h); with
/// `overlap: off` the first leaves after the whole backward pass. With `collectives: together` all
/// buckets leave at once, as by `isend` and `irecv`, and the root's port is busy in both
/// directions.
///
/// For P parameters in B buckets a step costs:
///
///     the root        (N - 1) B messages in, as many out; 4 (N - 1) P bytes in, as many out
///     other workers   B messages out, B in; 4 P bytes out, as many in
///
/// with 64 bytes of header in each message. The root's port carries N - 1 times the traffic of the
/// others, first in one direction, then in the other, so with N workers a step needs
/// 2 (N - 1) x 4 P / (the port's rate) after the gradients. An all-reduce has no root: each port
/// carries 2 (N - 1) / N x 4 P, in both directions at the same time, and takes 1 / N of the time.
/// At N = 2 a port carries the same bytes either way, but an all-reduce uses both directions at
/// once.
///
/// At workers other than the root no sum arrives, so `wait` is 0: time spent waiting for the
/// slowest worker is part of push and pull.
///
/// Each worker holds the optimizer's state of all P parameters, as with DistributedDataParallel.
/// The sum is taken in the order of the workers, so weights have the bits that `sync` gives.
class GatherScatterWorker : public CollectiveWorker {
 public:
  GatherScatterWorker(const std::shared_ptr<const Training>& training, NodeId id);

 private:
  void use_gradient(Instant now, std::uint32_t bucket, Payload gradient, Effects& effects) override;
  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override;
  Payload finished(std::uint32_t bucket, Effects& effects) override;
  Job use_job(std::uint32_t bucket, JobId id, const Payload& sent) override;
  void used(std::uint32_t bucket) override;
  void write_own(StateWriter& state) const override;
  void read_own(StateReader& state) override;
  [[nodiscard]] Bytes own_size() const override;

  std::vector<std::unique_ptr<ShardBucket>> own_;  // by bucket: this worker's optimizer
  std::vector<Payload> means_;                     // by bucket, at the root, until it is sent
};

/// All its nodes are GatherScatterWorkers.
Protocol gather_scatter_protocol();

}  // namespace foretrain
