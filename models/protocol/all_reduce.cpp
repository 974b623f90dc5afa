#include "models/protocol/all_reduce.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

constexpr std::uint64_t kEvaluation = 0;
constexpr std::uint64_t kGradient = 1;  // its first stage; then the others
// Two jobs a bucket.
constexpr std::uint64_t kBuckets = std::uint64_t{1} << 32;
JobId reduce_id(std::uint32_t bucket) { return JobId{kBuckets + 2 * std::uint64_t{bucket}}; }
JobId apply_id(std::uint32_t bucket) { return JobId{kBuckets + 2 * std::uint64_t{bucket} + 1}; }

}  // namespace

AllReduceWorker::AllReduceWorker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      learner_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      parts_(training_->layout->buckets.size()) {
  for (const std::uint32_t index : training_->layout->of_shard(rank())) {
    parts_[index].own.emplace(training_, index, parameters_.all());
  }
}

void AllReduceWorker::handle(Instant now, Input input, Effects& effects) {
  if (state_ == State::finished) return;
  if (std::holds_alternative<Started>(input)) {
    compute_gradient(now, effects);
  } else if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* done = std::get_if<Computed>(&input)) {
    computed(now, *done, effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  }
}

bool AllReduceWorker::in_turn(NodeId from, const Message& message) const {
  if (message.bucket >= parts_.size() || after(static_cast<int>(index_of(from))) != rank() ||
      message.payload.size() != training_->layout->buckets[message.bucket].size()) {
    return false;
  }
  const Part& part = parts_[message.bucket];
  if (message.kind == MessageKind::parameters) {
    return message.step == step_ && part.stage == Stage::summed && !part.own;
  }
  // The one before may be a step ahead where this worker's gradient is in the sum already.
  const bool in_sum = part.stage == Stage::summed || part.stage == Stage::done;
  const Step expected = in_sum ? step_.next() : step_;
  return message.kind == MessageKind::partial && message.step == expected && !part.early &&
         !begins(message.bucket);
}

void AllReduceWorker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (!in_turn(from, message)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (message.kind == MessageKind::parameters) {
    return new_values(now, message.bucket, message.payload, effects);
  }
  if (parts_[message.bucket].stage == Stage::ready) {
    if (!first_sum_) first_sum_ = now;
    return reduce(now, message.bucket, std::move(message.payload), effects);
  }
  parts_[message.bucket].early = std::move(message.payload);
}

void AllReduceWorker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  clock_.start(now);
  first_sum_.reset();
  applying_ = {};
  moved_ = {};
  for (Job& job : learner_.gradient_jobs(JobId{kGradient}, parameters_.all())) {
    effects.emplace_back(Compute{std::move(job)});
  }
}

void AllReduceWorker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto id = static_cast<std::uint64_t>(computed.job);
  if (id == kEvaluation) return report_evaluation(now, computed.result, effects);
  if (id < kBuckets) {
    if (id == kGradient) loss_ = computed.result.loss;
    return stage_computed(now, id - kGradient, effects);
  }
  const auto index = static_cast<std::uint32_t>((id - kBuckets) / 2);
  Part& part = parts_[index];
  applying_ += now - part.job_start;
  if (computed.job == reduce_id(index)) {
    return send_on(MessageKind::partial, index, std::exchange(part.sum, {}), effects);
  }
  part.own->finish_apply();
  last_update_ = now;
  new_values(now, index, part.own->values(), effects);
}

void AllReduceWorker::stage_computed(Instant now, std::size_t stage, Effects& effects) {
  const bool last = stage + 1 == learner_.stages().size();
  if (last) {
    state_ = State::reducing;
    clock_.computed(now);
    computed_at_ = now;
  }
  for (const std::uint32_t index : learner_.stages()[stage].buckets) {
    begin_ring(now, index, effects);
  }
  if (!last) return;
  for (std::uint32_t index = 0; index < parts_.size(); ++index) {
    auto& incoming = parts_[index].incoming;
    if (incoming) parameters_.put(training_->layout->buckets[index], *incoming);
    incoming.reset();
  }
  if (done_ == parts_.size()) end_step(now, effects);
}

void AllReduceWorker::begin_ring(Instant now, std::uint32_t index, Effects& effects) {
  Part& part = parts_[index];
  const Bucket& bucket = training_->layout->buckets[index];
  part.stage = Stage::ready;
  if (training_->workers == 1) {
    apply(now, index, {learner_.push(bucket)}, effects);
  } else if (begins(index)) {
    part.stage = Stage::summed;
    send_on(MessageKind::partial, index, learner_.push(bucket), effects);
  } else if (part.early) {
    if (!first_sum_) first_sum_ = now;
    reduce(now, index, std::move(*std::exchange(part.early, {})), effects);
  }
}

void AllReduceWorker::reduce(Instant now, std::uint32_t index, Payload sum, Effects& effects) {
  Part& part = parts_[index];
  const Bucket& bucket = training_->layout->buckets[index];
  Payload gradient = learner_.push(bucket);
  part.stage = Stage::summed;
  if (part.own) return apply(now, index, {std::move(sum), std::move(gradient)}, effects);
  part.job_start = now;
  const Cost cost{Flops{static_cast<double>(bucket.count)}, Bytes{12 * bucket.count}};
  Job job{reduce_id(index), JobKind::reduce, 0, cost, {}, {}};
  Payload before;
  if (!training_->numerics || sum.unshared()) {
    part.sum = std::move(sum);  // in place, while it is in the cache
  } else {
    before = std::move(sum);  // the sender still holds it
    part.sum = Payload::allocate(before.size());
  }
  if (training_->numerics) {
    job.work = [&part, before = std::move(before), gradient](Parallel& /*parallel*/) {
      const auto to = part.sum.writable_floats();
      const auto from = before.size().value > 0 ? before.floats() : std::span<const float>(to);
      const auto mine = gradient.floats();
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i] + mine[i];
      return JobResult{};
    };
  }
  effects.emplace_back(Compute{std::move(job)});
}

void AllReduceWorker::apply(Instant now, std::uint32_t index, std::vector<Payload> sums,
                            Effects& effects) {
  Part& part = parts_[index];
  part.job_start = now;
  effects.emplace_back(
      Compute{part.own->apply_job(apply_id(index), std::move(sums), training_->workers)});
}

void AllReduceWorker::new_values(Instant now, std::uint32_t index, const Payload& values,
                                 Effects& effects) {
  if (state_ == State::computing) {
    parts_[index].incoming = values;  // the gradient is computed on what was there before
  } else {
    parameters_.put(training_->layout->buckets[index], values);
  }
  Part& part = parts_[index];
  part.stage = Stage::done;
  last_update_ = now;
  if (training_->workers > 1 && after(rank()) != owner(index)) {
    send_on(MessageKind::parameters, index, values, effects);
  }
  if (++done_ == parts_.size() && state_ == State::reducing) end_step(now, effects);
}

void AllReduceWorker::send_on(MessageKind kind, std::uint32_t index, Payload payload,
                              Effects& effects) {
  Message message{.kind = kind, .step = step_, .bucket = index, .version = {step_.value}};
  message.payload = std::move(payload);
  moved_ += wire_size(message);
  effects.emplace_back(Send{training_->worker(after(rank())), std::move(message)});
}

void AllReduceWorker::end_step(Instant now, Effects& effects) {
  const Duration wait = first_sum_.value_or(computed_at_) - computed_at_;
  clock_.pulled(now, wait, applying_, moved_, moved_);
  // From here on sums of the next step may come, while this worker still evaluates.
  ++step_;
  for (Part& part : parts_) part.stage = Stage::computing;
  done_ = 0;
  const std::int64_t every = training_->evaluate_every;
  if (rank() == 0 && every > 0 && step_.value % every == 0 && !last_step()) {
    return evaluate(now, State::evaluating, effects);
  }
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, loss_)});
  go_on(now, effects);
}

void AllReduceWorker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  judge_.begin(now, JobId{kEvaluation}, learner_, parameters_.all(), effects);
}

void AllReduceWorker::report_evaluation(Instant now, const JobResult& result, Effects& effects) {
  const bool final = state_ == State::judging;
  const Duration took = judge_.report(now, step_, {step_.value}, result, final, effects);
  if (final) return finish(effects);
  clock_.evaluated(took);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, loss_)});
  go_on(now, effects);
}

void AllReduceWorker::go_on(Instant now, Effects& effects) {
  if (!last_step()) return compute_gradient(now, effects);
  if (rank() == 0) return evaluate(now, State::judging, effects);
  finish(effects);
}

void AllReduceWorker::finish(Effects& effects) {
  state_ = State::finished;
  effects.emplace_back(Finished{.updates = training_->steps,
                                .gradients = training_->steps * training_->workers,
                                .last_update = last_update_,
                                .weights = rank() == 0 ? parameters_.all() : Payload{}});
}

bool linked_in_ring(const Training& training, NodeId a, NodeId b) {
  const auto first = static_cast<int>(index_of(a));
  const auto second = static_cast<int>(index_of(b));
  return first != second &&
         ((first + 1) % training.workers == second || (second + 1) % training.workers == first);
}

std::unique_ptr<Node> make_all_reduce_node(std::shared_ptr<const Training> training, NodeId id) {
  return std::make_unique<AllReduceWorker>(std::move(training), id);
}

}  // namespace foretrain
