#include "models/protocol/learner.h"

#include <utility>

namespace foretrain {

Learner::Learner(std::shared_ptr<const Training> training, int worker)
    : training_(std::move(training)) {
  if (!training_->numerics) {
    gradient_ = Payload::sized({training_->layout->parameters * 4});
    return;
  }
  sampler_.emplace(training_->data->train.examples, worker, training_->workers,
                   training_->batch_size, training_->seed);
  workspace_ = training_->network->make_workspace();
}

Job Learner::gradient_job(JobId id, const Payload& parameters) {
  Job job{id,
          JobKind::gradient,
          training_->batch_size,
          training_->network->gradient_cost(training_->batch_size),
          {}};
  if (!training_->numerics) return job;
  // A receiver may still hold the last gradient: then this one gets a buffer of its own.
  if (gradient_.size() != parameters.size() || !gradient_.unshared()) {
    gradient_ = Payload::allocate(parameters.size());
  }
  job.work = [this, parameters] {
    const double loss =
        training_->network->gradient(parameters.floats(), training_->data->train, sampler_->next(),
                                     gradient_.writable_floats(), *workspace_);
    return JobResult{.loss = loss};
  };
  return job;
}

Payload Learner::gradient(const Bucket& bucket) const {
  return gradient_.slice(bucket.offset(), bucket.size());
}

Job Learner::evaluation_job(JobId id, const Payload& parameters) {
  const std::int64_t examples = training_->test_examples;
  Job job{id, JobKind::evaluate, examples, training_->network->evaluation_cost(examples), {}};
  if (!training_->numerics) return job;
  job.work = [this, parameters, examples] {
    const Score score = training_->network->evaluate(parameters.floats(), training_->data->test, 0,
                                                     examples, *workspace_);
    const auto count = static_cast<double>(examples);
    return JobResult{score.loss / count, static_cast<double>(score.correct) / count};
  };
  return job;
}

}  // namespace foretrain
