#include "models/protocol/local_sgd.h"

#include "models/cost/work.h"
#include "models/protocol/route.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace foretrain {
namespace {

const Option kLocalSteps{.key = "local_steps",
                         .doc = "local_sgd: steps that each worker takes between two averagings",
                         .fallback = std::int64_t{16},
                         .least = 1,
                         .unused_because = "only local_sgd has steps without messages"};

const OptionSection kOuter{.key = "outer",
                           .doc = "local_sgd: what applies the averaged change of a round"};
constexpr std::string_view kOnlyLocal = "only local_sgd averages parameters";
constexpr std::string_view kNoOuter = "none";
const Option kOuterName{.key = "name",
                        .doc = "none: the average is what the next round begins with",
                        .fallback = std::string(kNoOuter),
                        .choices = {std::string(kNoOuter), "nesterov"},
                        .unused_because = kOnlyLocal,
                        .section = &kOuter};
const Option kOuterRate{.key = "learning_rate",
                        .doc = "nesterov: factor of the averaged change",
                        .fallback = 0.7,
                        .most = 100,
                        .unused_because = kOnlyLocal,
                        .section = &kOuter};
const Option kOuterMomentum{.key = "momentum",
                            .doc = "nesterov: share of the last change that goes on",
                            .fallback = 0.9,
                            .most = 0.999999,
                            .unused_because = kOnlyLocal,
                            .section = &kOuter};

bool has_outer(const ProtocolOptions& options) { return options.word(kOuterName) != kNoOuter; }

std::unique_ptr<const Optimizer> outer_of(const ProtocolOptions& options) {
  if (!has_outer(options)) return nullptr;
  OptimizerSpec spec;
  spec.name = "momentum";
  spec.nesterov = true;
  spec.learning_rate = options.number(kOuterRate);
  spec.momentum = options.number(kOuterMomentum);
  return make_optimizer(spec);
}

std::int64_t averagings_of(const Training& training) {
  const std::int64_t local_steps = training.options.integer(kLocalSteps);
  return (training.steps + local_steps - 1) / local_steps;
}

// The chief is asked for the average where a round has gone on from it.
bool evaluates_within(const Training& training) {
  const std::int64_t every = training.evaluate_every;
  return every > 0 && every % training.options.integer(kLocalSteps) != 0;
}

// The jobs of a worker's own; those of its averagings follow (Reduction).
constexpr std::uint64_t kLocalEvaluation = 0;
constexpr std::uint64_t kLocalGradient = 1;                    // its first stage; then the others
constexpr std::uint64_t kLocalApply = std::uint64_t{1} << 31;  // of a bucket; then the others

}  // namespace

LocalSgdWorker::LocalSgdWorker(std::shared_ptr<const Training> training, NodeId id)
    : training_(std::move(training)),
      id_(id),
      local_steps_(training_->options.integer(kLocalSteps)),
      worker_compute_(training_, static_cast<int>(index_of(id))),
      parameters_(initial_parameters(*training_)),
      reduction_(training_, id, averagings_of(*training_), parameters_, buffered_, *this),
      outer_(outer_of(training_->options)),
      owned_(training_->layout->buckets.size()),
      gradient_(worker_compute_, clock_, JobId{kLocalGradient}),
      evaluator_(training_->target) {
  const auto buckets = static_cast<std::uint32_t>(training_->layout->buckets.size());
  for (std::uint32_t index = 0; index < buckets; ++index) {
    const Bucket& bucket = bucket_at(index);
    own_.push_back(std::make_unique<ShardBucket>(training_, index, parameters_.part(bucket),
                                                 parameters_.place(bucket)));
    if (!outer_ || !reduction_.owns(index) || !training_->numerics) continue;
    const auto start = parameters_.place(bucket);
    owned_[index].start.assign(start.begin(), start.end());
    owned_[index].momentum.resize(start.size());
    outer_->initialize(owned_[index].momentum);
  }
  if (rank() == 0 && evaluates_within(*training_)) {
    averaged_.emplace(initial_parameters(*training_));
  }
}

void LocalSgdWorker::handle(Instant now, Input input, Effects& effects) {
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
  jobs_ += static_cast<int>(std::ranges::count_if(std::span(effects).subspan(before), is_job));
  finish_if_it_may(effects);
}

void LocalSgdWorker::receive(Instant now, NodeId from, Message message, Effects& effects) {
  const std::uint32_t bucket = message.bucket;
  bool in_turn = true;
  if (message.kind == MessageKind::enough) {
    in_turn = reduction_.hear_end(from, message.step, round_, effects);
  } else {
    const auto reception = reduction_.receive(now, from, std::move(message), effects);
    if (reception == Reduction::Reception::renewed) return new_values(now, bucket, effects);
    in_turn = reception == Reduction::Reception::taken;
  }
  if (!in_turn) effects.emplace_back(Fault{from, "it sent a message out of turn"});
}

void LocalSgdWorker::computed(Instant now, const Computed& computed, Effects& effects) {
  const auto id = static_cast<std::uint64_t>(computed.job);
  if (id == kLocalEvaluation) return report_evaluation(now, computed.result, effects);
  if (id < kLocalApply) return stage_computed(now, computed, effects);
  if (id < Reduction::kFirstJob) {
    return applied(now, static_cast<std::uint32_t>(id - kLocalApply), effects);
  }
  const auto renewed = reduction_.computed(now, computed.job, effects);
  if (renewed) new_values(now, *renewed, effects);
}

// A step by itself ---------------------------------------------------------------------------

void LocalSgdWorker::compute_gradient(Instant now, Effects& effects) {
  state_ = State::learning;
  applied_ = 0;
  reduction_.begin();
  gradient_.begin(now);
  go_on_computing(now, effects);
}

void LocalSgdWorker::go_on_computing(Instant now, Effects& effects) {
  if (over() || state_ != State::learning) return;
  const auto is_here = [&](std::uint32_t index) { return reduction_.rounds_of(index) == round_; };
  gradient_.go_on(now, parameters_.all(), is_here, effects);
}

// The parameters of a stage that is computed are read by no later stage of this gradient.
void LocalSgdWorker::stage_computed(Instant now, const Computed& computed, Effects& effects) {
  if (over()) return;
  const GradientStage& stage = gradient_.computed(now, computed);
  if (gradient_.complete()) computed_at_ = now;
  for (const std::uint32_t index : stage.buckets) {
    effects.emplace_back(Compute{own_[index]->apply_job(
        JobId{kLocalApply + index}, {worker_compute_.push(bucket_at(index), false, effects)})});
  }
  if (!gradient_.complete()) go_on_computing(now, effects);
}

// What others have applied meanwhile counts for the schedule.
void LocalSgdWorker::applied(Instant now, std::uint32_t bucket, Effects& effects) {
  own_[bucket]->finish_apply(training_->workers - 1);
  if (over()) return;
  ++applied_;
  applied_at_ = now;
  if (applied_ == own_.size()) state_ = State::averaging;
  if (ends_round()) reduction_.add(now, bucket, parameters_.part(bucket_at(bucket)), effects);
  end_step_if_it_may(now, effects);
}

bool LocalSgdWorker::ends_round() const {
  return is_last() || step_.next().value % local_steps_ == 0;
}

// Averaging ------------------------------------------------------------------------------------

Job LocalSgdWorker::finish_job(std::uint32_t bucket, JobId id, std::vector<Payload> addends) {
  const std::int64_t count = bucket_at(bucket).count;
  Cost cost = average_cost(count, std::ssize(addends));
  if (outer_) cost = cost + apply_cost(count, 1, *outer_);
  Job job{id, JobKind::apply, 0, cost, {}, {}};
  // Of its own: the next step changes the parameters, while others still read these values.
  Payload& values = owned_[bucket].values;
  const Bytes size = bucket_at(bucket).size();
  values = training_->numerics ? Payload::allocate(size) : Payload::sized(size);
  if (!training_->numerics) return job;
  job.work = [this, bucket, addends = std::move(addends)](Parallel& /*parallel*/) {
    average(bucket, addends);
    return JobResult{};
  };
  return job;
}

void LocalSgdWorker::average(std::uint32_t bucket, const std::vector<Payload>& addends) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  Owned& owned = owned_[bucket];
  const std::span<float> values = owned.values.writable_floats();
  const std::span<float> place = parameters_.place(bucket_at(bucket));
  const float share = 1.0F / static_cast<float>(training_->workers);
  alignas(64) std::array<float, kBlock> block;
  for (std::size_t first = 0; first < values.size(); first += kBlock) {
    const std::size_t count = std::min(kBlock, values.size() - first);
    ArrayMap mean = array(std::span(block).first(count));
    mean = array(addends.front().floats().subspan(first, count));
    for (const Payload& addend : std::span(addends).subspan(1)) {
      mean += array(addend.floats().subspan(first, count));
    }
    mean *= share;
    if (outer_) {
      const auto start = std::span(owned.start).subspan(first, count);
      float* const momentum = owned.momentum.data() + first;
      mean = array(start) - mean;  // the change, as a gradient
      outer_->apply({.version = round_.value}, false, start, std::span(block).first(count), start,
                    std::span(&momentum, 1));
      mean = array(start);
    }
    array(values.subspan(first, count)) = mean;
    array(place.subspan(first, count)) = mean;
  }
}

Payload LocalSgdWorker::finished(std::uint32_t bucket) {
  return std::exchange(owned_[bucket].values, {});
}

void LocalSgdWorker::new_values(Instant now, std::uint32_t bucket, Effects& effects) {
  last_update_ = now;
  if (averaged_) averaged_->put(bucket_at(bucket), parameters_.part(bucket_at(bucket)), effects);
  const bool of_this_round = reduction_.rounds_of(bucket) == round_.next();
  if (!of_this_round) return go_on_computing(now, effects);
  ++renewed_;
  end_step_if_it_may(now, effects);
}

// After an averaging the next step may begin when the values are here that its first layers read;
// what is evaluated has to be whole, and so has the end.
void LocalSgdWorker::end_step_if_it_may(Instant now, Effects& effects) {
  if (state_ != State::averaging) return;
  const bool averages = ends_round();
  const bool last = averages && round_.next().value == reduction_.rounds();
  const bool evaluated = is_evaluated(step_.next()) && !last;
  if (averages && renewed_ < own_.size()) {
    const auto is_new = [&](std::uint32_t index) { return reduction_.rounds_of(index) > round_; };
    if (last || evaluated || !std::ranges::all_of(gradient_.first_needs(), is_new)) return;
  }
  if (averages) {
    const Duration applying = applied_at_ - computed_at_ + reduction_.computing();
    const Duration wait = reduction_.first_sum().value_or(applied_at_) - applied_at_;
    clock_.pulled(now, wait, applying, reduction_.moved(), reduction_.moved());
    ++round_;
    renewed_ = 0;
  } else {
    clock_.applied(now);
  }
  ++step_;
  if (evaluated) return evaluate(now, State::evaluating, effects);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  go_on(now, effects);
}

// Evaluation, the end --------------------------------------------------------------------------

const Payload& LocalSgdWorker::averaged() const {
  return averaged_ ? averaged_->all() : parameters_.all();
}

void LocalSgdWorker::evaluate(Instant now, State state, Effects& effects) {
  state_ = state;
  evaluator_.begin(now, JobId{kLocalEvaluation}, worker_compute_, averaged(), effects);
}

void LocalSgdWorker::report_evaluation(Instant now, const JobResult& result, Effects& effects) {
  const bool final = state_ == State::final_evaluation;
  const Evaluator::Outcome outcome =
      evaluator_.report(now, step_, {round_.value}, result, final, effects);
  if (final) return finish(effects);
  clock_.evaluated(outcome.took);
  effects.emplace_back(Report{clock_.report({step_.value - 1}, 0, gradient_.loss())});
  if (outcome.enough && round_.value > 0) reduction_.end_after(round_, effects);
  go_on(now, effects);
}

void LocalSgdWorker::go_on(Instant now, Effects& effects) {
  if (!over()) return compute_gradient(now, effects);
  if (rank() == 0) return evaluate(now, State::final_evaluation, effects);
  finish(effects);
}

void LocalSgdWorker::finish_if_it_may(Effects& effects) {
  if (!over() || jobs_ > 0 || state_ == State::finished) return;
  if (reduction_.is_cut_short()) finish(effects);
}

void LocalSgdWorker::finish(Effects& effects) {
  state_ = State::finished;
  const std::int64_t steps = std::min(reduction_.rounds() * local_steps_, training_->steps);
  effects.emplace_back(Finished{.updates = reduction_.rounds(),
                                .gradients = steps * training_->workers,
                                .last_update = last_update_,
                                .weights = rank() == 0 ? averaged() : Payload{}});
}

Protocol local_sgd_protocol() {
  using enum MessageKind;
  return {
      .name = "local_sgd",
      .doc = "workers take steps of their own, then average their parameters",
      .dense = true,
      .options = {&kLocalSteps, &kOuterName, &kOuterRate, &kOuterMomentum},
      .messages = {partial, parameters, enough},
      .brings_update = {parameters},
      .weighed_against = "all_reduce",
      .gradients_an_update = [](const ProtocolOptions& options,
                                int workers) { return workers * options.integer(kLocalSteps); },
      .gradients_an_apply = [](const ProtocolOptions&, int) { return std::int64_t{1}; },
      .updated_by = [](const Training& training, NodeId) { return training.layout->parameters; },
      .kept_by =
          [](const Training& training, NodeId id) {
            std::int64_t count = 0;
            for (const Bucket& bucket : training.layout->buckets) {
              const bool owned = bucket.shard == static_cast<int>(index_of(id));
              if (owned && has_outer(training.options)) count += 2 * bucket.count;
            }
            const bool chief = index_of(id) == 0;
            if (chief && evaluates_within(training)) count += training.layout->parameters;
            return Bytes{4 * count};
          },
      .linked = linked_in_all_reduce,
      .make_node =
          [](std::shared_ptr<const Training> training, NodeId id) {
            return std::unique_ptr<Node>(std::make_unique<LocalSgdWorker>(std::move(training), id));
          }};
}

}  // namespace foretrain
