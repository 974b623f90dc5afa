// Sums of buckets that take their routes one by one, round rings or over trees.
#pragma once

#include "models/protocol/reduction.h"
#include "models/protocol/route.h"

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// Each of N workers sends and receives 2 (N - 1) / N messages a bucket and round on average: a sum
/// when its sources' sums have met its own part, new values to its targets when they arrive
/// (route.h).
///
/// If each batch of a gradient is reduced (Training::reduces_batches), a round has one sum for each
/// batch; the owner adds them up, and the last one brings new values. A worker may be ahead of
/// another by sums of the same round, which wait where they arrive.
class RoutedReduction final : public Reduction {
 public:
  explicit RoutedReduction(const Side& side);

  std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                   Effects& effects) override;
  BucketRun computed(Instant now, JobId job, Effects& effects) override;
  void restore(Step round) override {
    for (Part& part : parts_) part.round = {round.value * sums_};
  }
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const override {
    return {parts_[bucket].round.value / sums_};
  }

 private:
  /// Parts that wait for earlier sums, if a round has several.
  struct Ahead {
    std::deque<Payload> mine;
    std::vector<std::pair<std::size_t, Payload>> sums;  // by source, in the order of arrival
    Payload total;  // the owner's total of the sums of this round
  };
  /// A bucket in progress. Each of N workers has N or more of these, so it is small.
  struct Part {
    Step round;              // current or next sum: its round, or its number if rounds have several
    bool in_sum = false;     // this worker's part is in the sum; new values are awaited
    bool has_mine = false;   // the part is ready, not in the sum yet
    bool in_use = false;     // what the root sent is being applied
    std::uint32_t here = 0;  // received sums; in_sum: of the next round
    Payload mine;            // the part; then the sum with it, until that is sent
    boost::container::small_vector<Payload, 1> sums;  // received sums, by source; else empty
    Instant job_start;
    std::unique_ptr<Ahead> ahead;
  };

  void take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) override;
  [[nodiscard]] bool all_are_at(Step round) const override;
  void reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects);
  void send_sum(Instant now, std::uint32_t bucket, Payload sum, Effects& effects);
  /// Sends new values, in wire format, to this worker's targets.
  void forward(std::uint32_t bucket, const Payload& values, Effects& effects);
  /// Begins to apply what the root sent.
  void use(Instant now, std::uint32_t bucket, const Payload& sent, Effects& effects);
  /// The sum is over: new values are in place, or are not awaited here.
  void end_sum(Instant now, std::uint32_t bucket, Effects& effects);
  /// The sum that the part is in brings new values.
  [[nodiscard]] bool ends_round(const Part& part) const {
    return (part.round.value + 1) % sums_ == 0;
  }
  [[nodiscard]] Route route_of(std::uint32_t bucket) const {
    const Bucket& place = training().layout->buckets[bucket];
    const int group = place.tree ? training().layout->tree_group : group_;
    return {{training().workers, false, group, place.tree, rooted_}, place.shard, rank()};
  }
  /// New values are exchanged with `worker`. With replicas only workers that hold the same part
  /// exchange them; others gather them.
  [[nodiscard]] bool shares_values(int worker) const {
    return !gathers() || !training().same_group(rank(), worker);
  }
  /// This worker gets new values of the bucket.
  [[nodiscard]] bool is_renewed(std::uint32_t bucket) const {
    const int owner = training().layout->buckets[bucket].shard;
    return !gathers() || (training().has_replicas() && training().keeps_part(rank(), owner));
  }
  /// The sums of all sources have arrived.
  [[nodiscard]] static bool all_here(const Part& part) { return part.here == part.sums.size(); }
  [[nodiscard]] bool in_turn(NodeId from, const Message& message, const Route& route) const;

  bool rooted_;
  int group_;  // workers of an inner ring
  int sums_;   // sums of a round
  std::vector<Part> parts_;
};

}  // namespace foretrain
