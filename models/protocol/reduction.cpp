#include "models/protocol/reduction.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/protocol/recursive_halving.h"
#include "models/protocol/route.h"
#include "models/protocol/routed_reduction.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

// addends[0] + addends[1] + ...; `to` may be one of the first two.
void add_up(std::span<float> to, const std::vector<std::span<const float>>& addends) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  for (std::size_t first = 0; first < to.size(); first += kBlock) {
    const auto part = [&](auto x) {
      return array(x.subspan(first, std::min(kBlock, to.size() - first)));
    };
    part(to) = part(addends[0]) + part(addends[1]);
    for (std::size_t k = 2; k < addends.size(); ++k) part(to) += part(addends[k]);
  }
}

}  // namespace

Job Reduction::Owner::use_job(std::uint32_t /*bucket*/, JobId /*id*/, const Payload& /*sent*/) {
  FT_CHECK(false);
  return {};
}

void Reduction::begin() {
  first_sum_.reset();
  computing_ = {};
  moved_ = {};
}

void Reduction::add(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) {
  const Compression& compression = training().compression;
  if (compression.only_sizes()) {  // charged once, as on devices that add in half precision
    const std::int64_t count = training().layout->buckets[bucket].count;
    effects.emplace_back(SpentCost{compress_cost(compression, count)});
  }
  take(now, bucket, std::move(mine), effects);
}

Bytes Reduction::size_of(BucketRun run) const {
  return compressed_size(training().compression, count_in(run));
}

Payload Reduction::packed(BucketRun run, Payload payload, Effects& effects) const {
  const Compression& compression = training().compression;
  if (!compression.wanted()) return payload;
  if (compression.converts_sums()) {
    effects.emplace_back(SpentCost{compress_cost(compression, count_in(run))});
  }
  return compress(compression, payload, {});
}

void Reduction::send(MessageKind kind, BucketRun run, Step round, int to, Payload payload,
                     Effects& effects) {
  Message message{.kind = kind, .step = round, .bucket = run.first, .version = {round.value}};
  message.in_order = !training().same_group(rank(), to);
  message.payload = std::move(payload);
  moved_ += wire_size(message);
  effects.emplace_back(Send{training().worker(to), std::move(message)});
}

Payload Reduction::taken(BucketRun run, Payload sent, Effects& effects) {
  const Compression& compression = training().compression;
  if (compression.wanted()) {
    const std::int64_t count = count_in(run);
    sent = *expand(compression, sent, count);
    if (compression.converts_sums())
      effects.emplace_back(SpentCost{expand_cost(compression, count)});
  }
  side_.held.take(sent.size());
  return sent;
}

// Values in half precision are differences, which the owner has also added to its own values.
void Reduction::put(BucketRun run, const Payload& sent, Effects& effects) {
  const Bucket place = training().layout->joined(run);
  const Compression& compression = training().compression;
  if (!compression.wanted()) return side_.parameters.put(place, sent, effects);
  effects.emplace_back(SpentCost{expand_cost(compression, place.count)});
  const Payload values = *expand(compression, sent, place.count);
  if (compression.converts_sums()) return side_.parameters.add(place, values, effects);
  side_.parameters.put(place, values, effects);
}

void Reduction::met(Instant now) {
  if (!first_sum_) first_sum_ = now;
}

void Reduction::done(Duration took, Bytes held) {
  computing_ += took;
  side_.held.let_go(held);
}

// Adds in place of an unshared addend while it is in the cache.
Job Reduction::reduce_job(JobId id, BucketRun run, std::vector<Payload> addends,
                          Payload& to) const {
  const Cost cost = reduce_cost(count_in(run), std::ssize(addends));
  Job job{id, JobKind::reduce, 0, cost, {}, {}};
  job.bucket = run.first;
  job.buckets = run.count;
  const auto third = addends.begin() + 2;  // it is added after the first two
  const auto free =
      std::find_if(addends.begin(), third, [](const Payload& addend) { return addend.unshared(); });
  to = free == third ? Payload::allocate(addends.front().size()) : std::move(*free);
  if (training().numerics) {
    job.work = [&to, addends = std::move(addends)](Parallel& /*parallel*/) {
      const auto sum = to.writable_floats();
      std::vector<std::span<const float>> parts;
      for (const Payload& addend : addends) {
        parts.push_back(addend.size().value > 0 ? addend.floats() : std::span<const float>(sum));
      }
      add_up(sum, parts);
      return JobResult{};
    };
  }
  return job;
}

void Reduction::end_after(Step round, Effects& effects) { end_at(side_.id, round, effects); }

// The chief has the values of its last round, so this worker is in that round, or at the next one.
bool Reduction::hear_end(NodeId from, Step round, Step at, Effects& effects) {
  const bool known = ended_ && round.value == rounds();
  const bool possible = !ended_ && rank() != 0 && (round == at || round == at.next()) &&
                        round.value > 0 && round.value < rounds();
  if (!linked_in_all_reduce(training(), side_.id, from) || !(known || possible)) return false;
  if (!known) end_at(from, round, effects);
  return true;
}

void Reduction::end_at(NodeId heard_from, Step round, Effects& effects) {
  ended_ = true;
  side_.rounds = round.value;
  flood({.kind = MessageKind::enough, .step = round}, training(), side_.id, heard_from, effects);
}

std::unique_ptr<Reduction> make_reduction(const Reduction::Side& side,
                                          std::span<const GradientStage> stages) {
  if (Ways::of(*side.training, side.training->layout->buckets.front()).hypercube) {
    return std::make_unique<RecursiveHalving>(side, stages);
  }
  return std::make_unique<RoutedReduction>(side);
}

}  // namespace foretrain
