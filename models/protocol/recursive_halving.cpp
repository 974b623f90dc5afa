#include "models/protocol/recursive_halving.h"

#include "models/base/check.h"
#include "models/cost/work.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace foretrain {
namespace {

// Each bucket has ids for the owner's job and for one job a turn, that of the buckets that a worker
// holds at this turn if this bucket is their first.
constexpr std::uint64_t kJobsOfBucket = 64;
JobId finish_job_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + kJobsOfBucket * bucket};
}
JobId turn_job_id(BucketRun run, unsigned bit) {
  const auto turn = static_cast<std::uint64_t>(std::countr_zero(bit));
  return JobId{Reduction::kFirstJob + kJobsOfBucket * run.first + 1 + turn};
}

}  // namespace

BucketRun RecursiveHalvingUnit::owned_by(int first, int count) const {
  const int begin = std::max(first, owner);
  const int end = std::min(first + count, owner + static_cast<int>(run.count));
  if (begin >= end) return {};
  return {run.first + static_cast<std::uint32_t>(begin - owner),
          static_cast<std::uint32_t>(end - begin)};
}

std::vector<RecursiveHalvingUnit> recursive_halving_units(const Layout& layout,
                                                          std::span<const GradientStage> stages,
                                                          int workers) {
  const auto most = static_cast<std::uint32_t>(workers);
  // The unit that begins with the first of `buckets`, the consecutive buckets of a stage.
  const auto begin_of = [&](std::span<const std::uint32_t> buckets) {
    const Bucket& first = layout.buckets[buckets.front()];
    std::uint32_t count = 1;
    for (; count < buckets.size(); ++count) {
      const Bucket& next = layout.buckets[buckets[count]];
      if (next.shard != first.shard + static_cast<int>(count) || next.with != first.with) break;
    }
    return BucketRun{buckets.front(), 4 * count >= 3 * most ? count : 1};
  };
  std::vector<RecursiveHalvingUnit> units;
  for (const GradientStage& stage : stages) {
    for (std::span<const std::uint32_t> left(stage.buckets); !left.empty();) {
      const BucketRun run = begin_of(left);
      units.push_back({run, layout.buckets[run.first].shard});
      left = left.subspan(run.count);
    }
  }
  std::ranges::sort(units, {}, [](const RecursiveHalvingUnit& unit) { return unit.run.first; });
  return units;
}

Bytes largest_of_halving(const Layout& layout, std::span<const GradientStage> stages, int workers) {
  Bytes largest;
  for (const RecursiveHalvingUnit& unit : recursive_halving_units(layout, stages, workers)) {
    for (const int first : {0, workers / 2}) {
      const BucketRun run = unit.owned_by(first, workers / 2);
      if (!run.empty()) largest = std::max(largest, Bytes{4 * layout.count_in(run)});
    }
  }
  return largest;
}

std::int64_t owned_by_half(const Layout& layout, int workers, int worker) {
  const int half = workers / 2;
  std::int64_t count = 0;
  for (const Bucket& bucket : layout.buckets) {
    if (bucket.shard / half == worker / half) count += bucket.count;
  }
  return count;
}

RecursiveHalving::RecursiveHalving(const Side& side, std::span<const GradientStage> stages)
    : Reduction(side), workers_(static_cast<unsigned>(training().workers)) {
  for (const RecursiveHalvingUnit& each :
       recursive_halving_units(*training().layout, stages, training().workers)) {
    Unit unit;
    static_cast<RecursiveHalvingUnit&>(unit) = each;
    if (!held_by(unit, rank(), 1).empty()) unit.wanted = 1;
    for (unsigned bit = 1; bit < workers_; bit *= 2) {
      if (!held_by(unit, rank(), bit).empty()) unit.sums.emplace_back();
      if (!gathers() && !held_by(unit, peer(bit), bit).empty()) unit.wanted |= 2 * bit;
    }
    unit.given = workers_;
    unit.awaited = workers_ / 2;
    units_.push_back(std::move(unit));
  }
}

void RecursiveHalving::restore(Step round) {
  for (Unit& unit : units_) unit.round = round;
}

bool RecursiveHalving::all_are_at(Step round) const {
  return std::ranges::all_of(units_, [&](const Unit& unit) { return unit.round == round; });
}

const RecursiveHalving::Unit& RecursiveHalving::unit_of(std::uint32_t bucket) const {
  const auto behind =
      std::ranges::upper_bound(units_, bucket, {}, [](const Unit& unit) { return unit.run.first; });
  return *(behind - 1);
}

RecursiveHalving::Unit& RecursiveHalving::unit_of(std::uint32_t bucket) {
  return const_cast<Unit&>(std::as_const(*this).unit_of(bucket));
}

BucketRun RecursiveHalving::held_by(const RecursiveHalvingUnit& unit, int worker, unsigned size) {
  const auto first = static_cast<unsigned>(worker) & ~(size - 1);
  return unit.owned_by(static_cast<int>(first), static_cast<int>(size));
}

Step RecursiveHalving::rounds_of(std::uint32_t bucket) const {
  const Unit& unit = unit_of(bucket);
  const auto distance = static_cast<unsigned>(rank() ^ training().layout->buckets[bucket].shard);
  const unsigned from = distance == 0 ? 1 : 2 * std::bit_floor(distance);
  return (unit.here & from) != 0 ? unit.round.next() : unit.round;
}

// Sums ------------------------------------------------------------------------------------------

void RecursiveHalving::take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) {
  Unit& unit = unit_of(bucket);
  FT_CHECK_OP(unit.given, ==, workers_);
  unit.sum = unit.added == 0 ? std::move(mine) : unit.sum.spanned(mine);
  if (++unit.added < unit.run.count || unit.round.value >= rounds()) return;
  unit.added = 0;
  if (!training().numerics) unit.sum = Payload::sized({4 * count_in(unit.run)});
  begin_turn(unit, effects);
  add_if_here(now, unit, effects);
}

void RecursiveHalving::begin_turn(Unit& unit, Effects& effects) {
  const unsigned bit = unit.awaited;
  const BucketRun held = held_by(unit, rank(), 2 * bit);
  const auto part_of_sum = [&](BucketRun run) {
    return unit.sum.slice({4 * before(held, run)}, {4 * count_in(run)});
  };
  unit.given = bit;
  const BucketRun theirs = held_by(unit, peer(bit), bit);
  if (!theirs.empty()) {
    send(MessageKind::partial, theirs, unit.round, peer(bit),
         packed(theirs, part_of_sum(theirs), effects), effects);
  }
  const BucketRun own = held_by(unit, rank(), bit);
  unit.sum = own.empty() ? Payload{} : part_of_sum(own);
  if (!own.empty()) return;
  unit.awaited = 0;
  if (gathers()) end_round(unit);
}

void RecursiveHalving::add_if_here(Instant now, Unit& unit, Effects& effects) {
  const unsigned bit = unit.awaited;
  const bool begun = bit > 0 && unit.given == bit && !unit.adding;
  if (!begun || (unit.come & bit) == 0 || unit.round.value >= rounds()) return;
  std::vector<Payload> addends(2);
  addends[0] = std::exchange(sum_at(unit, bit), {});
  addends[1] = std::exchange(unit.sum, {});
  unit.come &= ~bit;
  unit.awaited = bit / 2;
  unit.adding = true;
  unit.job_start = now;
  met(now);
  const BucketRun own = held_by(unit, rank(), bit);
  if (bit > 1) {
    effects.emplace_back(
        Compute{reduce_job(turn_job_id(own, bit), own, std::move(addends), unit.sum)});
  } else {
    effects.emplace_back(
        Compute{owner().finish_job(own.first, finish_job_id(own.first), std::move(addends))});
  }
}

BucketRun RecursiveHalving::computed(Instant now, JobId job, Effects& effects) {
  const std::uint64_t number = static_cast<std::uint64_t>(job) - kFirstJob;
  const auto bucket = static_cast<std::uint32_t>(number / kJobsOfBucket);
  Unit& unit = unit_of(bucket);
  const BucketRun own = held_by(unit, rank(), std::max(1U, 2 * unit.awaited));
  unit.adding = false;
  done(now - unit.job_start, Bytes{4 * count_in(own)});
  if (job != finish_job_id(bucket)) {
    begin_turn(unit, effects);
    add_if_here(now, unit, effects);
    return {};
  }
  Payload values = owner().finished(bucket, effects);
  if (keeps()) keep(unit, own, packed(own, std::move(values), effects), effects);
  unit.here |= 1;
  pass_on(unit, effects);
  return own;
}

// Messages --------------------------------------------------------------------------------------

bool RecursiveHalving::in_turn(const Unit& unit, const Message& message, unsigned bit) const {
  const bool sum = message.kind == MessageKind::partial;
  if (!sum && message.kind != MessageKind::parameters) return false;
  const BucketRun run = held_by(unit, sum ? rank() : peer(bit), bit);
  if (run.empty() || run.first != message.bucket || message.payload.size() != size_of(run)) {
    return false;
  }
  // Values arrive after this worker has sent its sum to their sender.
  if (!sum) return message.step == unit.round && bit >= unit.given && (unit.here & 2 * bit) == 0;
  // After this worker's sums, the sender has all values of this round: the sum is the next.
  const bool next = unit.awaited == 0;
  return message.step == (next ? unit.round.next() : unit.round) && (next || bit <= unit.awaited) &&
         (unit.come & bit) == 0;
}

std::optional<BucketRun> RecursiveHalving::receive(Instant now, NodeId from, Message message,
                                                   Effects& effects) {
  const unsigned bit = static_cast<unsigned>(rank()) ^ index_of(from);
  if (message.bucket >= training().layout->buckets.size()) return std::nullopt;
  if (!std::has_single_bit(bit) || bit >= workers_) return std::nullopt;
  Unit& unit = unit_of(message.bucket);
  if (!in_turn(unit, message, bit)) return std::nullopt;
  if (message.kind == MessageKind::partial) {
    sum_at(unit, bit) = taken(held_by(unit, rank(), bit), std::move(message.payload), effects);
    unit.come |= bit;
    add_if_here(now, unit, effects);
    return BucketRun{};
  }
  const BucketRun run = held_by(unit, peer(bit), bit);
  put(run, message.payload, effects);
  if (keeps() && 2 * bit < workers_) keep(unit, run, message.payload, effects);
  unit.here |= 2 * bit;
  pass_on(unit, effects);
  return run;
}

// Values ----------------------------------------------------------------------------------------

void RecursiveHalving::keep(Unit& unit, BucketRun run, const Payload& sent,
                            Effects& effects) const {
  const BucketRun half = half_of(unit);
  const Compression& compression = training().compression;
  effects.emplace_back(SpentCost{copy_cost(sent.size())});
  if (!unit.kept) {
    const Bytes size = size_of(half);
    unit.kept = std::make_unique<Kept>();
    unit.kept->values = training().numerics ? Payload::allocate(size) : Payload::sized(size);
    if (training().numerics) unit.kept->places = unit.kept->values.writable_bytes();
  }
  if (!training().numerics) return;
  const Bytes offset = compressed_size(compression, before(half, run));
  std::ranges::copy(sent.bytes(), unit.kept->places.begin() + offset.value);
}

Payload RecursiveHalving::values_of(const Unit& unit, BucketRun run, Effects& effects) const {
  if (!training().numerics) return Payload::sized(size_of(run));
  if (!keeps()) return packed(run, parameters().part(training().layout->joined(run)), effects);
  const Bytes offset = compressed_size(training().compression, before(half_of(unit), run));
  return unit.kept->values.slice(offset, size_of(run));
}

void RecursiveHalving::pass_on(Unit& unit, Effects& effects) {
  for (; unit.passed < workers_ && !gathers(); unit.passed *= 2) {
    const unsigned missing = unit.wanted & ~unit.here;
    if ((missing & (2 * unit.passed - 1)) != 0) return;
    const BucketRun run = held_by(unit, rank(), unit.passed);
    if (run.empty()) continue;
    send(MessageKind::parameters, run, unit.round, peer(unit.passed), values_of(unit, run, effects),
         effects);
  }
  if (unit.here == unit.wanted) end_round(unit);
}

void RecursiveHalving::end_round(Unit& unit) const {
  unit.given = workers_;
  unit.awaited = workers_ / 2;
  unit.here = 0;
  unit.passed = 1;
  unit.kept.reset();
  ++unit.round;
}

}  // namespace foretrain
