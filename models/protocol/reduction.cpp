#include "models/protocol/reduction.h"

#include "models/cost/work.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <span>
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

// addends[0] + addends[1] + ..., which may begin with `to` itself.
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

Reduction::Reduction(std::shared_ptr<const Training> training, NodeId id, std::int64_t rounds,
                     HeldParameters& parameters, BufferedBytes& held, Owner& owner)
    : training_(std::move(training)),
      id_(id),
      rounds_(rounds),
      parameters_(parameters),
      buffered_(held),
      owner_(owner),
      ways_(Ways::of(*training_, training_->layout->buckets.front())),
      gathers_(training_->gathers()),
      parts_(training_->layout->buckets.size()) {
  for (std::uint32_t bucket = 0; bucket < parts_.size(); ++bucket) {
    parts_[bucket].sums.resize(route_of(bucket).sources());
  }
}

void Reduction::begin() {
  first_sum_.reset();
  computing_ = {};
  moved_ = {};
}

void Reduction::add(Instant now, std::uint32_t bucket, Payload mine, Effects& effects) {
  const Compression& compression = training_->compression;
  if (compression.only_sizes()) {  // once, as devices do that add up in half precision
    const std::int64_t count = training_->layout->buckets[bucket].count;
    effects.emplace_back(Worked{compress_cost(compression, count)});
  }
  parts_[bucket].mine = std::move(mine);
  parts_[bucket].has_mine = true;
  reduce_if_complete(now, bucket, effects);
}

bool Reduction::in_turn(NodeId from, const Message& message, const Route& route) const {
  const std::int64_t count = training_->layout->buckets[message.bucket].count;
  if (message.payload.size() != compressed_size(training_->compression, count)) return false;
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

Reduction::Reception Reduction::receive(Instant now, NodeId from, Message message,
                                        Effects& effects) {
  const std::uint32_t bucket = message.bucket;
  if (bucket >= parts_.size()) return Reception::refused;
  const Route route = route_of(bucket);
  if (!in_turn(from, message, route)) return Reception::refused;
  if (message.kind == MessageKind::parameters) {
    take_values(bucket, message.payload, effects);
    renew(bucket, message.payload, effects);
    return Reception::renewed;
  }
  const Compression& compression = training_->compression;
  if (compression.wanted()) {
    const std::int64_t count = training_->layout->buckets[bucket].count;
    message.payload = *expand(compression, message.payload, count);
    if (compression.converts_sums()) effects.emplace_back(Worked{expand_cost(compression, count)});
  }
  Part& part = parts_[bucket];
  const std::size_t source = *route.source_of(static_cast<int>(index_of(from)));
  buffered_.take(message.payload.size());
  part.sums[source] = std::move(message.payload);
  part.here |= 1U << source;
  reduce_if_complete(now, bucket, effects);
  return Reception::taken;
}

// Halves are differences, which the owner has added to what it holds itself.
void Reduction::take_values(std::uint32_t bucket, const Payload& sent, Effects& effects) {
  const Bucket& place = training_->layout->buckets[bucket];
  const Compression& compression = training_->compression;
  if (!compression.wanted()) return parameters_.put(place, sent, effects);
  effects.emplace_back(Worked{expand_cost(compression, place.count)});
  const Payload values = *expand(compression, sent, place.count);
  if (compression.converts_sums()) return parameters_.add(place, values, effects);
  parameters_.put(place, values, effects);
}

Payload Reduction::packed(std::uint32_t bucket, Payload payload, Effects& effects) const {
  const Compression& compression = training_->compression;
  if (!compression.wanted()) return payload;
  if (compression.converts_sums()) {
    const std::int64_t count = training_->layout->buckets[bucket].count;
    effects.emplace_back(Worked{compress_cost(compression, count)});
  }
  return compress(compression, payload, {});
}

std::optional<std::uint32_t> Reduction::computed(Instant now, JobId job, Effects& effects) {
  const auto bucket = static_cast<std::uint32_t>((static_cast<std::uint64_t>(job) - kFirstJob) / 2);
  Part& part = parts_[bucket];
  computing_ += now - part.job_start;
  buffered_.let_go(training_->layout->buckets[bucket].size() * std::ssize(part.sums));
  if (job == reduce_id(bucket)) {
    send_sum(bucket, std::exchange(part.mine, {}), effects);
    return std::nullopt;
  }
  Payload values = owner_.finished(bucket, effects);
  if (!gathers_) values = packed(bucket, std::move(values), effects);
  renew(bucket, values, effects);
  return bucket;
}

void Reduction::reduce_if_complete(Instant now, std::uint32_t bucket, Effects& effects) {
  Part& part = parts_[bucket];
  if (!part.has_mine || !all_here(part) || part.round.value >= rounds_) return;
  part.in_sum = true;
  std::vector<Payload> addends;
  addends.reserve(part.sums.size() + 1);
  for (Payload& sum : part.sums) addends.push_back(std::exchange(sum, {}));
  part.here = 0;
  if (!addends.empty() && !first_sum_) first_sum_ = now;
  addends.insert(addends.begin() + (addends.empty() ? 0 : 1), std::exchange(part.mine, {}));
  part.has_mine = false;
  part.job_start = now;
  if (owns(bucket)) {
    effects.emplace_back(Compute{owner_.finish_job(bucket, finish_id(bucket), std::move(addends))});
  } else if (addends.size() == 1) {
    send_sum(bucket, std::move(addends.front()), effects);
  } else {
    reduce(bucket, std::move(addends), effects);
  }
}

// Where values are gathered, this worker's round of the bucket is over with that.
void Reduction::send_sum(std::uint32_t bucket, Payload sum, Effects& effects) {
  send(MessageKind::partial, bucket, *route_of(bucket).sum_to(),
       packed(bucket, std::move(sum), effects), effects);
  if (gathers_) renew(bucket, {}, effects);
}

void Reduction::reduce(std::uint32_t bucket, std::vector<Payload> addends, Effects& effects) {
  Part& part = parts_[bucket];
  const std::int64_t count = training_->layout->buckets[bucket].count;
  const Cost cost = reduce_cost(count, std::ssize(addends));
  Job job{reduce_id(bucket), JobKind::reduce, 0, cost, {}, {}};
  job.bucket = bucket;
  if (!training_->numerics || addends.front().unshared()) {
    part.mine = std::move(addends.front());  // in place, while it is in the cache
  } else {
    part.mine = Payload::allocate(addends.front().size());  // the sender still holds it
  }
  if (training_->numerics) {
    job.work = [&part, addends = std::move(addends)](Parallel& /*parallel*/) {
      const auto to = part.mine.writable_floats();
      std::vector<std::span<const float>> parts;
      for (const Payload& addend : addends) {
        parts.push_back(addend.size().value > 0 ? addend.floats() : std::span<const float>(to));
      }
      add_up(to, parts);
      return JobResult{};
    };
  }
  effects.emplace_back(Compute{std::move(job)});
}

// They are in their place, and go no further where they are gathered: whatever job runs, it does
// not read this bucket, which this worker has given its part of; the next one waits for these
// values.
void Reduction::renew(std::uint32_t bucket, const Payload& values, Effects& effects) {
  Part& part = parts_[bucket];
  const Route route = route_of(bucket);
  for (std::size_t i = 0; !gathers_ && i < route.targets(); ++i) {
    send(MessageKind::parameters, bucket, route.target(i), values, effects);
  }
  part.in_sum = false;
  ++part.round;
}

void Reduction::end_after(Step round, Effects& effects) {
  ended_ = true;
  rounds_ = round.value;
  tell_end(id_, effects);
}

// The chief has the values of its last round, so this worker is in that round still, or at its
// next.
bool Reduction::hear_end(NodeId from, Step round, Step at, Effects& effects) {
  const bool known = ended_ && round.value == rounds_;
  const bool possible = !ended_ && rank() != 0 && (round == at || round == at.next()) &&
                        round.value > 0 && round.value < rounds_;
  if (!linked_in_all_reduce(*training_, id_, from) || !(known || possible)) return false;
  if (known) return true;
  ended_ = true;
  rounds_ = round.value;
  tell_end(from, effects);
  return true;
}

void Reduction::tell_end(NodeId heard_from, Effects& effects) {
  for (int worker = 0; worker < training_->workers; ++worker) {
    const NodeId peer = training_->worker(worker);
    if (peer == heard_from || !linked_in_all_reduce(*training_, id_, peer)) continue;
    effects.emplace_back(Send{peer, {.kind = MessageKind::enough, .step = {rounds_}}});
  }
}

bool Reduction::is_cut_short() const {
  const auto is_last = [&](const Part& part) { return part.round.value == rounds_; };
  return ended_ && std::ranges::all_of(parts_, is_last);
}

void Reduction::send(MessageKind kind, std::uint32_t bucket, int to, Payload payload,
                     Effects& effects) {
  const Step round = parts_[bucket].round;
  Message message{.kind = kind, .step = round, .bucket = bucket, .version = {round.value}};
  message.payload = std::move(payload);
  moved_ += wire_size(message);
  effects.emplace_back(Send{training_->worker(to), std::move(message)});
}

}  // namespace foretrain
