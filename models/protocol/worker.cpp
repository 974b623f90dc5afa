#include "models/protocol/worker.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {
constexpr JobId kEvaluation{0};
constexpr JobId kGradient{1};  // its first stage; then the others
}  // namespace

Worker::Worker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      learner_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      buckets_(training_->layout->buckets.size()) {
  if (!training_->sparse()) return;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const Bucket& bucket = training_->layout->buckets[i];
    buckets_[i].values = parameters_.all().slice(bucket.offset(), bucket.size());
  }
}

void Worker::handle(Instant now, Input input, Effects& effects) {
  if (state_ == State::finished) return;
  if (std::holds_alternative<Started>(input)) {
    compute_gradient(now, effects);
  } else if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  } else if (auto* done = std::get_if<Computed>(&input)) {
    if (done->job == kEvaluation) {
      return report_evaluation(now, done->result, state_ == State::judging, effects);
    }
    computed(now, *done, effects);
  }
}

void Worker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  clock_.start(now);
  for (std::size_t i = 0; training_->sparse() && i < buckets_.size(); ++i) {
    buckets_[i].values = learner_.view(training_->layout->buckets[i], buckets_[i].values);
  }
  counted_ = false;
  for (Job& job : learner_.gradient_jobs(kGradient, parameters_held())) {
    effects.emplace_back(Compute{std::move(job)});
  }
}

void Worker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto stage = static_cast<std::size_t>(computed.job) - static_cast<std::size_t>(kGradient);
  if (stage == 0) loss_ = computed.result.loss;
  push(learner_.stages()[stage], effects);
  if (stage + 1 < learner_.stages().size()) return;
  clock_.computed(now);
  state_ = State::waiting;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    auto& incoming = buckets_[i].incoming;
    if (incoming) parameters_.put(training_->layout->buckets[i], *incoming);
    incoming.reset();
  }
  if (awaited_ > 0) return;
  if (counted_) clock_.pulled(now, {}, {}, {}, {});
  end_step(now, effects);
}

void Worker::push(const GradientStage& stage, Effects& effects) {
  const auto& layout = *training_->layout;
  for (const std::uint32_t index : stage.buckets) {
    if (buckets_[index].last) continue;  // called over while computing
    buckets_[index].awaited = true;
    ++awaited_;
    Message message{.kind = MessageKind::push, .step = step_, .bucket = index};
    message.version = buckets_[index].version;
    message.payload = learner_.push(layout.buckets[index], is_evaluated(step_.next()));
    effects.emplace_back(Send{training_->server(layout.buckets[index].shard), std::move(message)});
  }
}

void Worker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const auto& layout = *training_->layout;
  const bool counts =
      message.kind == MessageKind::parameters || message.kind == MessageKind::final_parameters;
  const bool answer = counts || message.kind == MessageKind::dropped;
  if ((!answer && message.kind != MessageKind::stop) || message.bucket >= buckets_.size() ||
      training_->server(layout.buckets[message.bucket].shard) != from ||
      !fits(message.payload, layout.buckets[message.bucket]) || buckets_[message.bucket].last ||
      (answer && (message.step != step_ || !buckets_[message.bucket].awaited))) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const Bytes size = wire_size(message);
  const bool last =
      message.kind == MessageKind::final_parameters || message.kind == MessageKind::stop;
  BucketView& bucket = buckets_[message.bucket];
  const bool awaited = bucket.awaited;
  bucket = {{}, message.version, false, last, {}};
  if (training_->sparse()) {
    bucket.values = std::move(message.payload);
  } else if (state_ == State::computing) {
    bucket.incoming = std::move(message.payload);
  } else {
    parameters_.put(layout.buckets[message.bucket], message.payload);
  }
  if (last) ++last_values_;
  if (counts && message.bucket == 0) {
    counted_ = true;
    staleness_ = message.staleness;
  }
  // What comes while a job runs waits for its end.
  if (!awaited || --awaited_ > 0 || state_ != State::waiting) return;
  // The answer that came last is the one that the step waited for.
  clock_.pulled(now, message.wait, message.apply, size, size);
  end_step(now, effects);
}

bool Worker::fits(const Payload& values, const Bucket& bucket) const {
  return values.size() == bucket.size() || values.size() == learner_.answer_size(bucket);
}

bool Worker::is_evaluated(Step step) const {
  const std::int64_t every = training_->evaluate_every;
  return index_of(id_) == 0 && every > 0 && step.value % every == 0;
}

void Worker::end_step(Instant now, Effects& effects) {
  if (!counted_) return go_on(now, effects);
  ++step_;
  if (is_evaluated(step_) && !over()) return evaluate(now, State::evaluating, effects);
  report_step(effects);
  go_on(now, effects);
}

void Worker::report_step(Effects& effects) {
  effects.emplace_back(Report{clock_.report({step_.value - 1}, staleness_, loss_)});
}

void Worker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  judge_.begin(now, kEvaluation, learner_, parameters_held(), effects);
}

void Worker::report_evaluation(Instant now, const JobResult& result, bool final, Effects& effects) {
  const Duration took = judge_.report(now, step_, buckets_.front().version, result, final, effects);
  if (final) {
    state_ = State::finished;
    effects.emplace_back(Finished{.weights = parameters_held()});
    return;
  }
  clock_.evaluated(took);
  report_step(effects);
  go_on(now, effects);
}

void Worker::go_on(Instant now, Effects& effects) {
  if (!over()) return compute_gradient(now, effects);
  if (index_of(id_) == 0) return evaluate(now, State::judging, effects);
  state_ = State::finished;
  effects.emplace_back(Finished{});
}

Payload Worker::parameters_held() const {
  if (!training_->sparse()) return parameters_.all();
  if (buckets_.size() == 1) return buckets_.front().values;
  Bytes size;
  for (const BucketView& bucket : buckets_) size += bucket.values.size();
  if (!training_->numerics) return Payload::sized(size);
  Payload held = Payload::allocate(size);
  auto to = held.writable_floats().begin();
  for (const BucketView& bucket : buckets_) {
    to = std::ranges::copy(bucket.values.floats(), to).out;
  }
  return held;
}

}  // namespace foretrain
