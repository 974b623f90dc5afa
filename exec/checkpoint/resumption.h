// The state that a training resumes from.
#pragma once

#include "exec/checkpoint/checkpoint.h"
#include "reports/record/record.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace foretrain::exec {

/// The newest complete checkpoint of a run, with the rows of its record that remain: steps and
/// evaluations before the cut, usage, and inputs of all nodes up to the end of that record. If the
/// number of servers has changed, rows of removed servers and all inputs are left out.
struct Resumption {
  std::filesystem::path folder;  ///< of that run, absolute
  Manifest manifest;
  Record record;
  Instant ended;      ///< by the training's clock, as far as the record shows
  NodeCounts counts;  ///< of the nodes that wrote the parts
  int servers = 0;    ///< present number; if it differs, each server takes what it holds now

  /// Steps of all workers before the cut.
  [[nodiscard]] std::int64_t reported() const;
};

/// Initial state of an attempt at a training.
struct Beginning {
  const Resumption* from = nullptr;  ///< outlives this; null for the first step
  Instant time{};                    ///< by the training's clock
  RestartTotals restarts{};          ///< totals of earlier attempts
  /// By node: its absences in earlier attempts.
  std::vector<std::vector<Absence>> away{};
  /// A line for the user once all nodes have joined; empty if there is none.
  std::string told{};
};

/// Returns the node counts of the checkpoint's training. @throws InputError if the checkpoint is of
/// another training than `scenario_case`, or lacks the part of a node
NodeCounts check_is_of(const Manifest& manifest, const Case& scenario_case);

/// Finds the checkpoint to resume from. Reports on standard error the newer checkpoints that it
/// passes over, and the tables that lack rows. `here`, `before`: as newest_checkpoint.
/// @throws InputError if there is none, or it is of another training than `scenario_case`: only the
/// number of servers may differ
Resumption find_resumption(const std::filesystem::path& folder, const Case& scenario_case,
                           bool here, std::int64_t before = kAnyCut);

/// The file names of the record's tables that lack rows from before the cut. Rows are written
/// before the manifest, so they were lost later. A worker that returned right before the cut may
/// have no row of its last step.
std::vector<std::string> lost_tables(const Record& record, const Manifest& manifest);

/// The step at which find_resumption would resume, if the record in `folder` says that its run has
/// not ended; nullopt if it has ended, there is no complete checkpoint, or it is of another
/// training.
std::optional<std::int64_t> step_to_go_on_from(const std::filesystem::path& folder,
                                               const Case& scenario_case, bool here);

/// `continues from step 1500, out/checkpoints/step-1500`, and a change of the servers' number.
std::string where_it_goes_on(const Resumption& resumption);

}  // namespace foretrain::exec
