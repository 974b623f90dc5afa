#include "models/protocol/all_reduce.h"

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

// addends[0] + addends[1] + ..., which may begin with `to` itself.
void add_up(std::span<float> to, const std::vector<std::span<const float>>& addends) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  for (std::size_t first = 0; first < to.size(); first += kBlock) {
    const std::size_t last = std::min(first + kBlock, to.size());
    for (std::size_t k = 1; k < addends.size(); ++k) {
      const auto before = k == 1 ? addends.front() : std::span<const float>(to);
      for (std::size_t i = first; i < last; ++i) to[i] = before[i] + addends[k][i];
    }
  }
}

}  // namespace

AllReduceWorker::AllReduceWorker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      learner_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      hypercube_(over_hypercube(*training_)),
      parts_(training_->layout->buckets.size()),
      last_step_(training_->steps),
      gradient_(learner_, clock_, JobId{kGradient}),
      judge_(training_->target) {
  for (std::uint32_t index = 0; index < parts_.size(); ++index) {
    Part& part = parts_[index];
    const Bucket& bucket = training_->layout->buckets[index];
    part.sums.resize(route_of(index).sources());
    if (bucket.shard != rank()) continue;
    part.own = std::make_unique<ShardBucket>(training_, index, parameters_.part(bucket),
                                             parameters_.place(bucket));
  }
}

void AllReduceWorker::handle(Instant now, Input input, Effects& effects) {
  if (state_ == State::finished) return;
  const std::size_t before = effects.size();
  if (std::holds_alternative<Started>(input)) {
    compute_gradient(now, effects);
  } else if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* done = std::get_if<Computed>(&input)) {
    --jobs_;
    computed(now, *done, effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  }
  const auto is_job = [](const Effect& effect) { return std::holds_alternative<Compute>(effect); };
  const auto asked = std::span(effects).subspan(before);
  jobs_ += static_cast<int>(std::ranges::count_if(asked, is_job));
  finish_if_it_may(effects);
}

bool AllReduceWorker::in_turn(NodeId from, const Message& message, const Route& route) const {
  if (message.payload.size() != training_->layout->buckets[message.bucket].size()) return false;
  const Part& part = parts_[message.bucket];
  const auto sender = static_cast<int>(index_of(from));
  if (message.kind == MessageKind::parameters) {
    return message.step == part.step && part.in_sum && route.values_from() == sender;
  }
  // A source may be a step ahead where this worker's gradient is in the sum already.
  if (message.kind != MessageKind::partial) return false;
  const auto source = route.source_of(sender);
  return source && message.step == (part.in_sum ? part.step.next() : part.step) &&
         (part.here >> *source & 1U) == 0;
}

void AllReduceWorker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  if (message.kind == MessageKind::enough) return hear_enough(from, message.step, effects);
  const std::uint32_t index = message.bucket;
  if (index >= parts_.size() || !in_turn(from, message, route_of(index))) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (message.kind == MessageKind::parameters) {
    parameters_.put(training_->layout->buckets[message.bucket], message.payload);
    return new_values(now, message.bucket, effects);
  }
  Part& part = parts_[message.bucket];
  const std::size_t source = *route_of(message.bucket).source_of(static_cast<int>(index_of(from)));
  held_.take(message.payload.size());
  part.sums[source] = std::move(message.payload);
  part.here |= 1U << source;
  reduce_if_complete(now, message.bucket, effects);
}

// The chief has the values of its last step, so this worker is in that step still, or at its next.
void AllReduceWorker::hear_enough(NodeId from, Step step, Effects& effects) {
  const bool known = enough_ && step.value == last_step_;
  const bool possible = !enough_ && rank() != 0 && (step == step_ || step == step_.next()) &&
                        step.value > 0 && step.value < last_step_;
  if (!linked_in_all_reduce(*training_, id_, from) || !(known || possible)) {
    effects.emplace_back(Fault{from, "it sent a message out of turn"});
    return;
  }
  if (!known) end_after(step, from, effects);
}

void AllReduceWorker::end_after(Step step, NodeId heard_from, Effects& effects) {
  enough_ = true;
  last_step_ = step.value;
  for (int worker = 0; worker < training_->workers; ++worker) {
    const NodeId peer = training_->worker(worker);
    if (peer == heard_from || !linked_in_all_reduce(*training_, id_, peer)) continue;
    effects.emplace_back(Send{peer, {.kind = MessageKind::enough, .step = step}});
  }
}

void AllReduceWorker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  first_sum_.reset();
  applying_ = {};
  moved_ = {};
  gradient_.begin(now);
  go_on_computing(now, effects);
}

void AllReduceWorker::go_on_computing(Instant now, Effects& effects) {
  if (beyond_end()) return;
  const auto is_here = [&](std::uint32_t index) { return parts_[index].step == step_; };
  gradient_.go_on(now, parameters_.all(), is_here, effects);
}

void AllReduceWorker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto id = static_cast<std::uint64_t>(computed.job);
  if (id == kEvaluation) return report_evaluation(now, computed.result, effects);
  if (id < kBuckets) return stage_computed(now, computed, effects);
  const auto index = static_cast<std::uint32_t>((id - kBuckets) / 2);
  Part& part = parts_[index];
  applying_ += now - part.job_start;
  held_.let_go(training_->layout->buckets[index].size() * std::ssize(part.sums));
  if (computed.job == reduce_id(index)) {
    return send(MessageKind::partial, index, *route_of(index).sum_to(),
                std::exchange(part.mine, {}), effects);
  }
  part.own->finish_apply();
  new_values(now, index, effects);
}

void AllReduceWorker::stage_computed(Instant now, const Computed& computed, Effects& effects) {
  if (beyond_end()) return;
  const GradientStage& stage = gradient_.computed(now, computed);
  if (gradient_.complete()) {
    state_ = State::reducing;
    computed_at_ = now;
  }
  for (const std::uint32_t index : stage.buckets) {
    parts_[index].mine = learner_.push(training_->layout->buckets[index]);
    parts_[index].has_mine = true;
    reduce_if_complete(now, index, effects);
  }
  if (!gradient_.complete()) return go_on_computing(now, effects);
  end_step_if_it_may(now, effects);
}

void AllReduceWorker::reduce_if_complete(Instant now, std::uint32_t index, Effects& effects) {
  Part& part = parts_[index];
  if (!part.has_mine || !all_here(part) || beyond_end()) return;
  part.in_sum = true;
  std::vector<Payload> addends;
  addends.reserve(part.sums.size() + 1);
  for (Payload& sum : part.sums) addends.push_back(std::exchange(sum, {}));
  part.here = 0;
  if (!addends.empty() && !first_sum_) first_sum_ = now;
  addends.insert(addends.begin() + (addends.empty() ? 0 : 1), std::exchange(part.mine, {}));
  part.has_mine = false;
  if (part.own) {
    part.job_start = now;
    effects.emplace_back(
        Compute{part.own->apply_job(apply_id(index), std::move(addends), training_->workers)});
  } else if (addends.size() == 1) {
    send(MessageKind::partial, index, *route_of(index).sum_to(), std::move(addends.front()),
         effects);
  } else {
    reduce(now, index, std::move(addends), effects);
  }
}

void AllReduceWorker::reduce(Instant now, std::uint32_t index, std::vector<Payload> addends,
                             Effects& effects) {
  Part& part = parts_[index];
  part.job_start = now;
  const std::int64_t count = training_->layout->buckets[index].count;
  const auto additions = std::ssize(addends) - 1;
  const Cost cost{Flops{static_cast<double>(count * additions)}, Bytes{12 * count * additions}};
  Job job{reduce_id(index), JobKind::reduce, 0, cost, {}, {}};
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

// They were written in place: whatever job runs, it does not read this bucket, whose gradient has
// been computed; the next one waits for these values. And what is sent of them has left before they
// change again: that takes a gradient of everybody, who has got them then.
void AllReduceWorker::new_values(Instant now, std::uint32_t index, Effects& effects) {
  Part& part = parts_[index];
  const bool of_this_step = part.step == step_;
  const Route route = route_of(index);
  for (std::size_t i = 0; i < route.targets(); ++i) {
    send(MessageKind::parameters, index, route.target(i),
         parameters_.part(training_->layout->buckets[index]), effects);
  }
  part.in_sum = false;
  ++part.step;
  last_update_ = now;
  if (!of_this_step) return go_on_computing(now, effects);
  ++renewed_;
  end_step_if_it_may(now, effects);
}

void AllReduceWorker::send(MessageKind kind, std::uint32_t index, int to, Payload payload,
                           Effects& effects) {
  const Step step = parts_[index].step;
  Message message{.kind = kind, .step = step, .bucket = index, .version = {step.value}};
  message.payload = std::move(payload);
  moved_ += wire_size(message);
  effects.emplace_back(Send{training_->worker(to), std::move(message)});
}

bool AllReduceWorker::is_evaluated(Step step) const {
  return rank() == 0 && training_->evaluated_after(step);
}

// The next step needs no more than the values that its first stage reads; what is judged has to be
// whole, and so has the end.
void AllReduceWorker::end_step_if_it_may(Instant now, Effects& effects) {
  if (state_ != State::reducing) return;
  const bool last = step_.next().value == last_step_;
  const bool judged = is_evaluated(step_.next()) && !last;
  if (renewed_ < parts_.size() && (last || judged || !first_stage_may_begin())) return;
  const Duration wait = first_sum_.value_or(computed_at_) - computed_at_;
  clock_.pulled(now, wait, applying_, moved_, moved_);
  // From here on sums of the next step may come, while this worker still evaluates.
  ++step_;
  renewed_ = 0;  // a worker that ends a step early still awaits others of its values
  first_renewed_ = 0;
  if (judged) return evaluate(now, State::evaluating, effects);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  go_on(now, effects);
}

// Values come one by one, so each is looked at once, not all whenever one has come.
bool AllReduceWorker::first_stage_may_begin() {
  const auto& needs = gradient_.first_needs();
  while (first_renewed_ < needs.size() && parts_[needs[first_renewed_]].step > step_) {
    ++first_renewed_;
  }
  return first_renewed_ == needs.size();
}

void AllReduceWorker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  judge_.begin(now, JobId{kEvaluation}, learner_, parameters_.all(), effects);
}

void AllReduceWorker::report_evaluation(Instant now, const JobResult& result, Effects& effects) {
  const bool final = state_ == State::judging;
  const Judge::Verdict verdict = judge_.report(now, step_, {step_.value}, result, final, effects);
  if (final) return finish(effects);
  clock_.evaluated(verdict.took);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  if (verdict.enough) end_after(step_, id_, effects);
  go_on(now, effects);
}

void AllReduceWorker::go_on(Instant now, Effects& effects) {
  if (!beyond_end()) return compute_gradient(now, effects);
  if (rank() == 0) return evaluate(now, State::judging, effects);
  finish(effects);
}

void AllReduceWorker::finish_if_it_may(Effects& effects) {
  if (!enough_ || !beyond_end() || jobs_ > 0 || state_ == State::finished) return;
  const auto is_judged = [&](const Part& part) { return part.step.value == last_step_; };
  if (std::ranges::all_of(parts_, is_judged)) finish(effects);
}

void AllReduceWorker::finish(Effects& effects) {
  state_ = State::finished;
  effects.emplace_back(Finished{.updates = last_step_,
                                .gradients = last_step_ * training_->workers,
                                .last_update = last_update_,
                                .weights = rank() == 0 ? parameters_.all() : Payload{}});
}

std::unique_ptr<Node> make_all_reduce_node(std::shared_ptr<const Training> training, NodeId id) {
  return std::make_unique<AllReduceWorker>(std::move(training), id);
}

}  // namespace foretrain
