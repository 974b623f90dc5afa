// Recursive halving of sums over a hypercube, with recursive doubling of the new values.
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

/// Buckets that are summed together. A round robin of buckets, one of each owner, is a unit if at
/// least three quarters of it leave with one stage of a gradient; otherwise each bucket is a unit.
/// Any part of a round robin takes as many turns as all of it, and in the worst case as much time,
/// because buckets follow each other over the wires.
struct RecursiveHalvingUnit {
  BucketRun run;
  int owner = 0;  ///< owner of the first

  /// The buckets that workers [first, first + count) own.
  [[nodiscard]] BucketRun owned_by(int first, int count) const;
};

/// All units of a training, in the order of their buckets. `stages` are those of a gradient.
std::vector<RecursiveHalvingUnit> recursive_halving_units(const Layout& layout,
                                                          std::span<const GradientStage> stages,
                                                          int workers);

/// The largest message among N workers, in bytes of parameters.
Bytes largest_of_halving(const Layout& layout, std::span<const GradientStage> stages, int workers);

/// The number of parameters owned by the half of all workers that `worker` belongs to: a worker
/// that copies new values until it has forwarded them (Reduction::Owner) copies these.
std::int64_t owned_by_half(const Layout& layout, int workers, int worker);

/// Recursive halving and doubling of N = 2^k workers (Thakur, Rabenseifner, Gropp 2005). At first a
/// worker w holds its own part of a unit. At the turn of bit b = N/2, N/4, ..., 1
///
///     it sends     to w XOR b what it holds of the buckets owned by that worker's half
///     it keeps     those of its own half, and adds what w XOR b sends of them
///
/// so at the end it holds the sum of the bucket that it owns, and makes new values from it. These
/// go back over the same edges, b = 1, 2, ..., N/2: it sends what it has, and then has twice as
/// much. So a round robin of buckets takes 2 log2 N messages of each worker, for the bytes of a
/// ring, and each bucket takes the route that route.h defines, with the sum in that order. For a
/// single bucket, sums go to the half that owns it, and values to the other half.
///
/// A message names the first of its buckets. Values of the other half may arrive before the sum of
/// this worker's own half.
class RecursiveHalving final : public Reduction {
 public:
  RecursiveHalving(const Side& side, std::span<const GradientStage> stages);

  std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                   Effects& effects) override;
  BucketRun computed(Instant now, JobId job, Effects& effects) override;
  void restore(Step round) override;
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const override;

 private:
  /// New values of this worker's half, in wire format, until all are forwarded.
  struct Kept {
    Payload values;
    std::span<std::byte> places;  // writable bytes of `values`
  };
  /// A unit in progress. Each of N workers may have N of these, so it is small. A turn is the bit
  /// of the workers' numbers along which it exchanges. In `wanted` and `here`, values that come
  /// along a bit are that bit shifted left once; this worker's own values are bit 1.
  struct Unit : RecursiveHalvingUnit {
    Step round;               // the round of its current or next sum
    std::uint32_t added = 0;  // buckets whose part by this worker is here
    Payload sum;              // sum of what this worker holds; a job may be making it
    unsigned given = 0;       // turn of this worker's last sends; N: none yet
    unsigned awaited = 0;     // turn whose sum is added next; 0: no more
    bool adding = false;      // a job is adding
    unsigned wanted = 0;      // values of a round, as bits
    unsigned here = 0;        // values that are in place
    unsigned passed = 1;      // the bit along which values are sent next
    unsigned come = 0;        // received sums that are not added yet: bits of turns
    // Those sums, by turn from the first: single buckets mostly have one or none.
    boost::container::small_vector<Payload, 1> sums;
    std::unique_ptr<Kept> kept;
    Instant job_start;
  };

  void take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) override;
  [[nodiscard]] bool all_are_at(Step round) const override;
  [[nodiscard]] Unit& unit_of(std::uint32_t bucket);
  [[nodiscard]] const Unit& unit_of(std::uint32_t bucket) const;
  /// The buckets that `worker` holds when it shares them with `size` - 1 others.
  [[nodiscard]] static BucketRun held_by(const RecursiveHalvingUnit& unit, int worker,
                                         unsigned size);
  /// The worker that this one exchanges with at a turn.
  [[nodiscard]] int peer(unsigned bit) const { return rank() ^ static_cast<int>(bit); }
  /// The buckets of this worker's half.
  [[nodiscard]] BucketRun half_of(const RecursiveHalvingUnit& unit) const {
    return held_by(unit, rank(), workers_ / 2);
  }
  /// The number of parameters of `whole` before `part`.
  [[nodiscard]] std::int64_t before(BucketRun whole, BucketRun part) const {
    const std::uint32_t count = part.first - whole.first;
    return count == 0 ? 0 : training().layout->count_in({whole.first, count});
  }
  /// The place of the sum that comes at a turn.
  [[nodiscard]] Payload& sum_at(Unit& unit, unsigned bit) const {
    return unit.sums[static_cast<std::size_t>(std::bit_width(workers_ / bit)) - 2];
  }
  [[nodiscard]] bool in_turn(const Unit& unit, const Message& message, unsigned bit) const;
  void begin_turn(Unit& unit, Effects& effects);
  void add_if_here(Instant now, Unit& unit, Effects& effects);
  /// New values are forwarded from a copy, because their wire format is converted or their place
  /// may change before they are sent.
  [[nodiscard]] bool keeps() const {
    return !gathers() && (training().compression.converts_sums() || owner().moves_on());
  }
  void keep(Unit& unit, BucketRun run, const Payload& sent, Effects& effects) const;
  [[nodiscard]] Payload values_of(const Unit& unit, BucketRun run, Effects& effects) const;
  /// Sends all values that may leave now.
  void pass_on(Unit& unit, Effects& effects);
  void end_round(Unit& unit) const;

  unsigned workers_;
  std::vector<Unit> units_;
};

}  // namespace foretrain
