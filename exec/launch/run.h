// A real training: one process per node, over TCP.
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
  /// The program whose `node` subcommand is a node; this program, except in tests.
  std::filesystem::path program = "/proc/self/exe";
  /// Set by `take_part`.
  std::shared_ptr<Start> start = start_here();
  /// Each host of the scenario's cluster becomes a network of this machine (emulation.h).
  bool emulate = false;
  /// Record the time of each job (InputRow::took).
  bool job_times = false;
  /// The launcher's port on loopback (tasks use their own); server shard s, or without servers
  /// worker s, listens at port + 1 + s. 0 for any free ones.
  int port = 0;
  /// Existing folder of the record: rows are written to it as they come, and the record that `run`
  /// returns has their totals instead. If empty, nothing is written, and the record has its rows.
  std::filesystem::path folder;
  /// Path of the final weights (scenarios/weights/weights.h) on the machine of worker 0; empty if
  /// they are not saved.
  std::filesystem::path save;
  /// Folder of a run to resume from its newest complete checkpoint; its record continues, too.
  /// Empty to begin anew.
  std::filesystem::path resume;
  /// Maximum number of restarts of lost nodes (models/supervision/supervisor.h): alone, or all from
  /// the newest complete checkpoint; without `folder` from the first step.
  int max_restarts = 0;
  /// A summary counts rows without storing them.
  RowsKept rows = RowsKept::all;
  /// After this time nodes that have not joined, or are not ready, are given up.
  Duration join_timeout{60'000'000'000};
  /// For tests: nodes sleep up to this long before every input and send.
  Duration max_delay;
  [[nodiscard]] bool elsewhere() const { return start->elsewhere(); }
  /// Called regularly with the steps done by all workers and the planned ones.
  std::function<void(std::int64_t done, std::int64_t all, Duration passed)> progress;
  /// Called when rows have come, and at the end, with the planned steps and the record so far. Its
  /// rows, except evaluations, are those since the last call.
  std::function<void(const Record& so_far, std::int64_t all)> watch;
};

/// Trains one case and returns its record, also if the training failed or was interrupted
/// (`Record::outcome`), or its folder could not be written: the record then has everything reported
/// before. No process remains. Signals interrupt it (reports/record/interruption.h), also an
/// earlier one while the command's Interruption exists.
/// @throws InputError (a data set that cannot be read, a scenario for other machines than this one)
Record run(const Case& scenario_case, const RunOptions& options);

/// Checks that a run can train the case, however it is started. Every rank calls it, so that none
/// waits for one that has refused. @throws InputError
void check_trainable(const Case& scenario_case, bool emulated);

/// Refuses a path for weights that cannot be written before anything is trained; empty if none is
/// requested. @throws InputError
void check_save(const std::filesystem::path& path);

/// Raises this process's limit of open files (`ulimit -n`) from the soft limit to the hard one;
/// child processes inherit it.
/// @throws InputError with both figures if `need` exceeds the hard limit
void allow_descriptors(int need);

/// Main function of a node process that `run` started: `--address`, `--port` of the launcher,
/// `--id`. Returns the exit status.
int node_main(std::span<const char* const> arguments);

}  // namespace foretrain::exec
