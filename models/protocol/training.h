// All that a node program has to know of the training that it is part of.
#pragma once

#include "models/base/time.h"
#include "models/data/dataset.h"
#include "models/networks/network.h"
#include "models/optimizers/optimizer.h"
#include "models/payload/compression.h"
#include "models/protocol/checkpoint.h"
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

/// `training.until`: the training ends when an evaluation of the chief finds one of them. Without
/// numerics nothing is ever found.
struct Target {
  double accuracy = 0;  ///< at least this share of the test examples; 0: not asked for
  double loss = 0;      ///< at most so much, mean over the test examples, nats; 0: not asked for

  [[nodiscard]] bool wanted() const { return accuracy > 0 || loss > 0; }
  /// NaN, of what was not measured, reaches nothing.
  [[nodiscard]] bool reached(double loss_found, double accuracy_found) const {
    return (accuracy > 0 && accuracy_found >= accuracy) || (loss > 0 && loss_found <= loss);
  }
  bool operator==(const Target&) const = default;
};

struct Protocol;

/// Shared and immutable: the same in every node of a training.
struct Training {
  const Protocol* protocol = nullptr;  ///< its strategy (registry.h)
  ProtocolOptions options;             ///< those that the strategy reads
  int workers = 1;                     ///< node ids 0 .. workers - 1; 0 is the chief
  int servers = 1;                  ///< node ids workers .. workers + servers - 1; 0 for `single`
  int batch_size = 1;               ///< examples a batch
  int accumulate = 1;               ///< batches a gradient: it is the mean over them
  std::int64_t steps = 1;           ///< gradients a worker; times workers: gradients in all
  std::int64_t updates = 0;         ///< in all, where an update leaves some gradients out; else 0
  std::int64_t evaluate_every = 0;  ///< steps between evaluations; 0: only at the end
  /// That servers make while each worker takes a step: evaluations are due by updates, whoever made
  /// them, so a chief that is slow, or always late, looks as soon as it can.
  std::int64_t updates_a_step = 1;
  CheckpointRule checkpoint;  ///< when states are kept
  Target target;              ///< ends it where an evaluation before the last finds it
  std::uint64_t seed = 1;
  std::shared_ptr<const Network> network;
  std::shared_ptr<const Optimizer> optimizer;
  OptimizerSpec optimizer_spec;  ///< what of it concerns a worker: clipping, penalty
  std::shared_ptr<const Layout> layout;
  std::int64_t train_examples = 0;  ///< that the workers share; 0: nobody said
  std::int64_t test_examples = 0;
  int threads = 1;      ///< that a worker computes with
  bool overlap = true;  ///< buckets leave while others are computed
  /// Sums among workers of which each owns so much, or less, go over a hypercube (route.h). Part of
  /// what decides the last bits of the weights, so it is the scenario's: 1 MB where that has no
  /// `cluster`, wherever its nodes are started.
  Bytes small_share{64'000};
  /// What a worker waits with its part of a collective until that has started; of forecasts alone.
  Duration launch{};
  bool forward_waits = false;  ///< a forward pass begins when all new values are here
  /// What each worker has its own part of alone (gathers.h): the state of the optimizer |
  /// gradients, too | parameters, too.
  std::string sharded = "optimizer";
  /// Workers that have parts of the parameters: a group (route.h), which has all of them, so groups
  /// are replicas of each other; 0: all workers are one group.
  int parts = 0;
  /// Gradients are reduced after each batch, not once for all batches of a gradient: their owners
  /// add up the batches.
  bool reduces_batches = false;
  /// Gradients travel as full vectors; else those of a sparse model as what they touch.
  bool dense = false;
  double touched_mean = 0;  ///< sparse: parameters that a batch touches, in the mean
  Compression compression;  ///< of what workers push to servers; of a sparse model none
  /// False: payloads are sizes, jobs have no work.
  bool numerics = true;
  /// Parameters to start from; null: drawn. Null without numerics.
  std::shared_ptr<const std::vector<float>> start{};
  /// Statistics to start from, with `start`; empty: as before the first gradient.
  std::vector<float> start_statistics{};
  /// What workers learn from; null without numerics, and where no worker lives.
  std::shared_ptr<const DataSplit> data;
  /// Where a node is lost that nobody can go on without, the others wait so long for another
  /// process in its place; then all go on from the newest checkpoint. 0: that is the end.
  Duration return_limit{};

  /// Without servers the chief evaluates the parameters that it holds after so many of its steps.
  [[nodiscard]] bool evaluated_after(Step step) const {
    return evaluate_every > 0 && step.value % evaluate_every == 0;
  }
  /// Parameters are gathered before they are read.
  [[nodiscard]] bool gathers() const { return sharded == "parameters" && workers > 1; }
  /// Groups of workers have parameters in parts, and are replicas of each other.
  [[nodiscard]] bool has_replicas() const { return gathers() && parts > 0 && parts < workers; }
  /// Worker `rank` keeps what `owner` updates, a bucket's shard: its own, or its group's replica.
  [[nodiscard]] bool keeps_part(int rank, int owner) const {
    return has_replicas() ? (rank - owner) % parts == 0 : rank == owner;
  }
  [[nodiscard]] bool same_group(int a, int b) const {
    return !has_replicas() || a / parts == b / parts;
  }
  /// Sums of gradients among workers, a round.
  [[nodiscard]] int sums_a_round() const { return reduces_batches ? accumulate : 1; }
  /// It adds up batches, as gradients of all parameters.
  [[nodiscard]] bool adds_batches() const { return accumulate > 1 && !reduces_batches; }
  /// A worker keeps no gradient of all parameters.
  [[nodiscard]] bool shards_gradients() const {
    return sharded != "optimizer" && workers > 1 && !adds_batches();
  }
  /// What is gone with a node that is lost, for it alone had it; empty: nothing.
  [[nodiscard]] std::string_view gone_with(NodeId id) const {
    return gathers() && is_worker(id) ? "its part of the parameters" : std::string_view();
  }
  /// Nobody goes on without some node that is lost, but all go on together once it is back.
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
  /// What people call the node: worker0, ..., server0, ...
  [[nodiscard]] std::string role(NodeId id) const;
};

/// The parameters that a training starts from, those of `start` or drawn from the stream `init`:
/// every node has the same, so nobody has to send them. A size alone without numerics.
Payload initial_parameters(const Training& training);

}  // namespace foretrain
