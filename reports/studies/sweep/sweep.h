// All cases of a scenario as rows of one table.
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
  int jobs = 1;          ///< cases at a time
  bool retry = false;    ///< cases that failed are done again
  bool records = false;  ///< keep the record of each case, in cases/NAME
  /// One case; called from `jobs` threads at once. What it throws makes the case a failed one.
  std::function<Record(const Case&)> train;
  /// Ctrl-C: nothing new is begun.
  std::function<bool()> interrupted = [] { return false; };
  /// Told after each case, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress = [](auto, auto) {};
};

struct SweepResult {
  SweepRows rows;           ///< of all shards that are in the folder
  std::size_t cases = 0;    ///< of the whole sweep
  std::int64_t found = 0;   ///< of this shard: done by an earlier start
  std::int64_t done = 0;    ///< by this one
  std::int64_t failed = 0;  ///< rows with an error, of all shards
  bool interrupted = false;
  /// Why rows could not be kept: the disk is full, say. They are among `rows` all the same, and
  /// nothing new was begun. Empty: all are on the disk.
  std::string not_kept{};

  [[nodiscard]] bool complete() const { return rows.size() == cases; }
};

/// Does the cases of the shard that are not done yet. A finished case is never done twice, however
/// the sweep ended before: its row is on the disk when the next one is begun by that thread. A case
/// that fails is a row with its error, the rest goes on. Once the rows of all cases are in the
/// folder, whichever shards, machines wrote them, sweep.csv has them in the order of the cases,
/// sweep.json the scenario's name and question, the finding, what the forecasts stand on.
///
/// A row: case (from 0), name, its settings, mode, machine, status, error, then the figures of its
/// record (flat_figures). The first case is done before the others begin, since a machine may have
/// to be measured for it.
/// @throws InputError where nothing can be written, or a row in the folder is of another scenario
SweepResult sweep_into(const std::vector<Case>& cases, const SweepOptions& options);

/// Whether what is in the folder is of these cases, in this mode, so that a sweep can go on there.
bool can_go_on(const std::vector<Case>& cases, const SweepOptions& options);
/// Moves what another sweep left in the folder into one in it (set_aside), which is returned.
std::filesystem::path set_sweep_aside(const std::filesystem::path& folder);

/// The table: its columns are those of all rows, in the order in which they first come.
std::string sweep_csv(const SweepRows& rows);

/// What the forecasts of the rows stand on, each once.
std::vector<std::string> stands_on(const SweepRows& rows);

/// What came out, for a terminal of 80 columns: the sentence that matters, failed cases.
std::string to_text(const SweepResult& result, const Shard& shard);

}  // namespace foretrain
