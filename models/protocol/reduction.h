// Buckets that workers add up among themselves, round after round, without a server.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/node.h"
#include "models/protocol/route.h"
#include "models/protocol/training.h"

#include <boost/container/small_vector.hpp>

#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain {

/// One worker's side of an all-reduce. Every bucket has an owner, and goes twice over all workers:
///
///     sum              worker after worker adds its own part to what others have added
///     finish           the owner adds its own last, makes the new values of the sum
///     new values       go back from the owner to all, unless they are gathered (gathers.h)
///
/// `route.h` says who sends to whom. Buckets are dealt round, so at any time every worker sends and
/// receives. Of N workers and P parameters a round takes of each worker, in each direction:
///
///     messages   2 (N - 1) / N a bucket, in the mean
///     bytes      2 (N - 1) / N x 4 P + 64 a message
///
/// which no algorithm goes below (Patarasuk, Yuan 2009). The order of a sum is that of the route,
/// so it is the same in any timing. Compressed, all of that is smaller (compression.h).
///
/// A round of a bucket begins where this worker gives its part. A sum of the next round may come
/// before this worker has the new values of this one; no further one can.
class Reduction {
 public:
  /// What the owner of a bucket does with the sum.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// A job that makes new values of what is added up from `addends`, and writes them to the
    /// bucket's place in the parameters.
    virtual Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) = 0;
    /// That job is computed. Returns the new values, which may not change while they are sent; of
    /// compressed sums how far they are from those that all hold.
    virtual Payload finished(std::uint32_t bucket, Effects& effects) = 0;
  };

  /// Its jobs' ids begin here: lower ones are the worker's own.
  static constexpr std::uint64_t kFirstJob = std::uint64_t{1} << 32;

  /// New values are put into `parameters`; what others send is counted in `held`. Both outlive it.
  Reduction(std::shared_ptr<const Training> training, NodeId id, std::int64_t rounds,
            HeldParameters& parameters, BufferedBytes& held, Owner& owner);

  /// This worker is at a new step: counts anew what it takes.
  void begin();
  /// This worker's part of a bucket in its next sum. It may be changed when the new values have
  /// come.
  void add(Instant now, std::uint32_t bucket, Payload mine, Effects& effects);
  enum class Reception { refused, taken, renewed };
  /// A message of another worker. Refused: it came out of turn. Renewed: its bucket has the new
  /// values of its round.
  Reception receive(Instant now, NodeId from, Message message, Effects& effects);
  /// One of its jobs is computed. Returns the bucket that has new values now, where one has.
  std::optional<std::uint32_t> computed(Instant now, JobId job, Effects& effects);

  /// Before anything else: so many rounds are over.
  void restore(Step round) {
    for (Part& part : parts_) part.round = round;
  }

  /// The rounds whose new values this bucket has.
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const { return parts_[bucket].round; }
  [[nodiscard]] bool owns(std::uint32_t bucket) const {
    return training_->layout->buckets[bucket].shard == rank();
  }

  // The end, where a target is reached before all rounds are done. No bucket gets further than what
  // the chief has evaluated without a part of the chief's, so all end with the values of that
  // round.

  /// The chief ends it after `round`: tells the workers that this one talks to.
  void end_after(Step round, Effects& effects);
  /// Another has said that. `at`: the round that this worker is in. False: it cannot be.
  bool hear_end(NodeId from, Step round, Step at, Effects& effects);
  /// After so many it ends.
  [[nodiscard]] std::int64_t rounds() const { return rounds_; }
  /// A target has ended it, and all buckets have their last values.
  [[nodiscard]] bool is_cut_short() const;

  // Of the step that has begun last.

  /// When the first sum of others met this worker's part.
  [[nodiscard]] std::optional<Instant> first_sum() const { return first_sum_; }
  /// In its jobs.
  [[nodiscard]] Duration computing() const { return computing_; }
  /// On the wire, in each direction.
  [[nodiscard]] Bytes moved() const { return moved_; }

 private:
  /// A bucket on its way. Of N workers each has as many of these or more, so it is small.
  struct Part {
    Step round;              // whose sum it is in, or will be
    bool in_sum = false;     // this worker's part; then its new values are awaited
    bool has_mine = false;   // the part is ready, not in the sum yet
    std::uint32_t here = 0;  // bits: sums that are here, by source; in_sum: of the next round
    Payload mine;            // the part; then the sum with it, before that is sent on
    boost::container::small_vector<Payload, 1> sums;  // of the sources
    Instant job_start;
  };

  void reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects);
  void send_sum(std::uint32_t bucket, Payload sum, Effects& effects);
  void reduce(std::uint32_t bucket, std::vector<Payload> addends, Effects& effects);
  /// `values`: as they travel.
  void renew(std::uint32_t bucket, const Payload& values, Effects& effects);
  /// As it travels.
  [[nodiscard]] Payload packed(std::uint32_t bucket, Payload payload, Effects& effects) const;
  void take_values(std::uint32_t bucket, const Payload& sent, Effects& effects);
  void tell_end(NodeId heard_from, Effects& effects);
  void send(MessageKind kind, std::uint32_t bucket, int to, Payload payload, Effects& effects);

  [[nodiscard]] Route route_of(std::uint32_t bucket) const {
    const Bucket& place = training_->layout->buckets[bucket];
    return {{ways_.workers, ways_.hypercube, ways_.group, place.tree}, place.shard, rank()};
  }
  /// The sums of all sources are here.
  [[nodiscard]] static bool all_here(const Part& part) {
    return std::popcount(part.here) == static_cast<int>(part.sums.size());
  }
  [[nodiscard]] int rank() const { return static_cast<int>(index_of(id_)); }
  [[nodiscard]] bool in_turn(NodeId from, const Message& message, const Route& route) const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  std::int64_t rounds_;
  HeldParameters& parameters_;
  BufferedBytes& buffered_;
  Owner& owner_;
  Ways ways_;
  bool gathers_;  // new values stay with their owner
  std::vector<Part> parts_;
  bool ended_ = false;  // a target is reached
  std::optional<Instant> first_sum_;
  Duration computing_{};
  Bytes moved_{};
};

}  // namespace foretrain
