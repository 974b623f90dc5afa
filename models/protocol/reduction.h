// Buckets that workers add up among themselves, round after round, without a server.
#pragma once

#include "models/protocol/buffered.h"
#include "models/protocol/gradient_stages.h"
#include "models/protocol/held_parameters.h"
#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace foretrain {

/// One worker's side of an all-reduce. Every bucket has an owner, and goes twice over all workers:
///
///     sum              worker after worker adds its own part to what others have added
///     finish           the owner adds its own last, makes the new values of the sum
///     new values       go back from the owner to all, unless they are gathered (gathers.h)
///
/// `route.h` says over whom. Buckets go one by one (routed_reduction.h), or all that two workers
/// exchange of a deal as one message (halving.h). Owners take turns, so at any time every worker
/// sends and receives. Of N workers and P parameters a round takes of each worker, in each
/// direction, 2 (N - 1) / N x 4 P bytes, with 64 more a message, which no algorithm goes below
/// (Patarasuk, Yuan 2009). The order of a sum is that of the route, so it is the same in any
/// timing. Compressed, all of that is smaller (compression.h).
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
    /// That job is computed, and the new values are in place. Returns what is sent of them: the
    /// values, which may not change meanwhile; of compressed sums how far they are from those that
    /// all hold.
    virtual Payload finished(std::uint32_t bucket, Effects& effects) = 0;
    /// New values do not stay in their place until others have them: between rounds this worker
    /// learns by itself.
    [[nodiscard]] virtual bool moves_on() const { return false; }
  };

  /// Whose it is. New values are put into `parameters`; what others send is counted in `held`. All
  /// outlive it.
  struct Side {
    std::shared_ptr<const Training> training;
    NodeId id{};
    std::int64_t rounds = 0;
    HeldParameters& parameters;
    BufferedBytes& held;
    Owner& owner;
  };

  /// Its jobs' ids begin here: lower ones are the worker's own.
  static constexpr std::uint64_t kFirstJob = std::uint64_t{1} << 32;

  virtual ~Reduction() = default;

  /// This worker is at a new step: counts anew what it takes.
  void begin();
  /// This worker's part of a bucket in its next sum: a slice of what it gives of all. It may be
  /// changed when the new values have come.
  void add(Instant now, std::uint32_t bucket, Payload mine, Effects& effects);
  /// A message of another worker. Returns the buckets that have the new values of their round by
  /// it, an empty run where none has; nothing where it came out of turn.
  virtual std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                           Effects& effects) = 0;
  /// One of its jobs is computed. Returns the bucket that has new values now, where one has.
  virtual BucketRun computed(Instant now, JobId job, Effects& effects) = 0;

  /// Before anything else: so many rounds are over.
  virtual void restore(Step round) = 0;

  /// The rounds whose new values this bucket has.
  [[nodiscard]] virtual Step rounds_of(std::uint32_t bucket) const = 0;
  [[nodiscard]] bool owns(std::uint32_t bucket) const {
    return training().layout->buckets[bucket].shard == rank();
  }

  // The end, where a target is reached before all rounds are done. No bucket gets further than what
  // the chief has evaluated without a part of the chief's, so all end with the values of that
  // round.

  /// The chief ends it after `round`: tells the workers that this one talks to.
  void end_after(Step round, Effects& effects);
  /// Another has said that. `at`: the round that this worker is in. False: it cannot be.
  bool hear_end(NodeId from, Step round, Step at, Effects& effects);
  /// After so many it ends.
  [[nodiscard]] std::int64_t rounds() const { return side_.rounds; }
  /// A target has ended it, and all buckets have their last values.
  [[nodiscard]] bool is_cut_short() const { return ended_ && all_are_at({rounds()}); }

  // Of the step that has begun last.

  /// When the first sum of others met this worker's part.
  [[nodiscard]] std::optional<Instant> first_sum() const { return first_sum_; }
  /// In its jobs.
  [[nodiscard]] Duration computing() const { return computing_; }
  /// On the wire, in each direction.
  [[nodiscard]] Bytes moved() const { return moved_; }

 protected:
  explicit Reduction(Side side) : side_(std::move(side)), gathers_(side_.training->gathers()) {}

  [[nodiscard]] const Training& training() const { return *side_.training; }
  [[nodiscard]] std::int64_t count_in(BucketRun run) const {
    return training().layout->count_in(run);
  }
  [[nodiscard]] int rank() const { return static_cast<int>(index_of(side_.id)); }
  [[nodiscard]] Owner& owner() const { return side_.owner; }
  [[nodiscard]] const HeldParameters& parameters() const { return side_.parameters; }
  /// New values stay with their owner.
  [[nodiscard]] bool gathers() const { return gathers_; }

  /// Of a message with sums, or values, of that.
  [[nodiscard]] Bytes size_of(BucketRun run) const;
  /// As it travels.
  [[nodiscard]] Payload packed(BucketRun run, Payload payload, Effects& effects) const;
  void send(MessageKind kind, BucketRun run, Step round, int to, Payload payload, Effects& effects);
  /// A sum that has come: as numbers, and held.
  [[nodiscard]] Payload taken(BucketRun run, Payload sent, Effects& effects);
  /// New values that have come, into their place.
  void put(BucketRun run, const Payload& sent, Effects& effects);
  /// Addends meet: a job begins.
  void met(Instant now);
  /// Adds up at least two, in order, into `to`, which lives until that is done.
  Job reduce_job(JobId id, BucketRun run, std::vector<Payload> addends, Payload& to) const;
  /// That, or an owner's job, has taken `took` for addends of `held` bytes that others sent.
  void done(Duration took, Bytes held);

 private:
  virtual void take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) = 0;
  [[nodiscard]] virtual bool all_are_at(Step round) const = 0;
  void end_at(NodeId heard_from, Step round, Effects& effects);

  Side side_;
  bool gathers_;
  bool ended_ = false;  // a target is reached
  std::optional<Instant> first_sum_;
  Duration computing_{};
  Bytes moved_{};
};

/// As the ways of the training are (route.h). `stages`: of a gradient.
std::unique_ptr<Reduction> make_reduction(const Reduction::Side& side,
                                          std::span<const GradientStage> stages);

}  // namespace foretrain
