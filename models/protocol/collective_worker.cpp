#include "models/protocol/collective_worker.h"

#include "models/protocol/route.h"

#include <algorithm>
#include <span>
#include <utility>

namespace foretrain {
namespace {

// A worker that gathers holds new values only of the buckets whose part it keeps.
std::size_t renewed_in_place(const Training& training, NodeId id) {
  const auto& buckets = training.layout->buckets;
  if (!training.gathers()) return buckets.size();
  const auto keeps = [&](const Bucket& bucket) {
    return training.keeps_part(static_cast<int>(index_of(id)), bucket.shard);
  };
  return static_cast<std::size_t>(std::ranges::count_if(buckets, keeps));
}

}  // namespace

CollectiveWorker::CollectiveWorker(std::shared_ptr<const Training> training, NodeId id,
                                   std::int64_t steps_a_round)
    : training_(std::move(training)),
      id_(id),
      steps_a_round_(steps_a_round),
      worker_compute_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      reduction_(
          make_reduction({training_, id, (training_->steps + steps_a_round - 1) / steps_a_round,
                          parameters_, buffered_, *this},
                         worker_compute_.stages())),
      launch_queue_(training_, kLaunch),
      turns_(messages_take_turns(*training_)),
      gathers_(training_, id, worker_compute_.stages(), parameters_, buffered_, turns_, kGather),
      to_renew_(renewed_in_place(*training_, id)),
      gradient_(worker_compute_, clock_, JobId{kGradient}),
      evaluator_(training_->target),
      cuts_(training_->checkpoint) {}

void CollectiveWorker::handle(Instant now, Input input, Effects& effects) {
  if (state_ == State::finished) return;
  const std::size_t before = effects.size();
  if (std::holds_alternative<Started>(input)) {
    wait_for_cut(effects);
    compute_gradient(now, effects);
  } else if (const auto* fired = std::get_if<TimerFired>(&input)) {
    rang(now, fired->timer, effects);
  } else if (auto* received = std::get_if<Received>(&input)) {
    receive(now, received->from, std::move(received->message), effects);
  } else if (auto* done = std::get_if<Computed>(&input)) {
    --jobs_;
    computed(now, *done, effects);
  } else if (auto* lost = std::get_if<PeerLost>(&input)) {
    effects.emplace_back(Fault{lost->peer, "the connection to it was lost"});
  }
  const auto is_job = [](const Effect& effect) {
    return std::holds_alternative<Compute>(effect) || std::holds_alternative<SaveState>(effect);
  };
  const auto asked = std::span(effects).subspan(before);
  jobs_ += static_cast<int>(std::ranges::count_if(asked, is_job));
  finish_if_it_may(effects);
  turns_.pass(effects);
}

void CollectiveWorker::rang(Instant now, TimerId timer, Effects& effects) {
  if (timer == kLaunch) return add(now, launch_queue_.started(effects), effects);
  if (timer == kGather) {
    gathers_.started(effects);
    return gathered(now, effects);
  }
  // A part of the chief's for the round under way may have been sent already.
  const Step round{round_.value + 2};
  if (!over() && round.value < reduction_->rounds()) cut_after(round, id_, effects);
}

void CollectiveWorker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  bool in_turn = true;
  if (message.kind == MessageKind::enough) {
    in_turn = reduction_->hear_end(from, message.step, round_, effects);
  } else if (message.kind == MessageKind::cut) {
    in_turn = hear_cut(from, message.step, effects);
  } else if (gathers_.wanted() && message.kind == MessageKind::parameters &&
             training_->same_group(static_cast<int>(index_of(id_)),
                                   static_cast<int>(index_of(from)))) {
    in_turn = gathers_.receive(from, std::move(message), effects);
    // Before the gather is complete no stage may begin.
    if (in_turn && gathers_.is_complete()) gathered(now, effects);
  } else {
    const auto renewed = reduction_->receive(now, from, std::move(message), effects);
    if (renewed) return new_values(now, *renewed, effects);
    in_turn = false;
  }
  if (!in_turn) effects.emplace_back(Fault{from, "it sent a message out of turn"});
}

void CollectiveWorker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto id = static_cast<std::uint64_t>(computed.job);
  if (id == kEvaluation) return report_evaluation(now, computed.result, effects);
  if (id == kKeep) {
    wait_for_cut(effects);
    return go_on(now, effects);
  }
  if (id < kFirstOwn) return stage_computed(now, computed, effects);
  if (id < Reduction::kFirstJob) {
    own_computed(now, static_cast<std::uint32_t>(id - kFirstOwn), effects);
    return end_step_if_it_may(now, effects);
  }
  new_values(now, reduction_->computed(now, computed.job, effects), effects);
}

// A step ---------------------------------------------------------------------------------------

void CollectiveWorker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::computing;
  contributed_ = 0;
  reduction_->begin();
  gathers_.begin_step();
  gradient_.begin(now, gathers_.wanted());
  go_on_computing(now, effects);
}

void CollectiveWorker::go_on_computing(Instant now, Effects& effects) {
  if (over() || state_ != State::computing) return;
  if (gathers_.wanted()) gathers_.go_on(gradient_.stages_computed(), effects);
  const auto is_here = [&](std::uint32_t bucket) {
    if (gathers_.wanted()) return gradient_.stages_asked() < gathers_.stages_here();
    return reduction_->rounds_of(bucket) == round_;
  };
  gradient_.go_on(now, parameters_.all(), is_here, effects);
}

// No later stage of this gradient reads what a stage has read: the strategy may change it.
void CollectiveWorker::stage_computed(Instant now, const Computed& computed, Effects& effects) {
  if (over()) return;
  const GradientStage& stage = gradient_.computed(now, computed);
  if (gradient_.complete()) computed_at_ = now;
  // Each of DDP's buckets is a collective, whose pieces are sorted; otherwise the stage is one.
  for (auto first = stage.buckets.begin(); first != stage.buckets.end();) {
    const auto last = std::find_if(first, stage.buckets.end(), [&](std::uint32_t bucket) {
      return bucket_at(bucket).with != bucket_at(*first).with;
    });
    for (const std::uint32_t bucket : in_turn({first, last})) {
      use_gradient(now, bucket, worker_compute_.push(bucket_at(bucket), false, effects), effects);
    }
    first = last;
  }
  if (!gradient_.complete()) return go_on_computing(now, effects);
  end_step_if_it_may(now, effects);
}

// Sums with the longest way round the ring go first, in the order in which others' sums arrive.
std::vector<std::uint32_t> CollectiveWorker::in_turn(const std::vector<std::uint32_t>& buckets) {
  if (!turns_.wanted() || buckets.empty() || !ends_round()) return buckets;
  const int rank = static_cast<int>(index_of(id_));
  const int ring = training_->has_replicas() ? training_->parts : training_->workers;
  const auto way = [&](std::uint32_t bucket) {
    const int ahead = (bucket_at(bucket).shard - rank + training_->workers) % training_->workers;
    return std::pair(ahead % ring, ahead);
  };
  std::vector<std::uint32_t> sorted = buckets;
  std::ranges::stable_sort(sorted, std::ranges::greater(), way);
  // Sums that leave a group of replicas have separate connections.
  const auto kept = std::ranges::count_if(buckets, [&](std::uint32_t bucket) {
    return training_->keeps_part(rank, bucket_at(bucket).shard);
  });
  const Step sum = sum_under_way();
  const BucketRun run{buckets.front(), buckets.back() + 1 - buckets.front()};
  turns_.begin(MessageKind::partial, sum, run, buckets.size() - static_cast<std::size_t>(kept));
  if (gathers_.wanted() || (sum.value + 1) % training_->sums_a_round() != 0) return sorted;
  std::size_t sends = 0;
  for (const std::uint32_t bucket : buckets) {
    sends += Route(*training_, bucket_at(bucket), rank).targets();
  }
  turns_.begin(MessageKind::parameters, sum, run, sends);
  return sorted;
}

void CollectiveWorker::contribute(Instant now, std::uint32_t bucket, Payload part,
                                  Effects& effects) {
  if (over()) return;
  const Step sum = sum_under_way();
  ++contributed_;
  if (!ends_round()) return;
  auto ready = launch_queue_.wait(sum, bucket, std::move(part), effects);
  if (ready) reduction_->add(now, bucket, std::move(*ready), effects);
}

void CollectiveWorker::add(Instant now, std::vector<LaunchQueue::Part> parts, Effects& effects) {
  for (auto& [bucket, part] : parts) reduction_->add(now, bucket, std::move(part), effects);
}

Step CollectiveWorker::sum_under_way() const {
  const std::size_t batch = contributed_ / training_->layout->buckets.size();
  return {round_.value * training_->sums_a_round() + static_cast<std::int64_t>(batch)};
}

bool CollectiveWorker::ends_round() const {
  const std::int64_t steps = step_.next().value;
  return steps == training_->steps || steps % steps_a_round_ == 0;
}

void CollectiveWorker::new_values(Instant now, BucketRun run, Effects& effects) {
  if (run.empty()) return;
  last_update_ = now;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    renewed(run.first + i, effects);
    add(now, launch_queue_.ended(effects), effects);
  }
  const bool of_this_round = reduction_->rounds_of(run.first) == round_.next();
  if (!of_this_round) return go_on_computing(now, effects);
  renewed_ += run.count;
  end_step_if_it_may(now, effects);
}

// The next stage may have its values now, and the step the values that it needs to end.
void CollectiveWorker::gathered(Instant now, Effects& effects) {
  go_on_computing(now, effects);
  end_step_if_it_may(now, effects);
}

void CollectiveWorker::end_step_if_it_may(Instant now, Effects& effects) {
  const std::size_t buckets = training_->layout->buckets.size();
  const bool through =
      contributed_ == buckets * static_cast<std::size_t>(training_->sums_a_round());
  if (state_ == State::computing && gradient_.complete() && through) {
    state_ = State::reducing;
    through_at_ = now;
  }
  if (state_ != State::reducing) return;
  const bool ends = ends_round();
  const bool last = ends && round_.next().value == reduction_->rounds();
  const bool evaluated = is_evaluated(step_.next()) && !last;
  const bool cut = ends && !last && ends_with_cut();
  if (ends && !values_are_here(last || evaluated || cut, effects)) return;
  cut_due_ = cut;
  if (ends) {
    end_round(now);
  } else {
    clock_.applied(now);
  }
  ++step_;
  if (evaluated) return evaluate(now, State::evaluating, effects);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  go_on(now, effects);
}

// From here on sums of the next round may arrive while this worker still evaluates.
void CollectiveWorker::end_round(Instant now) {
  const Duration wait = reduction_->first_sum().value_or(through_at_) - through_at_;
  const Duration apply = through_at_ - computed_at_ + reduction_->computing();
  const Bytes received = gathers_.wanted() ? Bytes{} : reduction_->moved();
  clock_.pulled(now, wait, apply, reduction_->moved(), received);
  ++round_;
  renewed_ = 0;  // a worker that ends a round early still waits for other values of it
  first_renewed_ = 0;
}

// After a round the next step needs only the values that its first stage reads; an evaluation and
// the end need all values. Gathering everything takes all workers.
bool CollectiveWorker::values_are_here(bool all, Effects& effects) {
  if (!gathers_.wanted()) return renewed_ == to_renew_ || (!all && next_step_may_begin());
  if (renewed_ < to_renew_) return false;
  return !(all || training_->evaluated_after(step_.next())) || gathers_.all_here(effects);
}

// Values arrive one by one, so each is checked once, not all at each arrival.
bool CollectiveWorker::next_step_may_begin() {
  const auto& needs = gradient_.first_needs();
  while (first_renewed_ < needs.size() && reduction_->rounds_of(needs[first_renewed_]) > round_) {
    ++first_renewed_;
  }
  return first_renewed_ == needs.size();
}

// Evaluation, the end --------------------------------------------------------------------------

void CollectiveWorker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  evaluator_.begin(now, JobId{kEvaluation}, worker_compute_, learned(), effects);
}

void CollectiveWorker::report_evaluation(Instant now, const JobResult& result, Effects& effects) {
  const bool final = state_ == State::final_evaluation;
  const Evaluator::Outcome outcome =
      evaluator_.report(now, step_, {round_.value}, result, final, effects);
  ++evaluated_;
  if (final) return finish(effects);
  clock_.evaluated(outcome.took);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  if (outcome.enough && round_.value > 0) reduction_->end_after(round_, effects);
  go_on(now, effects);
}

void CollectiveWorker::go_on(Instant now, Effects& effects) {
  if (!over() && std::exchange(cut_due_, false)) return keep(effects);
  if (!over()) return compute_gradient(now, effects);
  if (is_chief()) return evaluate(now, State::final_evaluation, effects);
  finish(effects);
}

void CollectiveWorker::finish_if_it_may(Effects& effects) {
  if (!over() || jobs_ > 0 || state_ == State::finished) return;
  if (reduction_->is_cut_short()) finish(effects);
}

void CollectiveWorker::finish(Effects& effects) {
  state_ = State::finished;
  const std::int64_t steps = std::min(reduction_->rounds() * steps_a_round_, training_->steps);
  effects.emplace_back(
      Finished{.updates = reduction_->rounds(),
               .gradients = steps * training_->workers,
               .last_update = last_update_,
               .weights = is_chief() ? learned() : Payload{},
               .statistics = is_chief() ? worker_compute_.statistics() : std::vector<float>{}});
}

// Checkpoints ----------------------------------------------------------------------------------

void CollectiveWorker::wait_for_cut(Effects& effects) const {
  if (is_chief() && cuts_.wants_timer()) effects.emplace_back(ArmTimer{kTimer, cuts_.time()});
}

void CollectiveWorker::cut_after(Step round, NodeId heard_from, Effects& effects) {
  cut_rounds_.push_back(round);
  heard_cut_ = round;
  flood({.kind = MessageKind::cut, .step = round}, *training_, id_, heard_from, effects);
}

bool CollectiveWorker::hear_cut(NodeId from, Step round, Effects& effects) {
  if (!linked_in_all_reduce(*training_, id_, from)) return false;
  if (round <= heard_cut_) return true;  // received by another route
  if (is_chief() || round <= round_) return over();
  cut_after(round, from, effects);
  return true;
}

bool CollectiveWorker::ends_with_cut() const {
  if (training_->checkpoint.steps > 0) return cuts_.is_due(step_.next().value);
  return !cut_rounds_.empty() && cut_rounds_.front() == round_.next();
}

// Between two steps all values are in place. Sums of others may come, and wait for this part.
void CollectiveWorker::keep(Effects& effects) {
  state_ = State::keeping;
  cuts_.take(step_.value);
  if (!cut_rounds_.empty()) cut_rounds_.pop_front();
  const std::int64_t parameters = training_->layout->parameters;
  SaveState keep{JobId{kKeep}, step_.value, step_, evaluated_, {}, {}};
  keep.size = state_size(4, parameters, 1) + worker_compute_.kept_size() + own_size();
  keep.gradients = worker_compute_.batches();
  keep.state = [this] { return state(); };
  effects.emplace_back(std::move(keep));
}

std::string CollectiveWorker::state() const {
  StateWriter state;
  state.integer(step_.value);
  state.integer(round_.value);
  state.integer(evaluated_);
  state.time(last_update_);
  if (training_->numerics) state.floats(parameters_.all().floats());
  worker_compute_.write(state);
  write_own(state);
  return state.take();
}

void CollectiveWorker::restore(StateReader& state) {
  step_ = {state.integer(1, training_->steps)};
  round_ = {state.integer(1, reduction_->rounds())};
  evaluated_ = state.integer(0, training_->steps);
  last_update_ = state.instant();
  if (training_->numerics) state.floats(parameters_.places());
  worker_compute_.read(state);
  read_own(state);
  state.end();
  const bool ends_round = step_.value == saturated::product(round_.value, steps_a_round_);
  if (!ends_round || step_.value >= training_->steps) throw StateError(kNoCut);
  reduction_->restore(round_);
  worker_compute_.restore(step_.value);
  cuts_.begin_at(step_.value);
}

}  // namespace foretrain
