// All that a node program has to know of its training.
#pragma once

#include "models/base/time.h"
#include "models/data/dataset.h"
#include "models/networks/network.h"
#include "models/optimizers/optimizer.h"
#include "models/payload/compression.h"
#include "models/protocol/checkpoint_rule.h"
#include "models/protocol/layout.h"
#include "models/protocol/options.h"
#include "models/tensor/payload.h"

#include <concepts>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// `training.until`: the training ends when an evaluation of the chief reaches one of these.
/// Without numerics none is ever reached.
struct Target {
  double accuracy = 0;  ///< at least this share of the test examples; 0: not a target
  double loss = 0;      ///< at most this mean over the test examples, nats; 0: not a target

  [[nodiscard]] bool wanted() const { return accuracy > 0 || loss > 0; }
  /// NaN means not measured, and reaches no target.
  [[nodiscard]] bool reached(double loss_found, double accuracy_found) const {
    return (accuracy > 0 && accuracy_found >= accuracy) || (loss > 0 && loss_found <= loss);
  }
  bool operator==(const Target&) const = default;
};

struct Protocol;

/// The data that each worker has only in part (gathers.h): the optimizer's state; gradients, too;
/// parameters, too.
enum class Sharded : std::uint8_t { optimizer, gradients, parameters };

/// Shared and immutable: the same in every node of a training.
struct Training {
  const Protocol* protocol = nullptr;  ///< its strategy (registry.h)
  ProtocolOptions options;             ///< options that the strategy reads
  int workers = 1;                     ///< node ids 0 .. workers - 1; 0 is the chief
  int servers = 1;                  ///< node ids workers .. workers + servers - 1; 0 for `single`
  int batch_size = 1;               ///< examples in a batch
  int accumulate = 1;               ///< batches in a gradient, which is the mean over them
  std::int64_t steps = 1;           ///< gradients of each worker; times workers: gradients in all
  std::int64_t updates = 0;         ///< in all, if an update leaves some gradients out; else 0
  std::int64_t evaluate_every = 0;  ///< steps between evaluations; 0: only at the end
  /// Updates that servers make during one step of each worker: evaluations are due by updates, from
  /// any worker, so a slow or always late chief evaluates as soon as it can.
  std::int64_t updates_a_step = 1;
  CheckpointRule checkpoint;  ///< when states are saved
  Target target;              ///< ends the training if an evaluation before the last reaches it
  std::uint64_t seed = 1;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Optimizer> optimizer;
  OptimizerSpec optimizer_spec;  ///< the options that concern a worker: clipping, penalty
  std::shared_ptr<const Layout> layout;
  std::int64_t train_examples = 0;  ///< shared by all workers; 0: unknown
  std::int64_t test_examples = 0;
  int threads = 1;      ///< threads that a worker computes with
  bool overlap = true;  ///< buckets are sent while others are computed
  /// Sums among workers go over a hypercube if each owns at most this many bytes (route.h). It
  /// affects the last bits of the weights, so the scenario determines it: 1 MB if it has no
  /// `cluster`, wherever its nodes run; 0 if devices share a NIC.
  Bytes small_share{64'000};
  /// A worker begins its part of a bucket's sum when it has the new values of the one before.
  bool one_by_one = false;
  /// A worker waits this long until a collective has started; only in forecasts.
  Duration launch{};
  bool forward_waits = false;  ///< a forward pass waits for all new values
  Sharded sharded = Sharded::optimizer;
  /// Workers that together have all parameters: a group (route.h), so groups are replicas of each
  /// other; 0: all workers are one group.
  int parts = 0;
  /// Gradients are reduced after each batch, not once for all batches of a gradient: their owners
  /// add up the batches.
  bool reduces_batches = false;
  /// Gradients are sent as full vectors; else those of a sparse model as the parameters they touch.
  bool dense = false;
  double touched_mean = 0;  ///< sparse: mean number of parameters that a batch touches
  Compression compression;  ///< of pushes to servers; none with a sparse model
  /// False: payloads are sizes only, jobs have no work.
  bool numerics = true;
  /// Parameters to start from; null: drawn at random. Null without numerics.
  std::shared_ptr<const std::vector<float>> start{};
  /// Statistics to start from, with `start`; empty: as before the first gradient.
  std::vector<float> start_statistics{};
  /// The data set; null without numerics, or in a process that has no worker.
  std::shared_ptr<const DataSplit> data;
  /// If a node without which the training cannot continue is lost, the others wait this long for a
  /// replacement process; then all continue from the newest checkpoint. 0: the training fails.
  Duration return_limit{};

  /// Without servers: the chief evaluates the parameters that it holds after this step of its own.
  [[nodiscard]] bool evaluated_after(Step step) const {
    return evaluate_every > 0 && step.value % evaluate_every == 0;
  }
  /// Parameters are gathered before they are read.
  [[nodiscard]] bool gathers() const { return sharded == Sharded::parameters && workers > 1; }
  /// Groups of workers have parameters in parts, and are replicas of each other.
  [[nodiscard]] bool has_replicas() const { return gathers() && parts > 0 && parts < workers; }
  /// Worker `rank` holds the part that `owner`, a bucket's shard, updates: as owner or as replica.
  [[nodiscard]] bool keeps_part(int rank, int owner) const {
    return has_replicas() ? (rank - owner) % parts == 0 : rank == owner;
  }
  [[nodiscard]] bool same_group(int a, int b) const {
    return !has_replicas() || a / parts == b / parts;
  }
  /// The number of sums of gradients among workers in a round.
  [[nodiscard]] int sums_a_round() const { return reduces_batches ? accumulate : 1; }
  /// A worker adds up batches, as gradients of all parameters.
  [[nodiscard]] bool adds_batches() const { return accumulate > 1 && !reduces_batches; }
  /// A worker holds no gradient of all parameters.
  [[nodiscard]] bool shards_gradients() const {
    return sharded != Sharded::optimizer && workers > 1 && !adds_batches();
  }
  /// The data that only a lost node had; empty if none.
  [[nodiscard]] std::string_view gone_with(NodeId id) const {
    return gathers() && is_worker(id) ? "its part of the parameters" : std::string_view();
  }
  /// If a node is lost without which no other continues, all continue once it is back.
  [[nodiscard]] bool begins_again() const { return return_limit.ns > 0 && nodes() > 1; }
  [[nodiscard]] std::int64_t examples_a_gradient() const {
    return std::int64_t{batch_size} * accumulate;
  }
  [[nodiscard]] bool sparse() const { return network->sparse() && !dense; }
  [[nodiscard]] int nodes() const { return workers + servers; }
  [[nodiscard]] NodeId worker(std::integral auto index) const { return NodeId(index); }
  [[nodiscard]] NodeId server(int shard) const { return NodeId(workers + shard); }
  [[nodiscard]] bool is_worker(NodeId id) const {
    return index_of(id) < static_cast<std::uint32_t>(workers);
  }
  /// The node's name for users: worker0, ..., server0, ...
  [[nodiscard]] std::string role(NodeId id) const;
};

/// The parameters that a training starts from: `start`, or drawn from the stream `init`. They are
/// the same at every node, so none has to send them. Without numerics only a size.
Payload initial_parameters(const Training& training);

}  // namespace foretrain
