// The way of a bucket between workers that sum it up without a server.
#pragma once

#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace foretrain {

/// Workers of a host, whose ids follow each other, add up among themselves before hosts do.
extern const Option kGroup;
/// Which of the ways below sums take.
extern const Option kAlgorithm;
/// It does not divide the workers.
std::optional<WrongOption> wrong_group(const ProtocolOptions& options, int workers);

/// Up to so many bytes that each worker owns a hypercube is quicker on one host, the place of a
/// scenario without a `cluster`. Where processes share their cores messages are what counts, and it
/// takes fewer. Steps on two cores of a Zen 5, ms, round the
/// ring and over the hypercube:
///
///     4 workers own     ring   hypercube     8 workers own     ring    hypercube
///       0.01 MB         0.157  0.097           0.004 MB        0.57    0.25
///       0.27            1.18   0.78            0.13            2.57    1.76
///       0.67            2.53   2.07            0.33            7.07    5.77
///       1.33            5.97   5.65            0.67            14.4    12.4
///       3.28            27.4   27.4            1.64            57.7    57.2
///
/// Between hosts wires count (`Training::small_share`): a ring fills them with small pieces, so of
/// 16 hosts with 10 Gbit/s it is as quick from 60 KB on, by forecast; and few of its edges go
/// through the middle of a cluster. Who starts a scenario without a `cluster` on several hosts can
/// write `algorithm: ring`.
inline constexpr Bytes kSmallShareHere{1'000'000};

/// The ways of a bucket of a training.
struct Ways {
  int workers = 1;
  bool hypercube = false;  ///< else rings
  int group = 1;           ///< workers of a ring of the inner ones; 1: there is one ring of all
  bool tree = false;       ///< between groups, instead of the outer rings

  /// As the training says; over a hypercube: `by_size`, 4, 8, 16, ... workers, no groups, each of
  /// which owns at most `Training::small_share`.
  static Ways of(const Training& training, const Bucket& bucket);
};

/// What one worker does for a bucket that another, or itself, owns: it takes in the sums of its
/// sources, adds its own gradient, sends the sum on; later it takes the new values in and sends
/// them on. Numbers are those of workers.
///
/// Round the ring, o + 1 to o for the sum, o to o - 1 for the values: of N workers each step of a
/// bucket takes 2 (N - 1) messages one after another, and buckets dealt round keep every link busy
/// all the time (Patarasuk, Yuan 2009).
///
/// In groups of G, M of them, it is the same round the ring of each group, to the member that has
/// the owner's place there, then round the ring of these: 2 (G - 1 + M - 1) messages one after
/// another, of which 2 (M - 1) leave the group. Values go the other way. So groups that are hosts
/// wait less for the wires between them (hierarchical all-reduce; Jia et al. 2018, section 3.3).
///
/// Where N is a power of two and little is summed up, messages count more than links that are busy:
/// then sums halve their number at every turn, over the edges of a hypercube, and values double
/// theirs: 2 log2 N messages one after another for the same bytes (Thakur, Rabenseifner, Gropp
/// 2005, recursive halving and doubling). Of the worker at distance d = worker XOR owner the sum
/// goes to the one whose distance lacks the highest bit of d.
///
/// Over a tree (`algorithm: tree`) groups of G, M of them, lie like a heap: the k-th one's children
/// are the 2 k + 1-th and the 2 k + 2-th. Groups of owners in the first half count from the first,
/// of others from the last: of the two trees with these roots the leaves of one are inner nodes of
/// the other, so each port carries as much (Sanders, Speck, Traeff 2009). 2 (G - 1 + log2 M)
/// messages one after another; buckets follow each other, so a tree takes the time of its bytes.
/// Only two groups own something: updates are theirs. Left out, `group` is the devices of a host
/// here: trees between hosts, a chain in each, as NCCL has them.
///
/// It is arithmetic, so nothing is kept of it: of N workers there are N x N.
class Route {
 public:
  Route(const Training& training, const Bucket& bucket, int worker)
      : Route(Ways::of(training, bucket), bucket.shard, worker) {}
  Route(const Ways& ways, int owner, int worker);

  /// Those whose sums come here, in the order in which they are added.
  [[nodiscard]] std::size_t sources() const { return sources_; }
  [[nodiscard]] int source(std::size_t i) const;
  /// Which of the sources `worker` is.
  [[nodiscard]] std::optional<std::size_t> source_of(int worker) const;
  /// Where the sum goes; the owner's: nowhere.
  [[nodiscard]] std::optional<int> sum_to() const;
  /// Whom the values come from; the owner's: nobody.
  [[nodiscard]] std::optional<int> values_from() const;
  /// Those whom the values are sent on to, in order.
  [[nodiscard]] std::size_t targets() const { return targets_; }
  [[nodiscard]] int target(std::size_t i) const;

 private:
  // In its group's ring, and in that of its place over all groups: one turn on, or one back.
  [[nodiscard]] int within(int turns) const;
  [[nodiscard]] int across(int turns) const;
  // Of those that have its place: which number its group has in the owner's tree, who is at one.
  [[nodiscard]] int heap_number() const;
  [[nodiscard]] int in_heap(int number) const;
  [[nodiscard]] bool counts_up() const {
    return 2 * (owner_ / ways_.group) < ways_.workers / ways_.group;
  }
  void add_children();
  // Of those that have its place: by a tree its parent, by a ring who is so many turns on.
  [[nodiscard]] int neighbour(int turns) const;
  [[nodiscard]] bool has_owners_place() const {
    return ways_.group == 1 || (owner_ - worker_) % ways_.group == 0;
  }

  Ways ways_;
  int owner_;
  int worker_;
  std::size_t sources_ = 0;
  std::size_t targets_ = 0;
  std::array<int, 3> ring_sources_{};  // of those
  std::array<int, 3> ring_targets_{};
};

/// Workers `a` and `b` talk to each other in one of the ways above.
bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b);
/// Worker `id` sends a message to all that it talks to but the one that it heard it from, so that
/// it comes to every worker.
void flood(const Message& message, const Training& training, NodeId id, NodeId heard_from,
           Effects& effects);

}  // namespace foretrain
