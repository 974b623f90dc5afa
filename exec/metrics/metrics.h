// Metrics of a running training for Prometheus.
#pragma once

#include "reports/record/record.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Follows a record as it grows. All figures are of the current case (a training of a sweep);
/// counters start at 0 again with the next. One thread at a time.
class Metrics {
 public:
  /// The next case begins.
  void begin() { *this = {}; }

  /// Adds new rows. `record.steps` and `record.usage` hold those since the last call,
  /// `record.evals` all so far. `planned`: steps of all workers if nothing ends them earlier.
  void follow(const Record& record, std::int64_t planned);

  /// Text exposition format 0.0.4. Names begin with `foretrain_`; every sample names its case,
  /// samples of a node also the node. Empty without a record.
  [[nodiscard]] std::string text() const;

  /// Upper bounds of a step's time, s; a last bucket is for longer ones.
  static constexpr std::array kStepTime{1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2,
                                        5e-2, 0.1,    0.25, 0.5,  1.0,    2.5,  5.0,  10.0};

 private:
  struct NodeFigures {
    std::string role;
    bool lost = false;
    std::int64_t steps = 0;
    std::array<std::int64_t, kStepTime.size() + 1> step_time{};  // by bucket, not cumulative
    Duration step_time_sum;
    Phases phases;
    std::int64_t staleness = 0;
    double loss = 0;  // of its latest step
    double cpu_user_s = 0;
    double cpu_system_s = 0;
    Bytes rss{-1};  // resident memory; -1: not modelled
    Bytes tx;       // messages with their headers
    Bytes rx;
    Bytes nic_tx{-1};  // traffic of the whole host; -1: not counted
    Bytes nic_rx{-1};
  };

  void add(const StepRow& row);
  void add(const UsageRow& row);

  bool begun_ = false;
  std::string case_;
  std::string scenario_;
  std::string strategy_;
  std::string machine_;
  std::int64_t planned_ = 0;
  std::int64_t examples_a_gradient_ = 0;
  Duration startup_;
  Instant latest_;
  std::vector<EvalReport> evals_;
  std::vector<NodeFigures> nodes_;

  friend class Exposition;
};

}  // namespace foretrain::exec
