// Local SGD: workers train alone for some steps, then average their parameters.
#pragma once

#include "models/protocol/collective_worker.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/protocol.h"
#include "models/protocol/shard.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// A round is H steps (`training.local_steps`) in which each of N workers applies its own gradients
/// with its own optimizer, beginning from the same parameters w; then the parameters are averaged
/// (Stich 2019):
///
///     x_n = w;   H times: x_n = optimizer_n(x_n, g_n(x_n))
///     mean = (1/N) * sum over workers n = 0 .. N-1 of x_n
///     w    = mean
///
/// With an outer optimizer (`training.outer`) the averaged change is treated as a gradient, which
/// Nesterov momentum applies to the parameters at the start of the round (DiLoCo; Douillard, Feng,
/// Rusu and others 2023):
///
///     G = w - mean;   v = momentum * v + G;   w = w - rate * (G + momentum * v)
///
/// A round's messages are those of an all-reduce (reduction.h), with parameters in place of
/// gradients; between rounds no messages are sent:
///
///     worker -> worker    partial       a bucket's x_n so far; the owner gets the sum
///     owner               averages, applies the outer optimizer
///     worker -> worker    parameters    the bucket's new w, forwarded to all
///
/// With P parameters each worker sends 2 (N - 1) / N x 4 P bytes a round, so 1 / H of what
/// all_reduce sends a step. It holds P parameters, the state of its own optimizer, and the values
/// that it sends: 4 P / N bytes of its own part; over a hypercube 2 P bytes, those of its half
/// (recursive_halving.h). An outer optimizer adds the part's values at the start of the round and
/// the momentum, 8 P / N bytes.
///
/// `steps` counts a worker's gradients; an update is an averaging; a last, shorter round ends with
/// an averaging, too. The state of a worker's optimizer stays with the worker. Schedules count the
/// examples of all workers. The order of a sum is that of the route, so weights are a function of
/// the seed. With H = 1, sgd and no outer optimizer the mean of w - rate * g_n is what all_reduce
/// computes as w - rate * (mean of g_n): equal up to the rounding of N + 1 operations each.
///
/// The chief evaluates the parameters of the last averaging, also within a round.
class LocalSgdWorker : public CollectiveWorker {
 public:
  LocalSgdWorker(const std::shared_ptr<const Training>& training, NodeId id);

 private:
  /// The state of a bucket that this worker owns.
  struct Owned {
    Payload values;               // the average; another worker may still be reading it
    std::vector<float> start;     // [bucket's count]: at the start of the round (outer optimizer)
    std::vector<float> momentum;  // [bucket's count] (outer optimizer)
  };

  void use_gradient(Instant now, std::uint32_t bucket, Payload gradient, Effects& effects) override;
  void own_computed(Instant now, std::uint32_t bucket, Effects& effects) override;
  void renewed(std::uint32_t bucket, Effects& effects) override;
  [[nodiscard]] const Payload& learned() const override;
  Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) override;
  Payload finished(std::uint32_t bucket, Effects& effects) override;
  [[nodiscard]] bool moves_on() const override { return true; }
  void write_own(StateWriter& state) const override;
  void read_own(StateReader& state) override;
  [[nodiscard]] Bytes own_size() const override;
  /// Computes the average of the bucket for this round.
  void average(std::uint32_t bucket, Step round, const std::vector<Payload>& addends);

  std::vector<std::unique_ptr<ShardBucket>> own_;  // by bucket: this worker's optimizer
  std::unique_ptr<const Optimizer> outer_;         // null if there is none
  std::vector<Owned> owned_;                       // by bucket
  /// The chief's copy of the last average, if it evaluates within rounds.
  std::optional<HeldParameters> averaged_;
};

/// All its nodes are LocalSgdWorkers.
Protocol local_sgd_protocol();

}  // namespace foretrain
