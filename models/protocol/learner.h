// A worker's side of learning: its network, its shard of the data, its gradient.
#pragma once

#include "models/data/sampler.h"
#include "models/protocol/job.h"
#include "models/protocol/training.h"

#include <memory>
#include <optional>

namespace foretrain {

/// Makes the jobs of a worker. One job at a time: the next is asked for when the last is computed.
class Learner {
 public:
  Learner(std::shared_ptr<const Training> training, int worker);

  /// The gradient of the next batch at `parameters` (all of them, contiguous).
  Job gradient_job(JobId id, const Payload& parameters);
  /// The result of the last gradient job, bucket by bucket.
  [[nodiscard]] Payload gradient(const Bucket& bucket) const;

  /// Loss and accuracy of `parameters` over the test examples.
  Job evaluation_job(JobId id, const Payload& parameters);

 private:
  std::shared_ptr<const Training> training_;
  std::optional<Sampler> sampler_;  // neither is made without numerics
  std::unique_ptr<Network::Workspace> workspace_;
  Payload gradient_;
};

}  // namespace foretrain
