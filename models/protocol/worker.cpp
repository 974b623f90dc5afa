#include "models/protocol/worker.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {
constexpr JobId kGradient{0};
constexpr JobId kEvaluation{1};
}  // namespace

Worker::Worker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)), id_(id), learner_(training_, static_cast<int>(index_of(id))) {
  const Payload start = initial_parameters(*training_);
  for (const Bucket& bucket : training_->layout->buckets) {
    buckets_.push_back({start.slice(bucket.offset(), bucket.size())});
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
  } else if (auto* computed = std::get_if<Computed>(&input)) {
    if (state_ == State::computing) {
      loss_ = computed->result.loss;
      clock_.computed(now);
      push(now, effects);
    } else {
      report_evaluation(now, computed->result, state_ == State::judging, effects);
    }
  }
}

void Worker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  clock_.start(now);
  effects.emplace_back(Compute{learner_.gradient_job(kGradient, all_parameters())});
}

void Worker::push(Instant now, Effects& effects) {
  if (over()) return go_on(now, effects);  // called over while computing
  state_ = State::waiting;
  counted_ = false;
  const auto& layout = *training_->layout;
  for (std::uint32_t index = 0; index < buckets_.size(); ++index) {
    if (buckets_[index].last) continue;
    buckets_[index].awaited = true;
    ++awaited_;
    Message message{.kind = MessageKind::push, .step = step_, .bucket = index};
    message.version = buckets_[index].version;
    message.payload = learner_.gradient(layout.buckets[index]);
    effects.emplace_back(Send{training_->server(layout.buckets[index].shard), std::move(message)});
  }
}

void Worker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const auto& layout = *training_->layout;
  const bool answer =
      message.kind == MessageKind::parameters || message.kind == MessageKind::final_parameters;
  if (message.kind == MessageKind::push || message.bucket >= buckets_.size() ||
      training_->server(layout.buckets[message.bucket].shard) != from ||
      message.payload.size() != buckets_[message.bucket].values.size() ||
      buckets_[message.bucket].last ||
      (answer && (message.step != step_ || !buckets_[message.bucket].awaited))) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const Bytes size = wire_size(message);
  const bool last = message.kind != MessageKind::parameters;
  BucketView& bucket = buckets_[message.bucket];
  const bool awaited = bucket.awaited;
  bucket = {std::move(message.payload), message.version, false, last};
  if (last) ++last_values_;
  if (answer && message.bucket == 0) {
    counted_ = true;
    staleness_ = message.staleness;
  }
  if (!awaited || --awaited_ > 0) return;  // called over while a job runs: the job ends first
  // The answer that came last is the one that the step waited for.
  clock_.pulled(now, message.wait, message.apply, size, size);
  end_step(now, effects);
}

void Worker::end_step(Instant now, Effects& effects) {
  if (!counted_) return go_on(now, effects);
  ++step_;
  const std::int64_t every = training_->evaluate_every;
  const bool due = index_of(id_) == 0 && every > 0 && step_.value % every == 0 && !over();
  if (due) return evaluate(now, State::evaluating, effects);
  report_step(effects);
  go_on(now, effects);
}

void Worker::report_step(Effects& effects) {
  effects.emplace_back(
      Report{StepReport{{step_.value - 1}, clock_.start(), clock_.phases(), staleness_, loss_}});
}

void Worker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  evaluation_start_ = now;
  effects.emplace_back(Compute{learner_.evaluation_job(kEvaluation, all_parameters())});
}

void Worker::report_evaluation(Instant now, const JobResult& result, bool final, Effects& effects) {
  const Duration took = now - evaluation_start_;
  effects.emplace_back(Report{EvalReport{step_, buckets_.front().version, evaluation_start_, took,
                                         result.loss, result.accuracy, final}});
  if (final) {
    state_ = State::finished;
    effects.emplace_back(Finished{.weights = all_parameters()});
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

Payload Worker::all_parameters() const {
  if (buckets_.size() == 1) return buckets_.front().values;
  const Bytes size{training_->layout->parameters * 4};
  if (!training_->numerics) return Payload::sized(size);
  Payload all = Payload::allocate(size);
  const auto values = all.writable_floats();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    std::ranges::copy(buckets_[i].values.floats(),
                      values.begin() + training_->layout->buckets[i].first);
  }
  return all;
}

}  // namespace foretrain
