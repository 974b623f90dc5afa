// The attempts at one training, each from the newest complete checkpoint.
#pragma once

#include "exec/checkpoint/resumption.h"
#include "exec/launch/run.h"
#include "exec/launch/run_rows.h"
#include "models/supervision/supervisor.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Chooses the state with which each attempt at a training begins: the newest complete checkpoint
/// of this run, else of `RunOptions::resume`, else the first step. If a node could not read its
/// part, which the launcher may not see, the next older checkpoint is tried; that does not count as
/// a restart. The supervisor (models/supervision) decides whether there is another attempt.
///
/// The training's clock continues from one attempt to the next, without the time until all nodes
/// are ready. Times of the record include the lost work, and past faults do not happen again.
class Restarts {
 public:
  /// The references outlive this. If another program has restarted this process (task.h), it
  /// resumes from the folder of the run, if that has a complete checkpoint. @throws InputError
  Restarts(const Case& scenario_case, const RunOptions& options);

  /// The beginning of the next attempt; its rows continue there. Reports it on standard error, with
  /// the number of restarts `left`. @throws InputError as find_resumption
  Beginning begin(RunRows& rows, int left);
  /// The attempt has ended with `record`, `end`; another one follows. `trained`: all nodes were
  /// ready.
  void end(const Record& record, const supervision::EndAttempt& end, bool trained,
           const RunRows& rows);

 private:
  /// A checkpoint from which a node could not read its state.
  struct Unread {
    std::filesystem::path folder;
    std::int64_t cut = 0;
  };

  /// Only cuts in `folder` before this one may be used.
  [[nodiscard]] std::int64_t before(const std::filesystem::path& folder) const;
  [[nodiscard]] bool has_checkpoint(const std::filesystem::path& folder) const;
  [[nodiscard]] std::string where() const;
  void count_lost();
  void keep_away(const Record& record);

  const Case& case_;
  const RunOptions& options_;
  std::filesystem::path resume_;  // of another run, or of this one before its restart; may be empty
  std::optional<Resumption> from_;  // of the attempt
  std::optional<Unread> unread_;    // of the attempt
  bool went_back_ = false;          // because of `unread_`
  bool waits_ = false;              // of the attempt: the others wait for a lost node
  bool trained_ = false;            // in some attempt; the folder then has checkpoints of this run
  Beginning attempt_;
  std::string failure_;        // of the attempt; empty before the first one
  Instant began_;              // begin of that attempt, by the training's clock
  RestartTotals restarts_;     // until its end
  std::int64_t steps_ = 0;     // steps of the training at its end
  Instant ended_;              // end of the attempt, by the training's clock
  bool told_nothing_ = false;  // it is reported that there are no checkpoints
};

}  // namespace foretrain::exec
