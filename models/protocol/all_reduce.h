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

/// Each worker computes a gradient of the same parameters, all gradients are added up (see
/// reduction.h), and the owner of a bucket applies their mean to it:
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
///     worker -> worker    partial       a bucket's gradients so far; the owner gets the sum
///     owner               applies the mean
///     worker -> worker    parameters    the bucket's new values, passed on to all
///
/// A step moves 2 (N - 1) / N of the parameters through each worker, in each direction, in
/// 2 (N - 1) / N messages a bucket, over a hypercube in as few as 2 log2 N of all (halving.h).
/// Applying in between, each worker its own part, takes 1 / N of the time and of the optimizer's
/// memory that applying everywhere after an all-reduce would take, for the same numbers
/// (Rajbhandari, Rasley, Ruwase, He 2020). Over trees two groups own all. Forecasts have parameters
/// in parts, too (`training.shard`, gathers.h).
///
/// In half precision (`training.compression`) the owner keeps the values of single precision for
/// itself, a master copy: what goes back is how far these are from the values that all hold, and
/// all, the owner with them, add it in halves. So all hold the same, and what rounding takes from
/// one difference is in the next.
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
  /// What the held values of a bucket are short of, in halves; then they have it.
  [[nodiscard]] Payload catch_up(std::uint32_t bucket, Effects& effects);

  bool keeps_master_;
  std::map<std::uint32_t, ShardBucket> owned_;  // by bucket
};

/// Its nodes: an AllReduceWorker each.
Protocol all_reduce_protocol();

}  // namespace foretrain
