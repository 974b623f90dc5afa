// Sums over a hypercube, half of what is left at every turn.
#pragma once

#include "models/protocol/reduction.h"

#include <boost/container/small_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace foretrain {

/// Buckets that are summed up together: of a deal, one of each owner, what leaves with one stage of
/// a gradient, where that are three quarters of it or more; else a bucket by itself. Any part of a
/// deal takes the turns, and at the worst the time, of all of it, where bucket after bucket follow
/// each other over the wires.
struct HalvingUnit {
  BucketRun run;
  int owner = 0;  ///< of the first

  /// Those that workers [first, first + count) own.
  [[nodiscard]] BucketRun owned_by(int first, int count) const;
};

/// All of a training, in the order of their buckets. `stages`: of a gradient.
std::vector<HalvingUnit> halving_units(const Layout& layout, std::span<const GradientStage> stages,
                                       int workers);

/// The most bytes of parameters that a message of N workers carries.
Bytes largest_of_halving(const Layout& layout, std::span<const GradientStage> stages, int workers);

/// The parameters of the buckets that the half of all workers owns to which `worker` belongs: a
/// worker that keeps new values until it has sent them on (Reduction::Owner) keeps those.
std::int64_t owned_by_half(const Layout& layout, int workers, int worker);

/// Recursive halving and doubling of N = 2^k workers (Thakur, Rabenseifner, Gropp 2005). Of a unit
/// a worker w holds its own part to begin with. At the turn of bit b = N/2, N/4, ..., 1
///
///     it sends     to w XOR b what it holds of the buckets that the half with that one owns
///     it keeps     those of its own half, and adds what w XOR b sends of them
///
/// so at the end it holds the sum of the bucket that it owns, and makes new values of it. These go
/// back over the same edges, b = 1, 2, ..., N/2: it sends what it has, and has twice as much. So a
/// deal takes 2 log2 N messages of each worker, for the bytes of a ring, and each bucket goes the
/// way that route.h says, its sum in that order. Of a single bucket the half that owns it is sent
/// sums, and the other one is sent values.
///
/// A message says the first of its buckets. Values of the other half may be here before the sum of
/// this worker's own half is.
class Halving final : public Reduction {
 public:
  Halving(const Side& side, std::span<const GradientStage> stages);

  std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                   Effects& effects) override;
  BucketRun computed(Instant now, JobId job, Effects& effects) override;
  void restore(Step round) override;
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const override;

 private:
  /// New values of this worker's half, as they travel, until all are sent on.
  struct Kept {
    Payload values;
    std::span<std::byte> places;  // theirs: of slices some are on their way while others are filled
  };
  /// A unit on its way. Of N workers each may have as many of these, so it is small. A turn is the
  /// bit of workers' numbers along which it exchanges. Values that come along a bit have twice that
  /// bit, those that this worker makes have 1.
  struct Unit : HalvingUnit {
    Step round;               // whose sum it is in, or will be
    std::uint32_t added = 0;  // buckets whose part, this worker's own, is here
    Payload sum;              // of what this worker holds; a job may be making it
    unsigned given = 0;       // the turn at which this worker has sent last; N: none yet
    unsigned awaited = 0;     // the turn whose sum is added next; 0: none is any more
    bool adding = false;      // a job is
    unsigned wanted = 0;      // values of a round: bits
    unsigned here = 0;        // those of them that are in place
    unsigned passed = 1;      // the bit along which values are sent next
    unsigned come = 0;        // sums that have come and are not added yet: bits of turns
    // Those, by turn from the first: of most single buckets one, or none.
    boost::container::small_vector<Payload, 1> sums;
    std::unique_ptr<Kept> kept;
    Instant job_start;
  };

  void take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) override;
  [[nodiscard]] bool all_are_at(Step round) const override;
  [[nodiscard]] Unit& unit_of(std::uint32_t bucket);
  [[nodiscard]] const Unit& unit_of(std::uint32_t bucket) const;
  /// What `worker` holds when it shares it with `size` - 1 others.
  [[nodiscard]] static BucketRun held_by(const HalvingUnit& unit, int worker, unsigned size);
  /// The worker that this one exchanges with at a turn.
  [[nodiscard]] int peer(unsigned bit) const { return rank() ^ static_cast<int>(bit); }
  /// Of a worker's own half.
  [[nodiscard]] BucketRun half_of(const HalvingUnit& unit) const {
    return held_by(unit, rank(), workers_ / 2);
  }
  /// Parameters of `whole` that lie before `part`.
  [[nodiscard]] std::int64_t before(BucketRun whole, BucketRun part) const {
    const auto& buckets = training().layout->buckets;
    return buckets[part.first].first - buckets[whole.first].first;
  }
  /// Where the sum lies that comes at a turn.
  [[nodiscard]] Payload& sum_at(Unit& unit, unsigned bit) const {
    return unit.sums[static_cast<std::size_t>(std::bit_width(workers_ / bit)) - 2];
  }
  [[nodiscard]] bool in_turn(const Unit& unit, const Message& message, unsigned bit) const;
  void begin_turn(Unit& unit, Effects& effects);
  void add_if_here(Instant now, Unit& unit, Effects& effects);
  /// New values are sent on from a copy: as they travel, or as they were, for their place may
  /// change before.
  [[nodiscard]] bool keeps() const {
    return !gathers() && (training().compression.converts_sums() || owner().moves_on());
  }
  void keep(Unit& unit, BucketRun run, const Payload& sent, Effects& effects) const;
  [[nodiscard]] Payload values_of(const Unit& unit, BucketRun run, Effects& effects) const;
  /// Sends all values that may go now.
  void pass_on(Unit& unit, Effects& effects);
  void end_round(Unit& unit) const;

  unsigned workers_;
  std::vector<Unit> units_;
};

}  // namespace foretrain
