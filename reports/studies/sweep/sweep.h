// Sweep: all cases of a scenario as rows of one table.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/sweep/journal.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

struct SweepOptions {
  std::filesystem::path folder;
  Mode mode = Mode::simulate;
  Shard shard;
  int jobs = 1;          ///< cases that are trained at the same time
  bool retry = false;    ///< repeat failed cases
  bool records = false;  ///< write the record of each case to cases/NAME
  /// Trains one case; called from `jobs` threads at once. An exception marks the case as failed.
  std::function<Record(const Case&)> train;
  /// True after Ctrl-C: no further case is started.
  std::function<bool()> interrupted = [] { return false; };
  /// Called after each case, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

struct SweepResult {
  SweepRows rows;           ///< of all shards in the folder
  std::size_t cases = 0;    ///< cases of the whole sweep
  std::int64_t found = 0;   ///< cases of this shard that an earlier start finished
  std::int64_t done = 0;    ///< cases that this start finished
  std::int64_t failed = 0;  ///< rows with an error, of all shards
  bool interrupted = false;
  /// Why rows could not be written, such as a full disk; no case was started afterwards. Such rows
  /// are in `rows`, too. Empty if all rows are on the disk.
  std::string not_kept{};

  [[nodiscard]] bool complete() const { return rows.size() == cases; }
};

/// Trains the cases of the shard that have no row yet. A finished case is never repeated, however
/// the sweep ended before: its row is on the disk before that thread starts another case. A failed
/// case becomes a row with its error, and the sweep continues. Once the folder has the rows of all
/// cases, from any shards and machines, sweep.csv lists them in the order of the cases; sweep.json
/// has the scenario's name and question, the finding, the bases of the forecasts.
///
/// Columns of a row: case (from 0), name, its settings, mode, machine, status, error, then the
/// figures of its record (flat_figures). The first case is trained before the others start, since
/// the machine may have to be calibrated for it.
/// @throws InputError if nothing can be written, or if a row in the folder is of another scenario
SweepResult sweep_into(const std::vector<Case>& cases, const SweepOptions& options);

/// Whether all rows in the folder are of these cases in this mode, so that the sweep can continue.
bool can_go_on(const std::vector<Case>& cases, const SweepOptions& options);
/// Moves another sweep's files into a subfolder (set_aside), whose path is returned.
std::filesystem::path set_sweep_aside(const std::filesystem::path& folder);

/// The table. Its columns are those of all rows, in the order of their first occurrence.
std::string sweep_csv(const SweepRows& rows);

/// The bases of the rows' forecasts, each once.
std::vector<std::string> stands_on(const SweepRows& rows);

/// A summary for a terminal of 80 columns: number of finished cases, then failed cases.
std::string to_text(const SweepResult& result, const Shard& shard);

}  // namespace foretrain
