// Where a training goes on from.
#pragma once

#include "exec/checkpoint/checkpoint.h"
#include "reports/record/record.h"
#include "scenarios/resolve/node_counts.h"
#include "scenarios/spec/scenario.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace foretrain::exec {

/// The newest whole checkpoint of a run, with the rows of its record that stay: steps, evaluations
/// before the cut, what was used, the inputs of all nodes up to the end of that record. Where there
/// are other servers now: nothing of those that are gone, and no inputs, which were sent to others.
struct Resumption {
  std::filesystem::path folder;  ///< of that run, absolute
  Manifest manifest;
  Record record;
  Instant ended;      ///< by the training's clock, as far as the record tells
  NodeCounts counts;  ///< of the nodes whose parts they are
  int servers = 0;    ///< now: of another number each takes what it holds of their parts

  /// Steps of all workers before the cut.
  [[nodiscard]] std::int64_t reported() const;
};

/// What an attempt at a training begins with.
struct Beginning {
  const Resumption* from = nullptr;  ///< outlives it; null: its first step
  Instant time{};                    ///< by the training's clock
  RestartTotals restarts{};          ///< before it
  /// By node: when it was not there before it.
  std::vector<std::vector<Absence>> away{};
  /// What people are told once all nodes are there, a line; empty: nothing.
  std::string told{};
};

/// The nodes of its training. @throws InputError where the checkpoint is of another training than
/// `scenario_case`, or has not the part of each of them
NodeCounts check_is_of(const Manifest& manifest, const Case& scenario_case);

/// Finds it, says on standard error which newer checkpoints it passes over, which tables lack rows.
/// `here`, `before`: as newest_checkpoint. @throws InputError where there is none, or it is of
/// another training than `scenario_case`: all but the number of servers is the same
Resumption find_resumption(const std::filesystem::path& folder, const Case& scenario_case,
                           bool here, std::int64_t before = kAnyCut);

/// The tables of a record, by their files, that lack rows from before the cut: those are written
/// before the manifest is, so they were lost since. A worker that came back right before the cut
/// may have no row of its last step.
std::vector<std::string> lost_tables(const Record& record, const Manifest& manifest);

/// The step that find_resumption would go on from, where the record in `folder` says that its run
/// has not ended. Nothing: it has, there is no whole checkpoint, or it is of another training.
std::optional<std::int64_t> step_to_go_on_from(const std::filesystem::path& folder,
                                               const Case& scenario_case, bool here);

/// `goes on from step 1500, out/checkpoints/step-1500`, with what is to be known of its numbers.
std::string where_it_goes_on(const Resumption& resumption);

}  // namespace foretrain::exec
