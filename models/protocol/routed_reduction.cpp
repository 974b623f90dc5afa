#include "models/protocol/routed_reduction.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

// Two jobs a bucket.
JobId reduce_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + 2 * std::uint64_t{bucket}};
}
JobId finish_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + 2 * std::uint64_t{bucket} + 1};
}

}  // namespace

RoutedReduction::RoutedReduction(std::shared_ptr<const Training> training, NodeId id,
                                 std::int64_t rounds, HeldParameters& parameters,
                                 BufferedBytes& held, Owner& owner)
    : Reduction(std::move(training), id, rounds, parameters, held, owner),
      ways_(Ways::of(this->training(), this->training().layout->buckets.front())),
      parts_(this->training().layout->buckets.size()) {
  for (std::uint32_t bucket = 0; bucket < parts_.size(); ++bucket) {
    parts_[bucket].sums.resize(route_of(bucket).sources());
  }
}

void RoutedReduction::take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) {
  parts_[bucket].mine = std::move(mine);
  parts_[bucket].has_mine = true;
  reduce_if_complete(now, bucket, effects);
}

bool RoutedReduction::all_are_at(Step round) const {
  return std::ranges::all_of(parts_, [&](const Part& part) { return part.round == round; });
}

bool RoutedReduction::in_turn(NodeId from, const Message& message, const Route& route) const {
  if (message.payload.size() != size_of({message.bucket, 1})) return false;
  const Part& part = parts_[message.bucket];
  const auto sender = static_cast<int>(index_of(from));
  if (message.kind == MessageKind::parameters) {
    return message.step == part.round && part.in_sum && route.values_from() == sender;
  }
  // A source may be a round ahead where this worker's part is in the sum already.
  if (message.kind != MessageKind::partial) return false;
  const auto source = route.source_of(sender);
  return source && message.step == (part.in_sum ? part.round.next() : part.round) &&
         (part.here >> *source & 1U) == 0;
}

std::optional<BucketRun> RoutedReduction::receive(Instant now, NodeId from, Message message,
                                                  Effects& effects) {
  const std::uint32_t bucket = message.bucket;
  if (bucket >= parts_.size()) return std::nullopt;
  const Route route = route_of(bucket);
  if (!in_turn(from, message, route)) return std::nullopt;
  if (message.kind == MessageKind::parameters) {
    put({bucket, 1}, message.payload, effects);
    renew(bucket, message.payload, effects);
    return BucketRun{bucket, 1};
  }
  Part& part = parts_[bucket];
  const std::size_t source = *route.source_of(static_cast<int>(index_of(from)));
  part.sums[source] = taken({bucket, 1}, std::move(message.payload), effects);
  part.here |= 1U << source;
  reduce_if_complete(now, bucket, effects);
  return BucketRun{};
}

BucketRun RoutedReduction::computed(Instant now, JobId job, Effects& effects) {
  const auto bucket = static_cast<std::uint32_t>((static_cast<std::uint64_t>(job) - kFirstJob) / 2);
  Part& part = parts_[bucket];
  done(now - part.job_start, training().layout->buckets[bucket].size() * std::ssize(part.sums));
  if (job == reduce_id(bucket)) {
    send_sum(bucket, std::exchange(part.mine, {}), effects);
    return {};
  }
  Payload values = owner().finished(bucket, effects);
  if (!gathers()) values = packed({bucket, 1}, std::move(values), effects);
  renew(bucket, values, effects);
  return {bucket, 1};
}

void RoutedReduction::reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects) {
  Part& part = parts_[bucket];
  if (!part.has_mine || !all_here(part) || part.round.value >= rounds()) return;
  part.in_sum = true;
  std::vector<Payload> addends;
  addends.reserve(part.sums.size() + 1);
  for (Payload& sum : part.sums) addends.push_back(std::exchange(sum, {}));
  part.here = 0;
  if (!addends.empty()) met(now);
  addends.insert(addends.begin() + (addends.empty() ? 0 : 1), std::exchange(part.mine, {}));
  part.has_mine = false;
  part.job_start = now;
  if (owns(bucket)) {
    effects.emplace_back(
        Compute{owner().finish_job(bucket, finish_id(bucket), std::move(addends))});
  } else if (addends.size() == 1) {
    send_sum(bucket, std::move(addends.front()), effects);
  } else {
    effects.emplace_back(
        Compute{reduce_job(reduce_id(bucket), {bucket, 1}, std::move(addends), part.mine)});
  }
}

// Where values are gathered, this worker's round of the bucket is over with that.
void RoutedReduction::send_sum(std::uint32_t bucket, Payload sum, Effects& effects) {
  const BucketRun run{bucket, 1};
  send(MessageKind::partial, run, parts_[bucket].round, *route_of(bucket).sum_to(),
       packed(run, std::move(sum), effects), effects);
  if (gathers()) renew(bucket, {}, effects);
}

// They are in their place, and go no further where they are gathered: whatever job runs, it does
// not read this bucket, which this worker has given its part of; the next one waits for these
// values.
void RoutedReduction::renew(std::uint32_t bucket, const Payload& values, Effects& effects) {
  Part& part = parts_[bucket];
  const Route route = route_of(bucket);
  for (std::size_t i = 0; !gathers() && i < route.targets(); ++i) {
    send(MessageKind::parameters, {bucket, 1}, part.round, route.target(i), values, effects);
  }
  part.in_sum = false;
  ++part.round;
}

}  // namespace foretrain
