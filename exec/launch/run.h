// A training for real: one process a node, over TCP.
#pragma once

#include "exec/launch/start.h"
#include "reports/record/record.h"
#include "scenarios/spec/scenario.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <span>

namespace foretrain::exec {

struct RunOptions {
  /// The program whose `node` subcommand is a node; this one, unless a test says otherwise.
  std::filesystem::path program = "/proc/self/exe";
  /// `take_part` chooses it.
  std::shared_ptr<Start> start = start_here();
  /// Each host of the scenario's cluster becomes a network of this machine (emulation.h).
  bool emulate = false;
  /// The record says of each job what it took (InputRow::took).
  bool job_times = false;
  /// Launcher's port on loopback (of tasks: theirs); server shard s, without servers worker s,
  /// listens at port + 1 + s. 0: any that are free.
  int port = 0;
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
  [[nodiscard]] bool elsewhere() const { return start->elsewhere(); }
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

/// A run can train it, however it starts; every rank asks, so that none waits for one that has
/// refused. @throws InputError
void check_trainable(const Case& scenario_case, bool emulated);

/// Refuses a place for weights that cannot be written before anything is trained; empty: none is
/// asked for. @throws InputError
void check_save(const std::filesystem::path& path);

/// Raises what this process may have open (`ulimit -n`) from the soft limit to the hard one;
/// processes that it starts inherit that. @throws InputError that names both figures, where `need`
/// is more than the hard limit
void allow_descriptors(int need);

/// Of the process of a node that `run` started: `--address`, `--port` of the launcher, `--id`.
/// Returns the exit status.
int node_main(std::span<const char* const> arguments);

}  // namespace foretrain::exec
