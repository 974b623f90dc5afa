// What came out of a training, the same for a run as for a simulation.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/protocol/node.h"
#include "reports/record/compute_basis.h"
#include "reports/record/input_row.h"
#include "scenarios/spec/cores_seen.h"
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
/// Whether a record has the rows that grow with its steps, or what they come to alone
/// (`--record summary`).
enum class RowsKept { all, summary };

/// A row of steps.csv.
struct StepRow {
  int worker = 0;
  StepReport report;
};

/// What all steps come to, for a record without their rows.
struct StepTotals {
  std::int64_t steps = 0;
  Phases sum;
  std::int64_t staleness = 0;             ///< added up
  Duration median;                        ///< of the steps, evaluation left out
  std::vector<std::int64_t> by_worker{};  ///< steps of each; empty: of an older record
  /// Loss of the first and of the last reported batch, nats; NaN: not known.
  double first_loss = std::numeric_limits<double>::quiet_NaN();
  double last_loss = std::numeric_limits<double>::quiet_NaN();
};

/// A row of usage.csv: a node, or what changed since the row before it.
struct UsageRow {
  Instant time;  ///< end of the interval
  int node = 0;
  double cpu_user_s = 0;  ///< used in the interval
  double cpu_system_s = 0;
  Bytes rss;  ///< resident memory at the end; negative: not modelled
  Bytes tx;   ///< sent in the interval, on the wire of the protocol
  Bytes rx;
  Bytes nic_tx{-1};  ///< by all of its host, framing included; negative: not counted
  Bytes nic_rx{-1};
};

/// A time in which a node was not there, while the others went on; then another process took its
/// place.
struct Absence {
  std::string why;  ///< what became of the process before: "was killed by signal 9 (Killed)"
  Instant left;
  Instant back;

  bool operator==(const Absence&) const = default;
};

/// A node over the whole training.
struct NodeTotals {
  std::string role;  ///< worker0, ..., server0, ...
  std::string host;
  int core = -1;     ///< it was pinned to; -1: none
  double cpu_s = 0;  ///< from ready to its end
  Bytes rss;         ///< the most; negative: not modelled
  Bytes tx;          ///< bytes of messages with their headers
  Bytes rx;
  std::int64_t messages_sent = 0;
  Bytes nic_tx{-1};  ///< by all of its host, framing included; negative: not counted
  Bytes nic_rx{-1};
  Bytes undelivered{-1};  ///< of messages that nobody read: they came after the node, or the one
                          ///< that sent them, was lost; negative: not counted
  Bytes local{-1};        ///< of `tx`, to nodes of the same host; negative: not counted
  std::string
      lost{};  ///< what became of it while the others went on; empty: it is there in the end
  std::vector<Absence> away{};  ///< before that
};

/// Another training on the same hosts, as far as it got while this one lasted.
struct NeighbourTotals {
  std::string name;
  std::string scenario;    ///< resolved, as YAML: its file may change
  std::int64_t steps = 0;  ///< of all its workers
  bool done = false;       ///< it ended by itself
  std::string failure{};   ///< why it could not go on; empty: it could

  bool operator==(const NeighbourTotals&) const = default;
};

/// What its checkpoints come to.
struct CheckpointTotals {
  std::int64_t count = 0;
  Bytes size;     ///< of all states in all of them
  Duration time;  ///< in each what the slowest node took to keep its own, added up

  bool operator==(const CheckpointTotals&) const = default;
};

/// What became of a training that nodes had to begin anew, all of them: from its last checkpoint,
/// or without one from its first step.
struct RestartTotals {
  std::int64_t count = 0;
  std::int64_t lost_steps = 0;  ///< of all workers: they were done again
  Duration lost;                ///< from that checkpoint until a node was gone, added up
  Duration down;                ///< from there until all were ready again, added up

  bool operator==(const RestartTotals&) const = default;
};

/// A training's record. Times are since the moment at which every node was ready; of one that went
/// on from a checkpoint since it first began: what was lost is in them, but for the start-ups.
struct Record {
  Mode mode = Mode::run;
  Outcome outcome = Outcome::done;
  std::string failure;  ///< why it failed, one sentence; empty where it did not
  Case scenario_case;
  std::string machine;  ///< name of the machine file, or of the machine
  /// Simulation: machines, `, ` between them, whose gradients are timed by what they are described
  /// as, not by what was measured; empty: none.
  std::string uncalibrated;
  /// Simulation: what gradients are timed by, on the hosts of its workers; empty: an older record.
  std::vector<ComputeBasis> basis{};
  /// Simulation: it has checkpoints, on a disk of which neither the scenario nor a machine file
  /// says all that they take (kAssumedDisk).
  bool disk_assumed = false;
  /// Simulation: the cores of this machine while it was calibrated; unknown where its times are of
  /// others, or nobody looked.
  CoresSeen calibrated{};
  /// Run, of validate: what a gradient took that one worker computes alone, at this batch size:
  /// right before the training, right after it; empty: nobody looked.
  std::vector<double> alone_s{};
  /// Run: of the time of the cores that its launcher may use, the share, 0 to 1, that others had
  /// meanwhile: other programs, other virtual machines; negative: not known.
  double others_used = -1;
  std::string kernel_set;
  std::string congestion_control;  ///< run: of the sockets; empty in a simulation
  Duration time;                   ///< until the last update
  Duration startup;                ///< from the launch until every node was ready; simulation: what
                                   ///< the scenario's framework takes
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t most_lead = 0;  ///< gradients by which a worker was ahead of the slowest, at most
  std::int64_t dropped = 0;
  std::int64_t refused = 0;  ///< run: connections of strangers, who did not know the job key
  CheckpointTotals checkpoints{};
  std::string run{};  ///< run: drawn at its begin, as its checkpoints have it; empty: not known
  std::vector<std::int64_t> resumed{};  ///< run: steps of the checkpoints that it has gone on from
  RestartTotals restarts{};
  Instant ended{};             ///< run: by its clock, when its processes were done; zero: not known
  std::string weights_sha256;  ///< of the final parameters; empty without numerics
  std::vector<NodeTotals> nodes;
  std::vector<NeighbourTotals> neighbours;
  std::optional<StepTotals> step_totals;  ///< instead of rows that grow with the steps, of `steps`,
                                          ///< `usage`, `inputs`: of a summary, or of a run whose
                                          ///< rows are in its folder
  std::vector<StepRow> steps;             ///< by (end of step, worker)
  std::vector<EvalReport> evals;
  std::vector<UsageRow> usage;   ///< by (time, node)
  std::vector<InputRow> inputs;  ///< run: of each node in the order in which they came
};

/// Equal in every field. NaN equals NaN: it stands for what is not known; so do all negative
/// figures of memory. Scenarios are equal where their resolved texts are.
bool operator==(const Record& a, const Record& b);

/// What people call a case among others of its scenario: its strategy, then what else the sweep
/// sets (`sync, workers=2`).
std::string title_of(const Case& scenario_case);

/// run, simulate.
std::string_view name_of(Mode mode);
/// done, failed, interrupted.
std::string_view name_of(Outcome outcome);

}  // namespace foretrain
