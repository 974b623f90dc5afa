// A training for real: one process a node, over TCP.
#pragma once

#include "exec/launch/ssh_hosts.h"
#include "exec/launch/task.h"
#include "exec/launch/tls_choice.h"
#include "reports/record/record.h"
#include "scenarios/core_probe.h"
#include "scenarios/scenario.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace foretrain::exec {

struct RunOptions {
  /// The program whose `node` subcommand is a node; this one, unless a test says otherwise.
  std::filesystem::path program = "/proc/self/exe";
  /// This process is one of several tasks that somebody started, and its node is its rank: none of
  /// the others is started here, none is pinned. Absent: all nodes are started here.
  std::optional<Task> task;
  /// All nodes are started on these, unpinned, by the same path of `program`, in a folder by the
  /// name of this one where there is one; the key goes over ssh. Absent: on this machine.
  std::optional<SshHosts> hosts;
  /// This process may be a task, too, and trains on its own machine nevertheless: a measurement.
  bool by_itself = false;
  /// The file of the job key that tasks show each other; empty: as the environment says.
  std::string job_key;
  /// Whether connections between the processes are encrypted.
  TlsChoice tls;
  /// Each host of the scenario's cluster becomes a network of this machine (emulation.h).
  bool emulate = false;
  /// The record says of each job what it took (InputRow::took).
  bool job_times = false;
  /// Launcher's port on loopback (of tasks: theirs); server shard s, without servers worker s,
  /// listens at port + 1 + s. 0: any that are free.
  int port = 0;
  /// The cores are looked at right before the training and right after it (Record::probes), some
  /// 20 ms each; not those of other machines. Named by what this machine's calibration met.
  bool probe = false;
  KnownHandovers handovers{};
  /// Of the record, which is there: rows are written to it as they come, and the record that `run`
  /// returns has their totals instead. Empty: nothing is written, the record has its rows.
  std::filesystem::path folder;
  /// Where the final weights go (scenarios/weights/weights.h), on the machine of worker 0; empty:
  /// nowhere.
  std::filesystem::path save;
  /// Of a run whose newest whole checkpoint this one goes on from; its record goes on, too. Empty:
  /// it begins.
  std::filesystem::path resume;
  /// The most times that a node which is gone is started again (models/supervision/supervisor.h):
  /// alone, or all begin again from the newest whole checkpoint; without `folder` from the first
  /// step.
  int max_restarts = 0;
  /// A summary: rows are counted, nobody keeps them.
  RowsKept rows = RowsKept::all;
  /// Nodes that have not joined, or are not ready, after this long are given up.
  Duration join_timeout{60'000'000'000};
  /// Test seam: nodes sleep up to this long before every input and send.
  Duration max_delay;
  /// Nodes may be on other machines: neither their cores nor their files are this one's.
  [[nodiscard]] bool elsewhere() const { return task.has_value() || hosts.has_value(); }
  /// Called now and then with the steps done by all workers and those to do.
  std::function<void(std::int64_t done, std::int64_t all, Duration passed)> progress;
  /// Called when rows have come, and at the end, with the record so far, whose rows, but for its
  /// evaluations, are those that came since the last call, and the steps to do.
  std::function<void(const Record& so_far, std::int64_t all)> watch;
};

/// Trains one case and returns its record, also where the training failed or was interrupted
/// (`Record::outcome`; also where its folder took no more): what was reported until then is in it.
/// No process is left behind. Signals interrupt it (reports/record/interruption.h), also one that
/// came before it, while the command's Interruption exists. @throws InputError (a data
/// set that cannot be read, a scenario for other machines than this one)
Record run(const Case& scenario_case, const RunOptions& options);

/// How often a command trains its cases.
enum class Trainings {
  each_once,
  as_told  ///< as often as rank 0 likes, until a Dismissal
};

/// Before anything else: whether this process is a task (task.h) of several. Nothing, where it is
/// none, and of rank 0, where `options.task` says so: it goes on to `run` each case. Every other
/// rank is the node of its rank in each of the trainings, and gets its exit status: 0, or that of
/// rank 0. @throws InputError (cases that need another number of tasks, no job key where one is
/// needed, one where this process is no task, no way to find rank 0)
std::optional<int> take_part(const std::vector<Case>& cases, RunOptions& options,
                             Trainings trainings = Trainings::each_once);

/// Of rank 0: where it ends, the others are told that no training comes any more. Without
/// `RunOptions::task` it does nothing.
class Dismissal {
 public:
  /// Outlived by `options`.
  explicit Dismissal(const RunOptions& options) : options_(options) {}
  ~Dismissal();
  Dismissal(const Dismissal&) = delete;
  Dismissal& operator=(const Dismissal&) = delete;

 private:
  const RunOptions& options_;
};

/// Of the process of a node that `run` started: `--address`, `--port` of the launcher, `--id`.
/// Returns the exit status.
int node_main(std::span<const char* const> arguments);

}  // namespace foretrain::exec
