// A training for real: one process a node, over TCP.
#pragma once

#include "reports/record/record.h"
#include "scenarios/scenario.h"

#include <filesystem>
#include <functional>

namespace foretrain::exec {

struct RunOptions {
  /// The program whose `node` subcommand is a node; this one, unless a test says otherwise.
  std::filesystem::path program = "/proc/self/exe";
  /// Launcher's port on loopback; server shard s, without servers
  /// worker s, listens at port + 1 + s. 0: any that are free.
  int port = 0;
  /// Nodes that have not joined, or are not ready, after this long are given up.
  Duration join_timeout{60'000'000'000};
  /// Test seam: nodes sleep up to this long before every input and send.
  Duration max_delay;
  /// Called now and then with the steps done by all workers and those to do.
  std::function<void(std::int64_t done, std::int64_t all, Duration passed)> progress;
};

/// Trains one case and returns its record, also where the training failed or was interrupted
/// (`Record::outcome`): what was reported until then is in it. No process is left behind. Catches
/// SIGINT and SIGTERM while it runs. @throws InputError (a data set that cannot be read, a scenario
/// for other machines than this one)
Record run(const Case& scenario_case, const RunOptions& options);

/// Of a node's process: joins the launcher at `port` as node `id`, and takes part until it is told
/// to exit. Returns the exit status.
int node_main(int port, int id);

}  // namespace foretrain::exec
