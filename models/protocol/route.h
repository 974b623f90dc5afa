// The route of a bucket between workers that sum it without a server.
#pragma once

#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace foretrain {

/// `group`: workers of a host, with consecutive ids, sum among themselves before hosts do.
extern const Option kGroup;
/// `algorithm`: the routes of sums.
extern const Option kAlgorithm;
/// `collectives`: whether the sums of several buckets overlap.
extern const Option kCollectives;
/// The error if `group` does not divide the workers.
std::optional<WrongOption> wrong_group(const ProtocolOptions& options, int workers);

/// On one host, the case of a scenario without a `cluster`, a hypercube is quicker if each worker
/// owns at most this many bytes. If processes share cores, the number of messages matters, and a
/// hypercube takes fewer. Steps on two cores of a Zen 5, in ms, round the ring and over the
/// hypercube:
///
///     4 workers own     ring   hypercube     8 workers own     ring    hypercube
///       0.01 MB         0.157  0.097           0.004 MB        0.57    0.25
///       0.27            1.18   0.78            0.13            2.57    1.76
///       0.67            2.53   2.07            0.33            7.07    5.77
///       1.33            5.97   5.65            0.67            14.4    12.4
///       3.28            27.4   27.4            1.64            57.7    57.2
///
/// Between hosts the wires matter (`Training::small_share`): a ring fills them with small pieces,
/// so with 16 hosts at 10 Gbit/s it is as quick from 60 KB on, by forecast, and few of its edges
/// cross the core of a cluster. To run a scenario without a `cluster` on several hosts, write
/// `algorithm: ring`.
inline constexpr Bytes kSmallShareHere{1'000'000};

/// The algorithm of a bucket's sums.
struct Ways {
  int workers = 1;
  bool hypercube = false;  ///< else rings
  int group = 1;           ///< workers of an inner ring; 1: one ring of all workers
  bool tree = false;       ///< between groups, instead of the outer rings
  bool star = false;       ///< all exchange with the owner (Protocol::rooted)

  /// As the training says. A hypercube is used with `by_size`, 4, 8, 16, ... workers, no groups,
  /// and at most `Training::small_share` owned by each worker.
  static Ways of(const Training& training, const Bucket& bucket);
};

/// The part of one worker in the sum of a bucket, its own or another's: it receives the sums of its
/// sources, adds its own gradient and sends the sum on; later it receives the new values and
/// forwards them. Workers are given by their numbers.
///
/// Ring: the sum goes from o + 1 round to o, the values from o to o - 1. With N workers each step
/// of a bucket takes 2 (N - 1) messages one after another, and buckets owned round robin keep every
/// link busy all the time (Patarasuk, Yuan 2009).
///
/// Groups of G, M of them: first round the ring of each group, to the member that has the owner's
/// place there, then round the ring of these members: 2 (G - 1 + M - 1) messages one after another,
/// of which 2 (M - 1) leave the group. Values go the other way. So groups that are hosts wait less
/// for the wires between them (hierarchical all-reduce; Jia et al. 2018, section 3.3).
///
/// Hypercube: if N is a power of two and little is summed, the number of messages matters more than
/// busy links: sums halve their number at every turn, over the edges of a hypercube, and values
/// double theirs: 2 log2 N messages one after another for the same bytes (Thakur, Rabenseifner,
/// Gropp 2005, recursive halving and doubling). The sum of the worker at distance d = worker XOR
/// owner goes to the worker whose distance lacks the highest bit of d.
///
/// Tree (`algorithm: tree`): M groups of G are arranged as a heap: the children of group k are
/// groups 2 k + 1 and 2 k + 2. Groups are counted from the first if the owner is in the first half,
/// else from the last: of the two trees with these roots the leaves of one are inner nodes of the
/// other, so each port carries as much (Sanders, Speck, Traeff 2009). 2 (G - 1 + log2 M) messages
/// follow one another; buckets are pipelined, so a tree takes the time of its bytes. Only two
/// groups own buckets and make updates. The default `group` is here the devices of a host: trees
/// between hosts, a chain in each, as in NCCL.
///
/// Star (`gather_scatter`): all sums come to the owner, and the values go out from it:
/// 2 (N - 1) messages through one port.
///
/// A route is computed on demand, not stored: N workers have N x N routes.
class Route {
 public:
  Route(const Training& training, const Bucket& bucket, int worker)
      : Route(Ways::of(training, bucket), bucket.shard, worker) {}
  Route(const Ways& ways, int owner, int worker);

  /// The workers whose sums come here, in the order in which they are added.
  [[nodiscard]] std::size_t sources() const { return sources_; }
  [[nodiscard]] int source(std::size_t i) const;
  /// The index of `worker` among the sources.
  [[nodiscard]] std::optional<std::size_t> source_of(int worker) const;
  /// The worker that the sum goes to; none for the owner.
  [[nodiscard]] std::optional<int> sum_to() const;
  /// The worker that the values come from; none for the owner.
  [[nodiscard]] std::optional<int> values_from() const;
  /// The workers that the values are forwarded to, in order.
  [[nodiscard]] std::size_t targets() const { return targets_; }
  [[nodiscard]] int target(std::size_t i) const;

 private:
  // The next worker (turns: 1) or the one before (-1) in its group's ring, or across groups.
  [[nodiscard]] int within(int turns) const;
  [[nodiscard]] int across(int turns) const;
  // The number of its group in the owner's tree; the worker at its place in group `number`.
  [[nodiscard]] int heap_number() const;
  [[nodiscard]] int in_heap(int number) const;
  [[nodiscard]] bool counts_up() const {
    return 2 * (owner_ / ways_.group) < ways_.workers / ways_.group;
  }
  void add_children();
  // The parent in a tree, or the worker `turns` further in a ring, at the same place.
  [[nodiscard]] int neighbour(int turns) const;
  [[nodiscard]] bool has_owners_place() const {
    return ways_.group == 1 || (owner_ - worker_) % ways_.group == 0;
  }

  Ways ways_;
  int owner_;
  int worker_;
  std::size_t sources_ = 0;
  std::size_t targets_ = 0;
  std::array<int, 3> ring_sources_{};  // the first `sources_` count
  std::array<int, 3> ring_targets_{};
};

/// Workers `a` and `b` are connected by one of the algorithms above.
bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b);
/// The messages of collectives leave in the order of their collectives (collective_turns.h).
bool messages_take_turns(const Training& training);
/// Worker `id` sends a message to all that it is connected to except `heard_from`, so that it
/// reaches every worker.
void flood(const Message& message, const Training& training, NodeId id, NodeId heard_from,
           Effects& effects);

}  // namespace foretrain
