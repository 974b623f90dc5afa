// Sums of small buckets over a hypercube, half of what is left at every turn.
#pragma once

#include "models/protocol/reduction.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace foretrain {

/// Buckets that are summed up together: a deal, one of each owner, where all of it leaves with one
/// stage of a gradient; else a bucket by itself, for of some owners' buckets each turn would have
/// to wait for all of them, where one by one they follow each other over the wires.
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

/// Recursive halving and doubling of N = 2^k workers (Thakur, Rabenseifner, Gropp 2005). Of a unit
/// a worker w holds its own part to begin with. At the turn of bit b = N/2, N/4, ..., 1
///
///     it sends     to w XOR b what it holds of the buckets that the half with that one owns
///     it keeps     those of its own half, and adds what w XOR b sends of them
///
/// so at the end it holds the sum of the bucket that it owns, and makes new values of it. These go
/// back over the same edges, b = 1, 2, ..., N/2: it sends what it has, and has twice as much. So a
/// deal takes 2 log2 N messages of each worker, for the bytes of a ring, and each bucket goes the
/// way that route.h says, its sum in that order. Of a single bucket halves that own nothing send,
/// and get nothing.
///
/// A message says the first of its buckets. Values of the other half may be here before the sum of
/// this worker's own half is.
class Halving final : public Reduction {
 public:
  Halving(std::shared_ptr<const Training> training, NodeId id, std::int64_t rounds,
          std::span<const GradientStage> stages, HeldParameters& parameters, BufferedBytes& held,
          Owner& owner);

  std::optional<BucketRun> receive(Instant now, NodeId from, Message message,
                                   Effects& effects) override;
  BucketRun computed(Instant now, JobId job, Effects& effects) override;
  void restore(Step round) override;
  [[nodiscard]] Step rounds_of(std::uint32_t bucket) const override;

 private:
  /// A unit on its way. Bits are those of workers' numbers; of values, twice the bit along which
  /// they come, 1 those that this worker makes.
  struct Unit : HalvingUnit {
    Step round;               // whose sum it is in, or will be
    std::uint32_t added = 0;  // buckets whose part of this worker's is here
    Payload sum;              // of what this worker holds; a job may be making it
    unsigned given = 0;       // the last turn's at which this worker has sent; N: none
    unsigned awaited = 0;     // the turn's whose sum comes next; 0: sums are over
    bool adding = false;
    unsigned wanted = 0;          // values
    unsigned here = 0;            // those that are
    unsigned passed = 1;          // the bit along which values are sent next
    unsigned come = 0;            // sums that have come, not added yet: bits of turns
    std::vector<Payload> sums;    // those, by turn
    Payload values;               // of this worker's half, as they travel: where they are kept
    std::span<std::byte> places;  // in those: slices of them are on their way meanwhile
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
  [[nodiscard]] bool in_turn(const Unit& unit, const Message& message, unsigned bit) const;
  void begin_turn(Unit& unit, Effects& effects);
  void add_if_here(Instant now, Unit& unit, Effects& effects);
  /// Values are sent on from where they are kept, as they travel: their place may change before.
  [[nodiscard]] bool keeps() const {
    return training().compression.converts_sums() || owner().moves_on();
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
