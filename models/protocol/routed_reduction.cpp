#include "models/protocol/routed_reduction.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

// Each bucket has two job ids.
JobId reduce_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + 2 * std::uint64_t{bucket}};
}
JobId finish_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + 2 * std::uint64_t{bucket} + 1};
}

std::size_t source_in(const std::pair<std::size_t, Payload>& sum) { return sum.first; }

}  // namespace

RoutedReduction::RoutedReduction(const Side& side)
    : Reduction(side),
      group_(static_cast<int>(training().options.integer(kGroup))),
      sums_(training().sums_a_round()),
      parts_(training().layout->buckets.size()) {
  for (std::uint32_t bucket = 0; bucket < parts_.size(); ++bucket) {
    parts_[bucket].sums.resize(route_of(bucket).sources());
    if (sums_ > 1) parts_[bucket].ahead = std::make_unique<Ahead>();
  }
}

void RoutedReduction::take(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) {
  Part& part = parts_[bucket];
  if (part.ahead && (part.has_mine || part.in_sum)) {
    return part.ahead->mine.push_back(std::move(mine));
  }
  part.mine = std::move(mine);
  part.has_mine = true;
  reduce_if_complete(now, bucket, effects);
}

bool RoutedReduction::all_are_at(Step round) const {
  return std::ranges::all_of(
      parts_, [&](const Part& part) { return part.round.value == round.value * sums_; });
}

bool RoutedReduction::in_turn(NodeId from, const Message& message, const Route& route) const {
  if (message.payload.size() != size_of({message.bucket, 1})) return false;
  const Part& part = parts_[message.bucket];
  const auto sender = static_cast<int>(index_of(from));
  if (message.kind == MessageKind::parameters) {
    return message.step == part.round && part.in_sum && route.values_from() == sender;
  }
  // A source may be a round ahead if this worker's part is already in the sum; a round with several
  // sums allows more.
  if (message.kind != MessageKind::partial) return false;
  const auto source = route.source_of(sender);
  if (!source) return false;
  std::int64_t come = part.here >> *source & 1U;
  if (come > 0 && !part.ahead) return false;
  if (part.ahead) come += std::ranges::count(part.ahead->sums, *source, source_in);
  return message.step.value == part.round.value + (part.in_sum ? 1 : 0) + come;
}

std::optional<BucketRun> RoutedReduction::receive(Instant now, NodeId from, Message message,
                                                  Effects& effects) {
  const std::uint32_t bucket = message.bucket;
  if (bucket >= parts_.size()) return std::nullopt;
  const Route route = route_of(bucket);
  if (!in_turn(from, message, route)) return std::nullopt;
  if (message.kind == MessageKind::parameters) {
    put({bucket, 1}, message.payload, effects);
    renew(now, bucket, message.payload, effects);
    return BucketRun{bucket, 1};
  }
  Part& part = parts_[bucket];
  const std::size_t source = *route.source_of(static_cast<int>(index_of(from)));
  Payload sum = taken({bucket, 1}, std::move(message.payload), effects);
  if ((part.here >> source & 1U) != 0) {
    part.ahead->sums.emplace_back(source, std::move(sum));
    return BucketRun{};
  }
  part.sums[source] = std::move(sum);
  part.here |= 1U << source;
  reduce_if_complete(now, bucket, effects);
  return BucketRun{};
}

BucketRun RoutedReduction::computed(Instant now, JobId job, Effects& effects) {
  const auto bucket = static_cast<std::uint32_t>((static_cast<std::uint64_t>(job) - kFirstJob) / 2);
  Part& part = parts_[bucket];
  done(now - part.job_start, training().layout->buckets[bucket].size() * std::ssize(part.sums));
  if (job == reduce_id(bucket)) {
    Payload sum = std::exchange(part.mine, {});
    if (owns(bucket)) {
      part.ahead->total = std::move(sum);
      renew(now, bucket, {}, effects);
    } else {
      send_sum(now, bucket, std::move(sum), effects);
    }
    return {};
  }
  Payload values = owner().finished(bucket, effects);
  if (is_renewed(bucket)) values = packed({bucket, 1}, std::move(values), effects);
  renew(now, bucket, values, effects);
  return {bucket, 1};
}

void RoutedReduction::reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects) {
  Part& part = parts_[bucket];
  if (!part.has_mine || !all_here(part) || part.round.value >= rounds() * sums_) return;
  part.in_sum = true;
  std::vector<Payload> addends;
  addends.reserve(part.sums.size() + 1);
  for (Payload& sum : part.sums) addends.push_back(std::exchange(sum, {}));
  part.here = 0;
  if (part.ahead) {
    std::erase_if(part.ahead->sums, [&](auto& each) {
      if ((part.here >> each.first & 1U) != 0) return false;
      part.sums[each.first] = std::move(each.second);
      part.here |= 1U << each.first;
      return true;
    });
  }
  if (!addends.empty()) met(now);
  addends.insert(addends.begin() + (addends.empty() ? 0 : 1), std::exchange(part.mine, {}));
  part.has_mine = false;
  part.job_start = now;
  const bool own = owns(bucket);
  if (own && part.ahead && part.round.value % sums_ > 0) {
    addends.push_back(std::exchange(part.ahead->total, {}));
  }
  if (own && ends_round(part)) {
    effects.emplace_back(
        Compute{owner().finish_job(bucket, finish_id(bucket), std::move(addends))});
  } else if (addends.size() == 1) {
    send_sum(now, bucket, std::move(addends.front()), effects);
  } else {
    effects.emplace_back(
        Compute{reduce_job(reduce_id(bucket), {bucket, 1}, std::move(addends), part.mine)});
  }
}

// If values are gathered, or follow only after another sum, this worker's part in this sum ends
// when it is sent.
void RoutedReduction::send_sum(Instant now, std::uint32_t bucket, Payload sum, Effects& effects) {
  const BucketRun run{bucket, 1};
  send(MessageKind::partial, run, parts_[bucket].round, *route_of(bucket).sum_to(),
       packed(run, std::move(sum), effects), effects);
  if (!is_renewed(bucket) || !ends_round(parts_[bucket])) renew(now, bucket, {}, effects);
}

// The values are in place, and are not forwarded if they are gathered. No running job reads this
// bucket, because this worker has given its part of it; the next job waits for these values.
void RoutedReduction::renew(Instant now, std::uint32_t bucket, const Payload& values,
                            Effects& effects) {
  Part& part = parts_[bucket];
  const Route route = route_of(bucket);
  const bool sends = is_renewed(bucket) && ends_round(part);
  for (std::size_t i = 0; sends && i < route.targets(); ++i) {
    if (!shares_values(route.target(i))) continue;
    send(MessageKind::parameters, {bucket, 1}, part.round, route.target(i), values, effects);
  }
  part.in_sum = false;
  ++part.round;
  if (!part.ahead || part.has_mine || part.ahead->mine.empty()) return;
  part.mine = std::move(part.ahead->mine.front());
  part.has_mine = true;
  part.ahead->mine.pop_front();
  reduce_if_complete(now, bucket, effects);
}

}  // namespace foretrain
