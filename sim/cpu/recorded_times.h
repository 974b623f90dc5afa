// Job times of a recorded run, an alternative to the model.
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

/// The jobs of one node, each as long as a run recorded it (InputRow::took), in place of JobTime.
/// The remaining error of a forecast is then that of protocol, transport and network; the rest of
/// its error was that of compute.
///
/// A program numbers its jobs in the same way in both modes: each stage of the gradient, each
/// bucket that is reduced or applied, the evaluation. So the n-th job with a number takes the time
/// of the n-th job with that number in the run. A further one takes their median (a fast worker
/// computes gradients of others if they share a quota), and so does one whose time was not
/// recorded.
///
/// A run records CPU time (exec/driver/job_clock.h), not elapsed time: other nodes on the core, and
/// the node's own loop, delay a job, and the simulation models that again. The CPU time includes
/// whatever slowed this very job: caches used by others, memory read by others, a lower clock, the
/// factor of a straggler; also the handoff to its thread and back, which calibration counts as
/// compute, too. It excludes the batches that are prepared in parallel.
class RecordedTimes {
 public:
  /// Without recorded times.
  RecordedTimes() = default;
  /// For `node`. `inputs`: those of all nodes, in order for each node.
  RecordedTimes(std::span<const InputRow> inputs, NodeId node);

  /// Returns the time of a job that begins; nullopt if no job with its number has a recorded time.
  std::optional<Duration> begin(const Job& job);

 private:
  struct Sequence {
    std::vector<Duration> times;
    std::size_t begun = 0;
    Duration median;
  };
  std::map<std::uint64_t, Sequence> jobs_;  // by job number
};

}  // namespace foretrain::sim
