// The attempts at one training, each from the newest whole checkpoint.
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

/// Chooses what each attempt at a training goes on from: the newest whole checkpoint of this run,
/// else of `RunOptions::resume`, else the first step. If a node could not read its part, which the
/// launcher need not see, the next older checkpoint is tried; that is no restart. The supervisor
/// (models/supervision) decides whether there is another attempt.
///
/// The training's clock goes on from one attempt to the next, but for the time until all nodes are
/// ready. Times of the record include the lost work, and a fault that has passed happens no more.
class Restarts {
 public:
  /// Both outlive it. Somebody else who has started this process again (task.h) wants the folder of
  /// the run gone on from, where it has a whole checkpoint. @throws InputError
  Restarts(const Case& scenario_case, const RunOptions& options);

  /// What the next attempt begins with; its rows go on from there. Says so on standard error, with
  /// the restarts that are `left`. @throws InputError as find_resumption
  Beginning begin(RunRows& rows, int left);
  /// The attempt has ended with `record`, `end`; another one follows. `trained`: all nodes were
  /// ready.
  void end(const Record& record, const supervision::EndAttempt& end, bool trained,
           const RunRows& rows);

 private:
  /// That a node could not read its state of.
  struct Unread {
    std::filesystem::path folder;
    std::int64_t cut = 0;
  };

  /// Of the cuts in `folder` those before this one may be gone on from.
  [[nodiscard]] std::int64_t before(const std::filesystem::path& folder) const;
  [[nodiscard]] bool has_checkpoint(const std::filesystem::path& folder) const;
  [[nodiscard]] std::string where() const;
  void count_lost();
  void keep_away(const Record& record);

  const Case& case_;
  const RunOptions& options_;
  std::filesystem::path resume_;  // of another run, or this one's before it was ended; may be empty
  std::optional<Resumption> from_;  // of the attempt
  std::optional<Unread> unread_;    // of the attempt
  bool went_back_ = false;          // for that
  bool waits_ = false;              // of the attempt: the others wait for who is gone
  bool trained_ = false;            // some attempt; what is in the folder is of this run
  Beginning attempt_;
  std::string failure_;        // of the attempt; empty: there was none before
  Instant began_;              // that attempt, by the training's clock
  RestartTotals restarts_;     // until its end
  std::int64_t steps_ = 0;     // of the training, that the attempt had come to
  Instant ended_;              // the attempt, by the training's clock
  bool told_nothing_ = false;  // that there are no checkpoints
};

}  // namespace foretrain::exec
