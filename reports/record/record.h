// The record of a training, the same for a run as for a simulation.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/protocol/node.h"
#include "reports/record/compute_basis.h"
#include "reports/record/counted_totals.h"
#include "reports/record/input_row.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

enum class Mode { run, simulate };
enum class Outcome { done, failed, interrupted };
/// Whether a record has rows for its steps, or their totals only (`--record summary`).
enum class RowsKept { all, summary };

/// A row of steps.csv.
struct StepRow {
  int worker = 0;
  StepReport report;
};

/// Totals over all steps, for a record without step rows.
struct StepTotals {
  std::int64_t steps = 0;
  Phases sum;
  std::int64_t staleness = 0;             ///< sum over the steps
  Duration median;                        ///< median step time, without evaluation
  std::vector<std::int64_t> by_worker{};  ///< steps of each worker; empty in older records
  /// Loss of the first and the last reported batch, nats; NaN means not known.
  double first_loss = std::numeric_limits<double>::quiet_NaN();
  double last_loss = std::numeric_limits<double>::quiet_NaN();
};

/// A row of usage.csv: resource use of a node since its previous row. Nodes send it as raw memory.
struct UsageRow {
  Instant time;  ///< end of the interval
  int node = 0;
  double cpu_user_s = 0;  ///< during the interval
  double cpu_system_s = 0;
  Bytes rss;  ///< resident memory at the end of the interval; negative: not modelled
  Bytes tx;   ///< sent in the interval: messages with their headers
  Bytes rx;
  Bytes nic_tx{-1};  ///< traffic of the whole host, with framing; negative: not counted
  Bytes nic_rx{-1};
};

/// A time in which a node was down while the others continued; a new process replaced it.
struct Absence {
  std::string why;  ///< end of the previous process: "was killed by signal 9 (Killed)"
  Instant left;
  Instant back;

  bool operator==(const Absence&) const = default;
};

/// Totals of a node over the training.
struct NodeTotals {
  std::string role;  ///< worker0, ..., server0, ...
  std::string host;
  std::optional<int> core{};           ///< core to which it was pinned
  double cpu_s = 0;                    ///< CPU time from ready until the end of the node
  std::optional<Bytes> rss = Bytes{};  ///< peak resident memory; nothing: not modelled
  Bytes tx;                            ///< bytes of messages with their headers
  Bytes rx;
  std::int64_t messages_sent = 0;
  std::optional<Bytes> nic_tx{};  ///< traffic of the whole host, with framing, if counted
  std::optional<Bytes> nic_rx{};
  /// Messages that were never read, because they arrived after the node or their sender was lost.
  std::optional<Bytes> undelivered{};
  std::optional<Bytes> local{};  ///< part of `tx` to nodes on the same host
  std::string
      lost{};  ///< why it was lost while the others continued; empty: it was there to the end
  std::vector<Absence> away{};  ///< earlier absences, ended by a new process
};

/// Another training on the same hosts, up to the end of this one.
struct ColocatedTotals {
  std::string name;
  std::string scenario;    ///< resolved, as YAML, since its file may change
  std::int64_t steps = 0;  ///< of all its workers
  bool done = false;       ///< it ran to its end
  std::string failure{};   ///< why it failed; empty if it did not

  bool operator==(const ColocatedTotals&) const = default;
};

/// Totals of the checkpoints of a training.
struct CheckpointTotals {
  std::int64_t count = 0;
  Bytes size;     ///< states of all nodes in all checkpoints
  Duration time;  ///< per checkpoint the time of the slowest node; the sum of these

  bool operator==(const CheckpointTotals&) const = default;
};

/// Totals of restarts: after a loss all nodes begin again from the last checkpoint, or from the
/// first step if there is none.
struct RestartTotals {
  std::int64_t count = 0;
  std::int64_t lost_steps = 0;  ///< steps that all workers had to repeat
  Duration lost;                ///< from that checkpoint until the loss of a node; sum
  Duration down;                ///< from the loss until all nodes were ready again; sum

  bool operator==(const RestartTotals&) const = default;
};

/// The record of a training. Times count from the moment at which all nodes were ready. For a
/// training that was resumed they count from its first start, with lost work but without start-up.
struct Record {
  Mode mode = Mode::run;
  Outcome outcome = Outcome::done;
  std::string failure;  ///< why it failed, one sentence; else empty
  Case scenario_case;
  std::string machine;  ///< name of the machine file or of this machine
  /// Simulation: machines whose gradient times come from a description, not from a measurement,
  /// joined by `, `; empty if there are none.
  std::string uncalibrated;
  /// Simulation: source of the gradient times on the workers' hosts; empty in older records.
  std::vector<ComputeBasis> basis{};
  /// Simulation: "1 host of 64 alike", "4 hosts of ...", if not all were simulated; else empty.
  std::string simulated{};
  std::optional<CountedTotals> counted{};  ///< of a network that is forecast by its shape
  /// Simulation: it has checkpoints, and neither the scenario nor a machine file describes their
  /// disk completely; kAssumedDisk fills in the rest.
  bool disk_assumed = false;
  /// Simulation: core speeds of this machine during its calibration; unknown if gradient times are
  /// from other machines, or if the speeds were not measured.
  CoresSeen calibrated{};
  /// Runs of validate: time of a gradient of a single worker at this batch size, measured right
  /// before and right after the training; empty means not measured.
  std::vector<double> alone_s{};
  /// Run: share, 0 to 1, of the CPU time of the launcher's cores that other programs and virtual
  /// machines took during the training, if known.
  std::optional<double> others_used{};
  std::string kernel_set;
  std::string congestion_control;  ///< run: of its TCP sockets; empty in a simulation
  Duration time;                   ///< until the last update
  Duration startup;                ///< from launch until all nodes were ready; in a simulation, as
                                   ///< the scenario's framework says
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t most_lead = 0;  ///< largest lead of a worker over the slowest one, in gradients
  std::int64_t dropped = 0;
  std::int64_t refused = 0;  ///< run: rejected connections, which did not know the job key
  CheckpointTotals checkpoints{};
  std::string run{};  ///< run: random name, also in its checkpoints; empty: not known
  std::vector<std::int64_t> resumed{};  ///< run: steps of the checkpoints from which it was resumed
  RestartTotals restarts{};
  Instant ended{};             ///< run: end of its processes by its clock; zero: not known
  std::string weights_sha256;  ///< hash of the final parameters; empty without numerics
  std::vector<NodeTotals> nodes;
  std::vector<ColocatedTotals> colocated_jobs;
  std::optional<StepTotals> step_totals;  ///< replaces the rows of `steps`, `usage`, `inputs`, in a
                                          ///< summary or in a run whose rows are in its folder
  std::vector<StepRow> steps;             ///< sorted by (end of step, worker)
  std::vector<EvalReport> evals;
  std::vector<UsageRow> usage;   ///< sorted by (time, node)
  std::vector<InputRow> inputs;  ///< run: of each node in order of arrival
};

/// Compares all fields. NaN equals NaN, since both mean not known; likewise all negative numbers of
/// bytes. Scenarios are equal if their resolved texts are.
bool operator==(const Record& a, const Record& b);

/// Short name of a case within its scenario: its strategy, then the other settings of the sweep
/// (`sync, workers=2`).
std::string title_of(const Case& scenario_case);

/// run, simulate.
std::string_view name_of(Mode mode);
/// done, failed, interrupted.
std::string_view name_of(Outcome outcome);

}  // namespace foretrain
