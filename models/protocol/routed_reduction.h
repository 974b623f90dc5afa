// Sums of buckets that go their ways one by one, round rings or over trees.
#pragma once

#include "models/protocol/reduction.h"
#include "models/protocol/route.h"

#include <boost/container/small_vector.hpp>

#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {

/// Of N workers each sends and receives 2 (N - 1) / N messages a bucket and round, in the mean: a
/// sum when those of its sources have met its own part, new values to its targets when they come
/// (route.h).
///
/// Where each batch of a gradient is reduced (Training::reduces_batches), a round has a sum a
/// batch; the owner adds them up, and the last one brings new values. A worker may be ahead of
/// another by sums of the same round, which wait where they have come.
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
    std::vector<std::pair<std::size_t, Payload>>
        sums;       // by source, in the order in which they came
    Payload total;  // the owner's, of the sums of this round
  };
  /// A bucket on its way. Of N workers each has as many of these or more, so it is small.
  struct Part {
    Step round;              // whose sum it is in, or will be; where a round has several: which sum
    bool in_sum = false;     // this worker's part; then its new values are awaited
    bool has_mine = false;   // the part is ready, not in the sum yet
    std::uint32_t here = 0;  // bits: sums that are here, by source; in_sum: of the next round
    Payload mine;            // the part; then the sum with it, before that is sent on
    boost::container::small_vector<Payload, 1> sums;  // of the sources
    Instant job_start;
    std::unique_ptr<Ahead> ahead;
  };

  void take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) override;
  [[nodiscard]] bool all_are_at(Step round) const override;
  void reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects);
  void send_sum(Instant now, std::uint32_t bucket, Payload sum, Effects& effects);
  /// `values`: as they travel; empty: there are none.
  void renew(Instant now, std::uint32_t bucket, const Payload& values, Effects& effects);
  /// The sum that the part is in brings new values.
  [[nodiscard]] bool ends_round(const Part& part) const {
    return (part.round.value + 1) % sums_ == 0;
  }
  [[nodiscard]] Route route_of(std::uint32_t bucket) const {
    const Bucket& place = training().layout->buckets[bucket];
    const int group = place.tree ? training().layout->tree_group : group_;
    return {{training().workers, false, group, place.tree}, place.shard, rank()};
  }
  /// New values go to `worker`, or come from it. With replicas only workers that keep the same part
  /// exchange them, others gather them.
  [[nodiscard]] bool shares_values(int worker) const {
    return !gathers() || !training().same_group(rank(), worker);
  }
  /// This worker gets new values of the bucket.
  [[nodiscard]] bool is_renewed(std::uint32_t bucket) const {
    const int owner = training().layout->buckets[bucket].shard;
    return !gathers() || (training().has_replicas() && training().keeps_part(rank(), owner));
  }
  /// The sums of all sources are here.
  [[nodiscard]] static bool all_here(const Part& part) {
    return std::popcount(part.here) == static_cast<int>(part.sums.size());
  }
  [[nodiscard]] bool in_turn(NodeId from, const Message& message, const Route& route) const;

  int group_;  // of rings
  int sums_;   // a round
  std::vector<Part> parts_;
};

}  // namespace foretrain
