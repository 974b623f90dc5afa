#include "models/protocol/routed_reduction.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

// Each bucket has three job ids.
constexpr std::uint64_t kJobs = 3;
JobId reduce_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + kJobs * std::uint64_t{bucket}};
}
JobId finish_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + kJobs * std::uint64_t{bucket} + 1};
}
JobId use_id(std::uint32_t bucket) {
  return JobId{Reduction::kFirstJob + kJobs * std::uint64_t{bucket} + 2};
}

bool is_here(const Payload& sum) { return sum.size().value > 0; }

std::size_t source_in(const std::pair<std::size_t, Payload>& sum) { return sum.first; }

}  // namespace

RoutedReduction::RoutedReduction(const Side& side)
    : Reduction(side),
      rooted_(training().protocol->rooted),
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
    return message.step == part.round && part.in_sum && !part.in_use &&
           route.values_from() == sender;
  }
  // A source may be a round ahead if this worker's part is already in the sum; a round with several
  // sums allows more.
  if (message.kind != MessageKind::partial) return false;
  const auto source = route.source_of(sender);
  if (!source) return false;
  std::int64_t come = is_here(part.sums[*source]) ? 1 : 0;
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
    if (rooted_) {
      use(now, bucket, message.payload, effects);
      return BucketRun{};
    }
    put({bucket, 1}, message.payload, effects);
    forward(bucket, message.payload, effects);
    end_sum(now, bucket, effects);
    return BucketRun{bucket, 1};
  }
  Part& part = parts_[bucket];
  const std::size_t source = *route.source_of(static_cast<int>(index_of(from)));
  Payload sum = taken({bucket, 1}, std::move(message.payload), effects);
  if (is_here(part.sums[source])) {
    part.ahead->sums.emplace_back(source, std::move(sum));
    return BucketRun{};
  }
  part.sums[source] = std::move(sum);
  ++part.here;
  reduce_if_complete(now, bucket, effects);
  return BucketRun{};
}

BucketRun RoutedReduction::computed(Instant now, JobId job, Effects& effects) {
  const auto bucket =
      static_cast<std::uint32_t>((static_cast<std::uint64_t>(job) - kFirstJob) / kJobs);
  Part& part = parts_[bucket];
  if (job == use_id(bucket)) {
    done(now - part.job_start, {});
    owner().used(bucket);
    end_sum(now, bucket, effects);
    return {bucket, 1};
  }
  done(now - part.job_start, training().layout->buckets[bucket].size() * std::ssize(part.sums));
  if (job == reduce_id(bucket)) {
    Payload sum = std::exchange(part.mine, {});
    if (owns(bucket)) {
      part.ahead->total = std::move(sum);
      end_sum(now, bucket, effects);
    } else {
      send_sum(now, bucket, std::move(sum), effects);
    }
    return {};
  }
  Payload values = owner().finished(bucket, effects);
  if (is_renewed(bucket)) values = packed({bucket, 1}, std::move(values), effects);
  forward(bucket, values, effects);
  if (rooted_) {
    use(now, bucket, values, effects);
    return {};
  }
  end_sum(now, bucket, effects);
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
      if (is_here(part.sums[each.first])) return false;
      part.sums[each.first] = std::move(each.second);
      ++part.here;
      return true;
    });
  }
  if (!addends.empty()) met(now);
  // With a root in the order of the workers.
  const bool mine_first = addends.empty() || rooted_;
  addends.insert(addends.begin() + (mine_first ? 0 : 1), std::exchange(part.mine, {}));
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
  if (!is_renewed(bucket) || !ends_round(parts_[bucket])) end_sum(now, bucket, effects);
}

// Values are not forwarded if they are gathered.
void RoutedReduction::forward(std::uint32_t bucket, const Payload& values, Effects& effects) {
  const Route route = route_of(bucket);
  for (std::size_t i = 0; is_renewed(bucket) && i < route.targets(); ++i) {
    if (!shares_values(route.target(i))) continue;
    send(MessageKind::parameters, {bucket, 1}, parts_[bucket].round, route.target(i), values,
         effects);
  }
}

void RoutedReduction::use(Instant now, std::uint32_t bucket, const Payload& sent,
                          Effects& effects) {
  Part& part = parts_[bucket];
  part.in_use = true;
  part.job_start = now;
  effects.emplace_back(Compute{owner().use_job(bucket, use_id(bucket), sent)});
}

// No running job reads this bucket, because this worker has given its part of it; the next job
// waits for these values.
void RoutedReduction::end_sum(Instant now, std::uint32_t bucket, Effects& effects) {
  Part& part = parts_[bucket];
  part.in_use = false;
  part.in_sum = false;
  ++part.round;
  if (!part.ahead || part.has_mine || part.ahead->mine.empty()) return;
  part.mine = std::move(part.ahead->mine.front());
  part.has_mine = true;
  part.ahead->mine.pop_front();
  reduce_if_complete(now, bucket, effects);
}

}  // namespace foretrain
