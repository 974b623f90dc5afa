// Workers of a host that add up their gradients before one of them pushes the sum.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/training.h"
#include "scenarios/resolve/placement.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace foretrain::sim {

/// The programs of a training whose hosts push one gradient each (`training.local_sum`), as
/// tf_cnn_benchmarks does on several GPUs with `--variable_update=parameter_server
/// --local_parameter_device=gpu`, and as BytePS does:
///
///     worker -> worker    partial       sum of a bucket's gradients so far, round the host's ring
///     worker -> server    push          the bucket's owner on the host sends the complete sum
///     server -> worker    parameters    to that owner
///     worker -> worker    parameters    on to the others, round the ring the other way
///
/// Nothing is computed here: the programs are the strategy's, one per worker, and one per server,
/// to which hosts appear as workers. Between them stands a host's all-reduce
/// (models/protocol/reduction.h), whose new values are the server's answer. Owners balance bytes:
/// each bucket goes to the worker that owns the fewest so far, as TensorFlow places variables. So a
/// host's port carries one worker's gradient, whatever the number D of its workers. A bucket of n
/// bytes takes, in either direction round the ring, D - 1 successive messages of the links' latency
/// + n / rate each.
///
/// A worker begins its next gradient when it has the values, whether the other workers of its host
/// have them or not: the first worker on the ring is ahead of the last, and delivers its next part
/// earlier by the same time. With a single bucket both directions overlap, and a step waits for D
/// of these messages instead of 2 (D - 1); with two workers the two are equal.
///
/// The sum is compressed before the push. No numerics, no lost nodes, no checkpoints
/// (scenarios/resolve/gradient_counts.h).
class LocalReduction {
 public:
  /// `places`: of the nodes of `training`; every host has the same number of workers.
  LocalReduction(const Training& training, const std::vector<NodePlace>& places);

  /// The program of node `id`.
  [[nodiscard]] std::unique_ptr<Node> program_of(NodeId id) const;

  /// State that all programs share.
  struct Hosts {
    std::vector<std::vector<NodeId>> workers;    ///< by host, in the order of their first workers
    std::vector<std::size_t> host_of;            ///< by worker
    std::shared_ptr<const Training> training;    ///< all workers, as each of them sees it
    std::shared_ptr<const Training> of_a_host;   ///< one host with its workers
    std::shared_ptr<const Training> of_servers;  ///< the servers, with hosts as workers
  };

 private:
  std::shared_ptr<const Hosts> hosts_;
};

}  // namespace foretrain::sim
