// Synchronous SGD without servers: workers sum up their gradients among themselves.
#pragma once

#include "models/protocol/collective_worker.h"
#include "models/protocol/protocol.h"
#include "models/protocol/shard.h"

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace foretrain {

/// Each worker computes a gradient of the same parameters, all gradients are summed (reduction.h),
/// and the owner of a bucket applies their mean to it:
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
///     worker -> worker    partial       a bucket's gradients so far; the owner gets the sum
///     owner               applies the mean
///     worker -> worker    parameters    the bucket's new values, forwarded to all
///
/// A step moves 2 (N - 1) / N of the parameters through each worker, in each direction, in as many
/// messages a bucket; over a hypercube in as few as 2 log2 N messages in all (recursive_halving.h).
/// The update between the two passes, each worker's own part, takes 1 / N of the time and of the
/// optimizer's memory that updating everything after an all-reduce would take, for the same numbers
/// (Rajbhandari, Rasley, Ruwase, He 2020). Over trees two groups own everything. Forecasts also
/// support parameters in parts (`training.shard`, gathers.h).
///
/// In half precision (`training.compression`) the owner has a master copy in single precision. It
/// sends back the difference between the master copy and the values that all workers hold, and all
/// workers, the owner included, add it in half precision. So all hold the same values, and the
/// rounding error of one difference is part of the next one.
///
/// A round is one step, and a worker may be one step ahead of another (collective_worker.h). The
/// order of a sum is that of the route, so weights are a function of the seed, whatever the timing.
class AllReduceWorker : public CollectiveWorker {
 public:
  AllReduceWorker(const std::shared_ptr<const Training>& training, NodeId id);

 private:
  void use_gradient(Instant now, std::uint32_t bucket, Payload gradient, Effects& effects) override;
  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override;
  Payload finished(std::uint32_t bucket, Effects& effects) override;
  void write_own(StateWriter& state) const override;
  void read_own(StateReader& state) override;
  [[nodiscard]] Bytes own_size() const override;
  /// Returns the difference, in halves, that the held values of a bucket lack, and adds it to them.
  [[nodiscard]] Payload catch_up(std::uint32_t bucket, Effects& effects);

  bool keeps_master_;
  std::map<std::uint32_t, ShardBucket> owned_;  // by bucket
};

/// All its nodes are AllReduceWorkers.
Protocol all_reduce_protocol();

}  // namespace foretrain
