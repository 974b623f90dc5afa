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

/// What a job found out. NaN where it was not carried out, or has no such result.
struct JobResult {
  double loss = std::numeric_limits<double>::quiet_NaN();      ///< mean over the examples, nats
  double accuracy = std::numeric_limits<double>::quiet_NaN();  ///< share of the examples, 0 to 1
  double auc = std::numeric_limits<double>::quiet_NaN();       ///< two classes: area under ROC
};

/// A node numbers its jobs as it likes, a piece of work alike in every step; `Computed` brings
/// the number back.
enum class JobId : std::uint64_t {};

struct Job {
  JobId id{};
  JobKind kind = JobKind::gradient;
  std::int64_t examples = 0;  ///< of a gradient or an evaluation
  TotalCost cost;
  /// Carries the job out, on a thread of the driver's choice; it touches only what the node leaves
  /// alone until `Computed`. Empty without numerics: the driver then reports a default result.
  std::function<JobResult(Parallel&)> work;
  /// Prepares what the next job of this kind will read. It may run on another thread beside `work`,
  /// and has to be done before the next one's work begins. Empty: nothing to prepare.
  std::function<void()> prefetch;
  std::uint32_t bucket = 0;   ///< of an apply or a reduce: the first of those that it takes
  std::uint32_t buckets = 1;  ///< that follow each other, so many of them
  int stage = 0;              ///< of a batch whose gradient comes in several jobs: which, in order
  double share = 1;           ///< of the time of the batch's gradient that this job takes
  bool scattered = false;     ///< what it applies lies all over the parameters: a sparse push
  std::uint16_t batch = 0;    ///< of those whose gradients are added up: which of them
  int pushes = 1;             ///< that it applies at once
  Bytes summed{};             ///< of `cost`: what moves as the gradient is added to those before
};

}  // namespace foretrain
