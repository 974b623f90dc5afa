#include "models/protocol/gathers.h"

#include "models/base/check.h"

#include <numeric>
#include <utility>

namespace foretrain {

Gathers::Gathers(std::shared_ptr<const Training> training, NodeId id,
                 const std::vector<GradientStage>& stages, HeldParameters& parameters,
                 BufferedBytes& held, CollectiveTurns& turns, TimerId timer)
    : training_(std::move(training)),
      id_(id),
      stages_(stages),
      parameters_(parameters),
      buffered_(held),
      turns_(turns),
      timer_(timer),
      parts_(training_->gathers() ? training_->layout->buckets.size() : 0) {
  // In half precision an owner would have to hold the rounded values that all others get.
  FT_CHECK(!wanted() || !training_->numerics || !training_->compression.wanted());
}

void Gathers::begin_step() {
  begun_ = 0;
  all_begun_ = false;
}

// The stage under way has its values; the values of one more are requested or awaited.
void Gathers::go_on(std::size_t computed, Effects& effects) {
  while (is_complete() && begun_ < stages_.size() && begun_ <= computed + 1) {
    begin(stages_[begun_++].needs, effects);
  }
}

bool Gathers::all_here(Effects& effects) {
  if (!std::exchange(all_begun_, true)) {
    std::vector<std::uint32_t> all(parts_.size());
    std::iota(all.begin(), all.end(), 0U);
    begin(all, effects);
  }
  return is_complete();
}

void Gathers::begin(const std::vector<std::uint32_t>& buckets, Effects& effects) {
  if (buckets.empty()) return;
  std::size_t sends = 0;
  for (const std::uint32_t bucket : buckets) sends += route_of(bucket).targets();
  turns_.pass(effects);
  turns_.begin(MessageKind::parameters, {}, {}, sends);
  if (training_->launch.ns == 0) return enter(buckets, effects);
  starting_ = buckets;
  effects.emplace_back(ArmTimer{timer_, training_->launch, true});
}

void Gathers::started(Effects& effects) { enter(std::exchange(starting_, {}), effects); }

Route Gathers::route_of(std::uint32_t bucket) const {
  const Bucket& place = training_->layout->buckets[bucket];
  if (!training_->has_replicas()) return {*training_, place, rank()};
  const int parts = training_->parts;
  return {Ways{.workers = parts}, place.shard % parts, rank() % parts};
}

void Gathers::enter(const std::vector<std::uint32_t>& buckets, Effects& effects) {
  for (const std::uint32_t bucket : buckets) {
    Part& part = parts_[bucket];
    ++part.entered;
    if (training_->keeps_part(rank(), training_->layout->buckets[bucket].shard)) {
      send_own(bucket, effects);
    } else {
      ++missing_;
    }
  }
  std::erase_if(early_, [&](const Early& each) {
    if (each.number >= parts_[each.bucket].entered) return false;
    --missing_;
    buffered_.let_go(each.values.size());
    take(each.bucket, each.values, effects);
    return true;
  });
}

bool Gathers::receive(NodeId from, Message message, Effects& effects) {
  if (message.bucket >= parts_.size()) return false;
  Part& part = parts_[message.bucket];
  const std::int64_t count = training_->layout->buckets[message.bucket].count;
  const bool in_turn =
      route_of(message.bucket).values_from() == static_cast<int>(index_of(from)) - first() &&
      message.step.value == part.come && part.come < part.entered + most_ahead() &&
      message.payload.size() == compressed_size(training_->compression, count);
  if (!in_turn) return false;
  ++part.come;
  if (part.come <= part.entered) {
    --missing_;
    take(message.bucket, message.payload, effects);
  } else {
    buffered_.take(message.payload.size());
    early_.push_back({message.bucket, part.come - 1, std::move(message.payload)});
  }
  return true;
}

// The values change when all workers have contributed a gradient of them: by then all have received
// them.
void Gathers::send_own(std::uint32_t bucket, Effects& effects) {
  const Bucket& place = training_->layout->buckets[bucket];
  const Payload values = parameters_.part(place);
  const Compression& compression = training_->compression;
  if (!compression.wanted()) return send_on(bucket, values, effects);
  effects.emplace_back(SpentCost{compress_cost(compression, place.count)});
  send_on(bucket, compress(compression, values, {}), effects);
}

void Gathers::take(std::uint32_t bucket, const Payload& sent, Effects& effects) {
  const Bucket& place = training_->layout->buckets[bucket];
  const Compression& compression = training_->compression;
  if (compression.wanted()) {
    effects.emplace_back(SpentCost{expand_cost(compression, place.count)});
    parameters_.put(place, *expand(compression, sent, place.count), effects);
  } else {
    parameters_.put(place, sent, effects);
  }
  send_on(bucket, sent, effects);
}

void Gathers::send_on(std::uint32_t bucket, const Payload& sent, Effects& effects) const {
  const Route route = route_of(bucket);
  for (std::size_t i = 0; i < route.targets(); ++i) {
    Message message{
        .kind = MessageKind::parameters, .step = {parts_[bucket].entered - 1}, .bucket = bucket};
    message.payload = sent;
    effects.emplace_back(Send{training_->worker(first() + route.target(i)), std::move(message)});
  }
}

}  // namespace foretrain
