// Workers of a host that add up their gradients before one of them pushes the sum to the servers.
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
/// --local_parameter_device=gpu`, as BytePS does:
///
///     worker -> worker    partial       a bucket's gradients so far, round the ring of the host
///     worker -> server    push          the bucket's owner on the host sends the sum of all
///     server -> worker    parameters    to that owner
///     worker -> worker    parameters    on to the others, round the ring the other way
///
/// Nothing here is computed anew: the programs are the strategy's, of each worker, of a server that
/// knows hosts as its workers; what is between them is the all-reduce of a host
/// (models/protocol/reduction.h), whose new values are those that the server answers. Owners are
/// dealt by bytes: each bucket goes to who has the fewest so far, as TensorFlow deals variables. So
/// a host's port carries what one worker's gradient has, whatever the number D of its workers, and
/// of a bucket of n bytes either way round takes D - 1 messages of the links' latency + n / rate,
/// one after another.
///
/// A worker begins its next gradient when it has the values, whether others of its host have them
/// or not: the first on the ring is so far ahead of the last, and gives its part so much sooner.
/// Where one bucket is all there is, both ways overlap, and a step waits for D of these messages in
/// place of 2 (D - 1); of two workers that is the same.
///
/// What it pushes is compressed after it is added up. No numbers are carried out, no node is lost,
/// no state kept (scenarios/resolve/local_sum.h).
class LocalSum {
 public:
  /// Of `training`, whose workers are at these places, as many on each host.
  LocalSum(const Training& training, const std::vector<NodePlace>& places);

  /// The program of node `id`.
  [[nodiscard]] std::unique_ptr<Node> program_of(NodeId id) const;

  /// What all programs know.
  struct Hosts {
    std::vector<std::vector<NodeId>> workers;    ///< by host, in the order of their first workers
    std::vector<std::size_t> host_of;            ///< by worker
    std::shared_ptr<const Training> training;    ///< of all workers, as each of them knows it
    std::shared_ptr<const Training> of_a_host;   ///< its workers alone
    std::shared_ptr<const Training> of_servers;  ///< its workers are hosts
  };

 private:
  std::shared_ptr<const Hosts> hosts_;
};

}  // namespace foretrain::sim
