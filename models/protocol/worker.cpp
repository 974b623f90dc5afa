#include "models/protocol/worker.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/protocol/protocol.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain {
namespace {
constexpr JobId kEvaluation{0};
constexpr JobId kGradient{1};  // the first stage; the others follow
constexpr JobId kKeep{std::uint64_t{1} << 32};

// The size of the push that `answer` answers. A sparse push differs by its indices: close enough.
Bytes size_of_push(const Training& training, const Message& answer) {
  if (!training.compression.wanted()) return wire_size(answer);
  const std::int64_t count = training.layout->buckets[answer.bucket].count;
  return kHeaderSize + compressed_size(training.compression, count);
}
}  // namespace

Worker::Worker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      worker_compute_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      buckets_(training_->layout->buckets.size()),
      gradient_(worker_compute_, clock_, kGradient),
      evaluator_(training_->target) {
  if (!training_->sparse()) return;
  for (const Bucket& bucket : training_->layout->buckets) {
    sparse_.push_back({parameters_.all().slice(bucket.offset(), bucket.size()), {}});
  }
}

void Worker::handle(Instant now, Input input, Effects& effects) {
  if (state_ == State::finished) return;
  if (std::holds_alternative<Started>(input)) {
    if (state_ == State::joining) return pull(0, effects);
    if (!std::exchange(restored_, false)) compute_gradient(now, effects);
  } else if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  } else if (auto* done = std::get_if<Computed>(&input)) {
    if (done->job == kEvaluation) {
      return report_evaluation(now, done->result, state_ == State::final_evaluation, effects);
    }
    if (done->job != kKeep) computed(now, *done, effects);
  }
}

void Worker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  for (std::size_t i = 0; i < sparse_.size(); ++i) {
    auto& [values, view] = sparse_[i];
    view = worker_compute_.view(training_->layout->buckets[i], values, effects);
    if (!buckets_[i].last) values = view;  // values that are not read again are released
  }
  counted_ = false;
  dropped_ = false;
  evaluates_ = begins_evaluated_step();
  gradient_.begin(now);
  go_on_computing(now, effects);
}

void Worker::go_on_computing(Instant now, Effects& effects) {
  const auto is_here = [&](std::uint32_t index) { return !buckets_[index].awaited; };
  const Payload parameters = parameters_held(&SparseView::view, effects);
  gradient_.go_on(now, parameters, is_here, effects);
}

void Worker::computed(Instant now, const Computed& computed, Effects& effects) {
  push(gradient_.computed(now, computed), effects);
  if (!gradient_.complete()) return go_on_computing(now, effects);
  state_ = State::waiting;
  put_deferred(effects);
  if (!may_end_step()) return;
  if (counted_) clock_.pulled(now, {}, {}, {}, {});
  end_step(now, effects);
}

void Worker::push(const GradientStage& stage, Effects& effects) {
  const auto& layout = *training_->layout;
  for (const std::uint32_t index : stage.buckets) {
    if (buckets_[index].last) continue;  // its bucket ended while computing
    buckets_[index].awaited = true;
    buckets_[index].pushed = number_;
    ++awaited_;
    Message message{.kind = MessageKind::push, .step = number_, .bucket = index};
    message.version = buckets_[index].version;
    message.payload = worker_compute_.push(layout.buckets[index], evaluates_, effects);
    effects.emplace_back(Send{training_->server(layout.buckets[index].shard), std::move(message)});
  }
}

bool Worker::in_turn(NodeId from, const Message& message) const {
  const auto& layout = *training_->layout;
  if (message.bucket >= buckets_.size()) return false;
  const BucketView& bucket = buckets_[message.bucket];
  if (training_->server(layout.buckets[message.bucket].shard) != from || bucket.last ||
      !fits(message.payload, layout.buckets[message.bucket])) {
    return false;
  }
  switch (message.kind) {
    case MessageKind::stop:
      return true;
    case MessageKind::parameters:
    case MessageKind::final_parameters:
    case MessageKind::dropped:
      return bucket.awaited && message.step == bucket.pushed;
    default:
      return false;
  }
}

void Worker::keep(NodeId from, const Message& cut, Effects& effects) {
  if (from != training_->server(0) || state_ != State::waiting || !buckets_.front().awaited) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  StateWriter state;
  state.integer(step_.value);
  state.integer(number_.value);
  state.integer(worker_compute_.gradients());
  state.integer(evaluated_);
  state.integer(evaluation_due_.value);
  state.integer(evaluates_ ? 1 : 0);
  state.number(gradient_.loss());
  clock_.write(state);
  worker_compute_.write(state);
  SaveState keep{kKeep, cut.version.value, step_, evaluated_, {}, {}};
  keep.size = state_size(7 + StepClock::kStateIntegers, 0, 0) + worker_compute_.kept_size();
  keep.gradients = worker_compute_.batches();
  keep.state = [kept = state.take()] { return kept; };
  effects.emplace_back(std::move(keep));
}

void Worker::restore(StateReader& state) {
  // Each other worker may have had one gradient of a step dropped; skipped numbers of a worker that
  // came back are fewer than the steps.
  const std::int64_t most = saturated::product(2 * training_->steps, training_->workers);
  step_ = {state.integer(0, most)};
  number_ = {state.integer(0, most)};
  worker_compute_.restore(state.integer(1, most));
  evaluated_ = state.integer(0, most);
  evaluation_due_ = {state.integer(0, std::numeric_limits<std::int64_t>::max())};
  evaluates_ = state.integer(0, 1) == 1;
  gradient_.restore(state.number());
  clock_.read(state);
  worker_compute_.read(state);
  state.end();
  restored_ = true;
  state_ = State::waiting;
  for (BucketView& bucket : buckets_) {
    bucket.awaited = true;
    bucket.pushed = number_;
  }
  awaited_ = buckets_.size();
}

void Worker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::cut) return keep(from, message, effects);
  // The answer has the number of its first step.
  const bool numbers = state_ == State::joining && message.bucket == 0;
  if (numbers) buckets_.front().pushed = message.step;
  if (!in_turn(from, message)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  const Bytes size = wire_size(message);
  const Bytes pushed = size_of_push(*training_, message);
  const bool last =
      message.kind == MessageKind::final_parameters || message.kind == MessageKind::stop;
  put(message.bucket, std::move(message.payload), effects);
  BucketView& bucket = buckets_[message.bucket];
  const bool awaited = std::exchange(bucket.awaited, false);
  bucket.version = message.version;
  bucket.last = last;
  if (last) ++last_values_;
  if (message.bucket == 0 &&
      (message.kind == MessageKind::parameters || message.kind == MessageKind::final_parameters)) {
    counted_ = true;
    staleness_ = message.staleness;
  }
  if (message.bucket == 0 && message.kind == MessageKind::dropped) dropped_ = true;
  if (state_ == State::stopping && over()) return go_on(now, effects);
  if (!awaited) return;
  --awaited_;
  if (state_ == State::joining) return pulled(now, message, effects);
  if (state_ == State::computing) return go_on_computing(now, effects);
  if (state_ != State::waiting || !may_end_step()) return;
  // The last answer is the one that the step waited for.
  clock_.pulled(now, message.wait, message.apply, pushed, size);
  end_step(now, effects);
}

void Worker::rejoin(std::int64_t incarnation) {
  incarnation_ = incarnation;
  state_ = State::joining;
}

void Worker::pull(std::uint32_t index, Effects& effects) {
  BucketView& bucket = buckets_[index];
  bucket.awaited = true;
  bucket.pushed = number_;
  ++awaited_;
  Message message{.kind = MessageKind::pull, .step = number_, .bucket = index};
  message.version = {incarnation_};
  const int shard = training_->layout->buckets[index].shard;
  effects.emplace_back(Send{training_->server(shard), std::move(message)});
}

// If the first bucket is over, no server has counted on this worker: the others end without it.
void Worker::pulled(Instant now, const Message& message, Effects& effects) {
  if (message.bucket == 0 && buckets_.front().last) {
    state_ = State::finished;
    effects.emplace_back(Finished{});
    return;
  }
  if (message.bucket == 0) {
    step_ = number_ = message.step;
    if (number_.value > 0) worker_compute_.restore(number_.value);
    for (std::uint32_t index = 1; index < buckets_.size(); ++index) pull(index, effects);
  }
  if (may_end_step()) go_on(now, effects);
}

// A running job reads no bucket whose push is out. Other buckets are renewed when it is over.
void Worker::put(std::uint32_t index, Payload values, Effects& effects) {
  const bool busy = state_ == State::computing || state_ == State::evaluating ||
                    state_ == State::final_evaluation;
  if (busy && !buckets_[index].awaited) {
    deferred_.push_back({index, std::move(values)});
  } else if (training_->sparse()) {
    sparse_[index].values = std::move(values);
  } else {
    parameters_.put(training_->layout->buckets[index], values, effects);
  }
}

void Worker::put_deferred(Effects& effects) {
  std::vector<Deferred> deferred = std::exchange(deferred_, {});
  std::ranges::sort(deferred, {}, &Deferred::bucket);
  for (Deferred& each : deferred) put(each.bucket, std::move(each.values), effects);
}

bool Worker::fits(const Payload& values, const Bucket& bucket) const {
  return values.size() == bucket.size() || values.size() == worker_compute_.answer_size(bucket);
}

bool Worker::begins_evaluated_step() {
  const std::int64_t every = training_->evaluate_every * training_->updates_a_step;
  if (index_of(id_) != 0 || every == 0 || buckets_.front().last) return false;
  const std::int64_t coming = buckets_.front().version.value + training_->updates_a_step;
  if (coming < std::max(evaluation_due_.value, every)) return false;
  evaluation_due_ = {(coming / every + 1) * every};
  return true;
}

// The next step needs only the values that its first stage reads; an evaluation and the end need
// all values.
bool Worker::may_end_step() const {
  if (awaited_ == 0) return true;
  if (buckets_.front().awaited || buckets_.front().last) return false;
  if (evaluates_) return false;
  return std::ranges::none_of(gradient_.first_needs(),
                              [&](std::uint32_t index) { return buckets_[index].awaited; });
}

void Worker::end_step(Instant now, Effects& effects) {
  if (!dropped_) ++number_;
  if (counted_) ++step_;
  if (evaluates_ && !over()) return evaluate(now, State::evaluating, effects);
  if (counted_) report_step(effects);
  go_on(now, effects);
}

void Worker::report_step(Effects& effects) {
  effects.emplace_back(Report{clock_.report({step_.value - 1}, staleness_, gradient_.loss())});
}

void Worker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  const Payload parameters = parameters_held(&SparseView::values, effects);
  evaluator_.begin(now, kEvaluation, worker_compute_, parameters, effects);
}

void Worker::report_evaluation(Instant now, const JobResult& result, bool final, Effects& effects) {
  const Evaluator::Outcome outcome =
      evaluator_.report(now, step_, buckets_.front().version, result, final, effects);
  ++evaluated_;
  state_ = State::waiting;
  put_deferred(effects);
  if (final) {
    state_ = State::finished;
    const Payload weights = parameters_held(&SparseView::values, effects);
    effects.emplace_back(Finished{.weights = weights, .statistics = worker_compute_.statistics()});
    return;
  }
  clock_.evaluated(outcome.took);
  if (counted_) report_step(effects);
  if (outcome.enough && !over()) return stop(effects);
  go_on(now, effects);
}

// Nothing of the chief is under way. If gradients are dropped, shard 0 decides for all shards.
void Worker::stop(Effects& effects) {
  state_ = State::stopping;
  const bool first_decides = training_->protocol->drops(training_->options, training_->workers);
  const int told = first_decides ? 1 : training_->servers;
  for (int shard = 0; shard < told; ++shard) {
    Message message{.kind = MessageKind::enough, .step = step_};
    effects.emplace_back(Send{training_->server(shard), std::move(message)});
  }
}

void Worker::go_on(Instant now, Effects& effects) {
  if (!over()) return compute_gradient(now, effects);
  if (index_of(id_) == 0) return evaluate(now, State::final_evaluation, effects);
  state_ = State::finished;
  effects.emplace_back(Finished{});
}

Payload Worker::parameters_held(Payload SparseView::*part, Effects& effects) const {
  if (!training_->sparse()) return parameters_.all();
  if (sparse_.size() == 1) return sparse_.front().*part;
  Bytes size;
  for (const SparseView& bucket : sparse_) size += (bucket.*part).size();
  effects.emplace_back(SpentCost{copy_cost(size.value / 4)});
  if (!training_->numerics) return Payload::sized(size);
  Payload held = Payload::allocate(size);
  auto to = held.writable_floats().begin();
  for (const SparseView& bucket : sparse_) {
    to = std::ranges::copy((bucket.*part).floats(), to).out;
  }
  return held;
}

}  // namespace foretrain
