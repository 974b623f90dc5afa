// All-reduce: workers sum buckets among themselves, round after round, without a server.
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

/// One worker's side of an all-reduce. Every bucket has an owner, and visits all workers twice:
///
///     sum              each worker adds its own part to the sum of those before it
///     finish           the owner adds its own last, then makes the new values from the sum
///     new values       go back from the owner to all, unless they are gathered (gathers.h)
///
/// `route.h` defines the order of workers. Buckets go one by one (routed_reduction.h), or all that
/// two workers exchange go as one message (recursive_halving.h). Owners take turns, so every worker
/// sends and receives at any time. With N workers and P parameters each worker sends, and receives,
/// in a round 2 (N - 1) / N x 4 P bytes, plus 64 for each message, the least of any algorithm
/// (Patarasuk, Yuan 2009). The order of a sum is that of the route, so it is the same in any
/// timing. With compression all of that is smaller (compression.h).
///
/// A round of a bucket begins when this worker gives its part. A sum of the next round may arrive
/// before this worker has the new values of this round; a sum of a later round cannot.
class Reduction {
 public:
  /// The owner's part of an all-reduce: it makes new values from a sum.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// A job that makes new values from the sum of `addends` and writes them to the bucket's place
    /// in the parameters.
    virtual Job finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) = 0;
    /// Called when the job has put the new values in place. Returns the payload to send: the
    /// values, which must not change until they are sent; with compressed sums their difference to
    /// the values that all workers hold.
    virtual Payload finished(std::uint32_t bucket, Effects& effects) = 0;
    /// With a root (Protocol::rooted): a job of every worker that makes new values from what the
    /// owner sent, and puts them in place.
    virtual Job use_job(std::uint32_t bucket, JobId id, const Payload& sent);
    /// Called when that job is computed.
    virtual void used(std::uint32_t /*bucket*/) {}
    /// New values may change before others have received them: between rounds this worker trains by
    /// itself.
    [[nodiscard]] virtual bool moves_on() const { return false; }
  };

  /// The worker's side. New values are put into `parameters`; received sums are counted in `held`.
  /// All must outlive the Reduction.
  struct Side {
    std::shared_ptr<const Training> training;
    NodeId id{};
    std::int64_t rounds = 0;
    HeldParameters& parameters;
    BufferedBytes& held;
    Owner& owner;
  };

  /// The first id of the reduction's jobs; the worker's own jobs have lower ids.
  static constexpr std::uint64_t kFirstJob = std::uint64_t{1} << 32;

  virtual ~Reduction() = default;

  /// This worker begins a step: resets the counts of a step.
  void begin();
  /// Adds this worker's part of a bucket to the bucket's next sum: a slice of a payload of all
  /// parameters. It must not be changed before the new values have come.
  void add(Instant now, std::uint32_t bucket, Payload mine, Effects& effects);
  /// A message of another worker. Returns the buckets that now have the new values of their round,
  /// an empty run if none have; nothing if it came out of turn.
  virtual std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                           Effects& effects) = 0;
  /// One of the reduction's jobs is computed. Returns the bucket that now has new values, if any.
  virtual BucketRun computed(Instant now, JobId job, Effects& effects) = 0;

  /// Before any other call: `round` rounds are over.
  virtual void restore(Step round) = 0;

  /// The number of rounds whose new values this bucket has.
  [[nodiscard]] virtual Step rounds_of(std::uint32_t bucket) const = 0;
  [[nodiscard]] bool owns(std::uint32_t bucket) const {
    return training().layout->buckets[bucket].shard == rank();
  }

  // The end, if a target is reached before all rounds are done. No bucket can pass the round that
  // the chief has evaluated without the chief's part, so all workers end with the values of that
  // round.

  /// The chief ends the training after `round`: informs the workers that it is connected to.
  void end_after(Step round, Effects& effects);
  /// Another worker has reported the end. `at` is this worker's round. False if it cannot be true.
  bool hear_end(NodeId from, Step round, Step at, Effects& effects);
  /// The number of rounds after which the training ends.
  [[nodiscard]] std::int64_t rounds() const { return side_.rounds; }
  /// A target has ended the training, and all buckets have their last values.
  [[nodiscard]] bool is_cut_short() const { return ended_ && all_are_at({rounds()}); }

  // Measurements of the step that has begun last.

  /// The time when the first sum of others met this worker's part.
  [[nodiscard]] std::optional<Instant> first_sum() const { return first_sum_; }
  /// The time of the reduction's jobs.
  [[nodiscard]] Duration computing() const { return computing_; }
  /// Bytes on the wire, in each direction.
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

  /// The size of a message with sums, or values, of `run`.
  [[nodiscard]] Bytes size_of(BucketRun run) const;
  /// The payload in wire format.
  [[nodiscard]] Payload packed(BucketRun run, Payload payload, Effects& effects) const;
  void send(MessageKind kind, BucketRun run, Step round, int to, Payload payload, Effects& effects);
  /// A received sum: converts it to floats and counts it as held.
  [[nodiscard]] Payload taken(BucketRun run, Payload sent, Effects& effects);
  /// Puts received new values into their place.
  void put(BucketRun run, const Payload& sent, Effects& effects);
  /// Addends meet: a job begins.
  void met(Instant now);
  /// Adds at least two addends, in order, into `to`, which must outlive the job.
  Job reduce_job(JobId id, BucketRun run, std::vector<Payload> addends, Payload& to) const;
  /// A `reduce_job` or an owner's job has taken `took`; releases `held` bytes of received addends.
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

/// The reduction for the routes of the training (route.h). `stages` are those of a gradient.
std::unique_ptr<Reduction> make_reduction(const Reduction::Side& side,
                                          std::span<const GradientStage> stages);

}  // namespace foretrain
