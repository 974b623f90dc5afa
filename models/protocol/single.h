// A single worker that has the parameters itself.
#pragma once

#include "models/protocol/evaluator.h"
#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "models/protocol/shard.h"
#include "models/protocol/step_clock.h"
#include "models/protocol/training.h"
#include "models/protocol/worker_compute.h"

#include <cstddef>
#include <memory>

namespace foretrain {

/// Plain stochastic gradient descent, w <- w - rate * g(w): the baseline of the other strategies.
class SingleWorker : public Node {
 public:
  explicit SingleWorker(std::shared_ptr<const Training> training);

  void handle(Instant now, Input input, Effects& effects) override;
  void restore(StateReader& state) override;

 private:
  void compute_gradient(Instant now, Effects& effects);
  void compute_batch(Effects& effects);
  /// The gradient of a batch is computed: begins the next batch or the update.
  void gradient_computed(Instant now, const JobResult& gradient, Effects& effects);
  void end_step(Instant now, Effects& effects);
  void report_step(Effects& effects);
  /// Continues after a step: with the next step, or a checkpoint first.
  void go_on(Instant now, Effects& effects);
  void keep(Effects& effects);
  void evaluate(Instant now, Effects& effects);
  void evaluated(Instant now, const JobResult& result, Effects& effects);
  [[nodiscard]] const Bucket& all() const { return training_->layout->buckets.front(); }
  [[nodiscard]] bool over() const {
    return enough_ || parameters_.version().value == training_->steps;
  }

  std::shared_ptr<const Training> training_;
  WorkerCompute worker_compute_;
  ShardBucket parameters_;
  /// The cost of sparse gradients: picking the values to read, encoding the last one as a push.
  /// Counted with the next gradient: a measured machine includes both in the steps of this node.
  Effects worked_;
  StepClock clock_;
  std::size_t computed_ = 0;  // batches of this gradient that are computed
  double loss_ = 0;
  Instant last_update_;
  Evaluator evaluator_;
  bool enough_ = false;  // the target is reached
  Cuts cuts_;
  std::int64_t evaluated_ = 0;
};

/// Its only node is a SingleWorker.
Protocol single_protocol();

}  // namespace foretrain
