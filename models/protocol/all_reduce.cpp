#include "models/protocol/all_reduce.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

constexpr std::uint64_t kRingEvaluation = 0;
constexpr std::uint64_t kRingGradient = 1;  // its first stage; then the others

}  // namespace

AllReduceWorker::AllReduceWorker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      worker_compute_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      reduction_(training_, id, training_->steps, parameters_, buffered_, *this),
      owned_(training_->layout->buckets.size()),
      gradient_(worker_compute_, clock_, JobId{kRingGradient}),
      evaluator_(training_->target) {
  for (std::uint32_t bucket = 0; bucket < owned_.size(); ++bucket) {
    if (!reduction_.owns(bucket)) continue;
    const Bucket& part = training_->layout->buckets[bucket];
    owned_[bucket] = std::make_unique<ShardBucket>(training_, bucket, parameters_.part(part),
                                                   parameters_.place(part));
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

void AllReduceWorker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const std::uint32_t bucket = message.bucket;
  bool in_turn = true;
  if (message.kind == MessageKind::enough) {
    in_turn = reduction_.hear_end(from, message.step, step_, effects);
  } else {
    const auto reception = reduction_.receive(now, from, std::move(message), effects);
    if (reception == Reduction::Reception::renewed) return new_values(now, bucket, effects);
    in_turn = reception == Reduction::Reception::taken;
  }
  if (!in_turn) effects.emplace_back(Fault{from, "it sent a message out of turn"});
}

Job AllReduceWorker::finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) {
  return owned_[bucket]->apply_job(id, std::move(addends), training_->workers);
}

// What is sent of them has left before they change again: that takes a gradient of everybody, who
// has got them then.
Payload AllReduceWorker::finished(std::uint32_t bucket) {
  owned_[bucket]->finish_apply();
  return parameters_.part(training_->layout->buckets[bucket]);
}

void AllReduceWorker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  reduction_.begin();
  gradient_.begin(now);
  go_on_computing(now, effects);
}

void AllReduceWorker::go_on_computing(Instant now, Effects& effects) {
  if (beyond_end()) return;
  const auto is_here = [&](std::uint32_t bucket) { return reduction_.rounds_of(bucket) == step_; };
  gradient_.go_on(now, parameters_.all(), is_here, effects);
}

void AllReduceWorker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto id = static_cast<std::uint64_t>(computed.job);
  if (id == kRingEvaluation) return report_evaluation(now, computed.result, effects);
  if (id < Reduction::kFirstJob) return stage_computed(now, computed, effects);
  const auto renewed = reduction_.computed(now, computed.job, effects);
  if (renewed) new_values(now, *renewed, effects);
}

void AllReduceWorker::stage_computed(Instant now, const Computed& computed, Effects& effects) {
  if (beyond_end()) return;
  const GradientStage& stage = gradient_.computed(now, computed);
  if (gradient_.complete()) {
    state_ = State::reducing;
    computed_at_ = now;
  }
  for (const std::uint32_t bucket : stage.buckets) {
    Payload mine = worker_compute_.push(training_->layout->buckets[bucket], false, effects);
    reduction_.add(now, bucket, std::move(mine), effects);
  }
  if (!gradient_.complete()) return go_on_computing(now, effects);
  end_step_if_it_may(now, effects);
}

void AllReduceWorker::new_values(Instant now, std::uint32_t bucket, Effects& effects) {
  last_update_ = now;
  const bool of_this_step = reduction_.rounds_of(bucket) == step_.next();
  if (!of_this_step) return go_on_computing(now, effects);
  ++renewed_;
  end_step_if_it_may(now, effects);
}

bool AllReduceWorker::is_evaluated(Step step) const {
  return rank() == 0 && training_->evaluated_after(step);
}

// The next step needs no more than the values that its first stage reads; what is evaluated has to
// be whole, and so has the end.
void AllReduceWorker::end_step_if_it_may(Instant now, Effects& effects) {
  if (state_ != State::reducing) return;
  const bool last = step_.next().value == reduction_.rounds();
  const bool evaluated = is_evaluated(step_.next()) && !last;
  if (renewed_ < owned_.size() && (last || evaluated || !first_stage_may_begin())) return;
  const Duration wait = reduction_.first_sum().value_or(computed_at_) - computed_at_;
  const Bytes moved = reduction_.moved();
  clock_.pulled(now, wait, reduction_.computing(), moved, moved);
  // From here on sums of the next step may come, while this worker still evaluates.
  ++step_;
  renewed_ = 0;  // a worker that ends a step early still awaits others of its values
  first_renewed_ = 0;
  if (evaluated) return evaluate(now, State::evaluating, effects);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  go_on(now, effects);
}

// Values come one by one, so each is looked at once, not all whenever one has come.
bool AllReduceWorker::first_stage_may_begin() {
  const auto& needs = gradient_.first_needs();
  while (first_renewed_ < needs.size() && reduction_.rounds_of(needs[first_renewed_]) > step_) {
    ++first_renewed_;
  }
  return first_renewed_ == needs.size();
}

void AllReduceWorker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  evaluator_.begin(now, JobId{kRingEvaluation}, worker_compute_, parameters_.all(), effects);
}

void AllReduceWorker::report_evaluation(Instant now, const JobResult& result, Effects& effects) {
  const bool final = state_ == State::final_evaluation;
  const Evaluator::Outcome outcome =
      evaluator_.report(now, step_, {step_.value}, result, final, effects);
  if (final) return finish(effects);
  clock_.evaluated(outcome.took);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  if (outcome.enough) reduction_.end_after(step_, effects);
  go_on(now, effects);
}

void AllReduceWorker::go_on(Instant now, Effects& effects) {
  if (!beyond_end()) return compute_gradient(now, effects);
  if (rank() == 0) return evaluate(now, State::final_evaluation, effects);
  finish(effects);
}

void AllReduceWorker::finish_if_it_may(Effects& effects) {
  if (!beyond_end() || jobs_ > 0 || state_ == State::finished) return;
  if (reduction_.is_cut_short()) finish(effects);
}

void AllReduceWorker::finish(Effects& effects) {
  state_ = State::finished;
  const std::int64_t steps = reduction_.rounds();
  effects.emplace_back(Finished{.updates = steps,
                                .gradients = steps * training_->workers,
                                .last_update = last_update_,
                                .weights = rank() == 0 ? parameters_.all() : Payload{}});
}

Protocol all_reduce_protocol() {
  using enum MessageKind;
  return {
      .name = "all_reduce",
      .doc = "workers add up their gradients among themselves, without servers",
      .dense = true,
      .messages = {partial, parameters, enough},
      .brings_update = {parameters},
      .linked = linked_in_all_reduce,
      .make_node = [](std::shared_ptr<const Training> training, NodeId id) {
        return std::unique_ptr<Node>(std::make_unique<AllReduceWorker>(std::move(training), id));
      }};
}

}  // namespace foretrain
