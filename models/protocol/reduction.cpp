#include "models/protocol/reduction.h"

#include "models/cost/work.h"
#include "models/protocol/halving.h"
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

Reduction::Reduction(std::shared_ptr<const Training> training, NodeId id, std::int64_t rounds,
                     HeldParameters& parameters, BufferedBytes& held, Owner& owner)
    : training_(std::move(training)),
      id_(id),
      rounds_(rounds),
      parameters_(parameters),
      buffered_(held),
      owner_(owner),
      gathers_(training_->gathers()) {}

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
  take(now, bucket, std::move(mine), effects);
}

Bytes Reduction::size_of(BucketRun run) const {
  return compressed_size(training_->compression, count_in(run));
}

Payload Reduction::packed(BucketRun run, Payload payload, Effects& effects) const {
  const Compression& compression = training_->compression;
  if (!compression.wanted()) return payload;
  if (compression.converts_sums()) {
    effects.emplace_back(Worked{compress_cost(compression, count_in(run))});
  }
  return compress(compression, payload, {});
}

void Reduction::send(MessageKind kind, BucketRun run, Step round, int to, Payload payload,
                     Effects& effects) {
  Message message{.kind = kind, .step = round, .bucket = run.first, .version = {round.value}};
  message.in_order = !training_->same_group(rank(), to);
  message.payload = std::move(payload);
  moved_ += wire_size(message);
  effects.emplace_back(Send{training_->worker(to), std::move(message)});
}

Payload Reduction::taken(BucketRun run, Payload sent, Effects& effects) {
  const Compression& compression = training_->compression;
  if (compression.wanted()) {
    const std::int64_t count = count_in(run);
    sent = *expand(compression, sent, count);
    if (compression.converts_sums()) effects.emplace_back(Worked{expand_cost(compression, count)});
  }
  buffered_.take(sent.size());
  return sent;
}

// Halves are differences, which the owner has added to what it holds itself.
void Reduction::put(BucketRun run, const Payload& sent, Effects& effects) {
  const Bucket place = training_->layout->joined(run);
  const Compression& compression = training_->compression;
  if (!compression.wanted()) return parameters_.put(place, sent, effects);
  effects.emplace_back(Worked{expand_cost(compression, place.count)});
  const Payload values = *expand(compression, sent, place.count);
  if (compression.converts_sums()) return parameters_.add(place, values, effects);
  parameters_.put(place, values, effects);
}

void Reduction::met(Instant now) {
  if (!first_sum_) first_sum_ = now;
}

void Reduction::done(Duration took, Bytes held) {
  computing_ += took;
  buffered_.let_go(held);
}

// In place of one that nobody else holds, while it is in the cache.
Job Reduction::reduce_job(JobId id, BucketRun run, std::vector<Payload> addends,
                          Payload& to) const {
  const Cost cost = reduce_cost(count_in(run), std::ssize(addends));
  Job job{id, JobKind::reduce, 0, cost, {}, {}};
  job.bucket = run.first;
  job.buckets = run.count;
  const auto third = addends.begin() + 2;  // it is added when the first two are
  const auto free =
      std::find_if(addends.begin(), third, [](const Payload& addend) { return addend.unshared(); });
  to = free == third ? Payload::allocate(addends.front().size()) : std::move(*free);
  if (training_->numerics) {
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

std::unique_ptr<Reduction> make_reduction(std::shared_ptr<const Training> training, NodeId id,
                                          std::int64_t rounds,
                                          std::span<const GradientStage> stages,
                                          HeldParameters& parameters, BufferedBytes& held,
                                          Reduction::Owner& owner) {
  if (Ways::of(*training, training->layout->buckets.front()).hypercube) {
    return std::make_unique<Halving>(std::move(training), id, rounds, stages, parameters, held,
                                     owner);
  }
  return std::make_unique<RoutedReduction>(std::move(training), id, rounds, parameters, held,
                                           owner);
}

}  // namespace foretrain
