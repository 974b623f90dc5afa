// What the jobs of a recorded run took: the other source of their times, beside the model.
#pragma once

#include "models/base/time.h"
#include "models/protocol/job.h"
#include "reports/record/input_row.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace foretrain::sim {

/// The jobs of one node, each as long as a run recorded it (InputRow::took), in place of what
/// JobTime says. What is left of a forecast's error with them is that of protocol, transport and
/// network; the rest was that of compute.
///
/// A program numbers its jobs alike in both modes: each stage of the gradient, each bucket that is
/// reduced or applied, the evaluation. So the n-th job of a number takes what the n-th of that
/// number took in the run. One more than the run had (who quickly computes takes over gradients of
/// others, where the quota is shared) takes the median of them, and so does one whose time the run
/// did not know.
///
/// A run records CPU time (exec/driver/job_clock.h), not the time that passes meanwhile: nodes that
/// share a core, and the loop of the node itself, hold a job up, and the simulation lets them do so
/// again. CPU time has in it what made this very job slow: caches that others had used, a memory
/// that others read, a clock that fell, the factor of a straggler; and what it costs to hand a job
/// over to its thread and back, which calibration counts as compute, too. It has not the batches
/// that are prepared beside it.
class RecordedTimes {
 public:
  /// Nothing is recorded.
  RecordedTimes() = default;
  /// Of `node`; `inputs`: of all, each node's in order.
  RecordedTimes(std::span<const InputRow> inputs, NodeId node);

  /// The job begins: what it takes. Nothing: no job of its number was recorded with its time.
  std::optional<Duration> begin(const Job& job);

 private:
  struct Sequence {
    std::vector<Duration> times;
    std::size_t begun = 0;
    Duration median;
  };
  std::map<std::uint64_t, Sequence> jobs_;  // by their numbers
};

}  // namespace foretrain::sim
