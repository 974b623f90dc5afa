#include "models/protocol/single.h"

#include "models/base/check.h"

#include <utility>

namespace foretrain {
namespace {
constexpr JobId kGradientJob{0};
constexpr JobId kApplyJob{1};
constexpr JobId kEvaluationJob{2};
constexpr JobId kKeepJob{3};
constexpr TimerId kCutTimer{0};
}  // namespace

SingleWorker::SingleWorker(std::shared_ptr<const Training> training)
    : training_(std::move(training)),
      worker_compute_(training_, 0),
      parameters_(training_, 0, initial_parameters(*training_)),
      evaluator_(training_->target),
      cuts_(training_->checkpoint) {
  // Nothing is sent, so nothing is cut: make_layout was given a bucket size that holds everything.
  FT_CHECK_OP(training_->layout->buckets.size(), ==, 1u);
}

void SingleWorker::handle(Instant now, Input input, Effects& effects) {
  if (std::holds_alternative<Started>(input)) {
    if (cuts_.wants_timer()) effects.emplace_back(ArmTimer{kCutTimer, cuts_.time()});
    compute_gradient(now, effects);
  }
  if (std::holds_alternative<TimerFired>(input)) cuts_.rang();
  const auto* computed = std::get_if<Computed>(&input);
  if (computed == nullptr) return;
  if (computed->job == kGradientJob) gradient_computed(now, computed->result, effects);
  if (computed->job == kApplyJob) end_step(now, effects);
  if (computed->job == kEvaluationJob) evaluated(now, computed->result, effects);
  if (computed->job == kKeepJob) {
    if (cuts_.wants_timer()) effects.emplace_back(ArmTimer{kCutTimer, cuts_.time()});
    compute_gradient(now, effects);
  }
}

void SingleWorker::go_on(Instant now, Effects& effects) {
  if (cuts_.is_due(parameters_.version().value)) return keep(effects);
  compute_gradient(now, effects);
}

// Between two steps: only a job that prepares the next batch may be under way.
void SingleWorker::keep(Effects& effects) {
  const std::int64_t cut = parameters_.version().value;
  cuts_.take(cut);
  SaveState keep{kKeepJob, cut, {cut}, evaluated_, {}, {}};
  keep.size = parameters_.kept_size() + state_size(2, 0, 0) + worker_compute_.kept_size();
  keep.gradients = worker_compute_.batches();
  keep.state = [this] {
    StateWriter state;
    state.integer(evaluated_);
    state.time(last_update_);
    parameters_.write(state);
    worker_compute_.write(state);
    return state.take();
  };
  effects.emplace_back(std::move(keep));
}

void SingleWorker::restore(StateReader& state) {
  evaluated_ = state.integer(0, training_->steps);
  last_update_ = state.instant();
  parameters_.read(state);
  worker_compute_.read(state);
  state.end();
  const std::int64_t steps = parameters_.version().value;
  if (steps < 1 || steps >= training_->steps) throw StateError(kNoCut);
  worker_compute_.restore(steps);
  cuts_.begin_at(steps);
}

void SingleWorker::compute_gradient(Instant now, Effects& effects) {
  clock_.start(now);
  computed_ = 0;
  // There is one bucket: a batch is a stage.
  FT_CHECK_OP(std::ssize(worker_compute_.stages()), ==, training_->accumulate);
  compute_batch(effects);
}

void SingleWorker::compute_batch(Effects& effects) {
  const Payload view = worker_compute_.view(all(), parameters_.values(), worked_);
  Job job = worker_compute_.gradient_job(computed_, kGradientJob, view);
  for (const Effect& spent : worked_) job.cost = job.cost + std::get<SpentCost>(spent).cost;
  worked_.clear();
  effects.emplace_back(Compute{std::move(job)});
}

void SingleWorker::gradient_computed(Instant now, const JobResult& gradient, Effects& effects) {
  if (++computed_ < worker_compute_.stages().size()) return compute_batch(effects);
  loss_ = gradient.loss;
  clock_.computed(now);
  const Payload push = worker_compute_.push(all(), false, worked_);
  effects.emplace_back(Compute{parameters_.apply_job(kApplyJob, {push})});
}

void SingleWorker::end_step(Instant now, Effects& effects) {
  parameters_.finish_apply();
  clock_.applied(now);
  last_update_ = now;
  if (!over() && training_->evaluated_after({parameters_.version().value})) {
    return evaluate(now, effects);
  }
  report_step(effects);
  if (over()) return evaluate(now, effects);
  go_on(now, effects);
}

void SingleWorker::report_step(Effects& effects) {
  effects.emplace_back(Report{clock_.report({parameters_.version().value - 1}, 0, loss_)});
}

void SingleWorker::evaluate(Instant now, Effects& effects) {
  evaluator_.begin(now, kEvaluationJob, worker_compute_, parameters_.values(), effects);
}

void SingleWorker::evaluated(Instant now, const JobResult& result, Effects& effects) {
  const Version version = parameters_.version();
  ++evaluated_;
  const Evaluator::Outcome outcome =
      evaluator_.report(now, {version.value}, version, result, over(), effects);
  if (!over()) {
    clock_.evaluated(outcome.took);
    report_step(effects);
    enough_ = outcome.enough;
    if (enough_) return evaluate(now, effects);
    return go_on(now, effects);
  }
  effects.emplace_back(Finished{.updates = version.value,
                                .gradients = version.value,
                                .last_update = last_update_,
                                .weights = parameters_.values(),
                                .statistics = worker_compute_.statistics()});
}

Protocol single_protocol() {
  return {.name = "single",
          .doc = "a single worker, without messages",
          .several_workers = false,
          .make_node = [](const std::shared_ptr<const Training>& training, NodeId /*id*/) {
            return std::unique_ptr<Node>(std::make_unique<SingleWorker>(training));
          }};
}

}  // namespace foretrain
