// Work that a node asks its driver to carry out, with a counted cost.
#pragma once

#include "models/base/cost.h"
#include "models/base/parallel.h"
#include "models/base/time.h"

#include <cstdint>
#include <functional>
#include <limits>

namespace foretrain {

enum class JobKind : std::uint8_t {
  gradient,  ///< forward and backward of one batch
  apply,     ///< gradients reduced and the parameters of one bucket updated
  reduce,    ///< a gradient of one bucket added to others
  evaluate,  ///< loss and accuracy over the test examples
};

/// The result of a job. NaN if the job had no work, or has no such result.
struct JobResult {
  double loss = std::numeric_limits<double>::quiet_NaN();      ///< mean over the examples, nats
  double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< share of the examples, 0 to 1
  double auc = std::numeric_limits<double>::quiet_NaN();       ///< two classes: area under ROC
};

/// A node numbers its jobs as it likes, the same work by the same number in every step; `Computed`
/// brings the number back.
enum class JobId : std::uint64_t {};

struct Job {
  JobId id{};
  JobKind kind = JobKind::gradient;
  std::int64_t examples = 0;  ///< examples of a gradient or an evaluation
  TotalCost cost;
  /// Carries the job out, on a thread of the driver's choice; until `Computed` the node neither
  /// reads nor changes its data. Empty without numerics: the driver reports a default result.
  std::function<JobResult(Parallel&)> work;
  /// Prepares what the next job of this kind will read. It may run on another thread in parallel to
  /// `work`, and must be done before the next job's work begins. Empty if not needed.
  std::function<void()> prefetch;
  std::uint32_t bucket = 0;   ///< first bucket of an apply or a reduce
  std::uint32_t buckets = 1;  ///< number of consecutive buckets
  int stage = 0;              ///< index of the job, if the gradient of a batch takes several jobs
  double share = 1;           ///< share of the time of the batch's gradient that this job takes
  bool scattered = false;     ///< a sparse push: the parameters that it updates are scattered
  std::uint16_t batch = 0;    ///< index of the batch, if a gradient is the sum of several batches
  int pushes = 1;             ///< pushes that an apply takes
  Bytes summed{};             ///< part of `cost`: moved to add the gradient to earlier batches
};

}  // namespace foretrain
