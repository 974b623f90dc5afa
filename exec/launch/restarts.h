// The attempts at one training, each from the newest whole checkpoint.
#pragma once

#include "exec/checkpoint/resumption.h"
#include "exec/launch/run.h"
#include "exec/launch/run_rows.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace foretrain::exec {

/// `2 restarts are left`.
std::string how_many_left(int restarts);

/// How an attempt has ended, beside its record.
struct AttemptEnd {
  std::optional<std::chrono::steady_clock::time_point> down_since{};  ///< Launcher::down_since
  int left = 0;                                                       ///< Launcher::restarts_left
  bool no_part = false;                                               ///< Launcher::no_part
  bool goes_back = false;                                             ///< Launcher::goes_back
  bool waits = false;                                                 ///< Launcher::waits
};

/// Where a node is gone that the others cannot do without, all of them are ended, and all begin
/// again, as torchrun's elastic agent does it: whoever is left stands at another step than the
/// checkpoint, so it would have to be set back as well. A worker that the others can do without is
/// started again alone where its strategy takes it back (launcher_return.cpp); that is one of the
/// times that something may be started again, too. With `training.rejoin_limit` the processes of
/// the others stay, and wait for the one that is gone (launcher_again.cpp): another attempt all the
/// same, which takes one of those times unless a fault, or who started the tasks, starts it again.
///
/// An attempt goes on from the checkpoints of this run, else from those of `RunOptions::resume`,
/// else it begins with the first step. Where a node could not read its state of the newest of them,
/// which the launcher need not see, the next one before it is tried; that is no restart. The
/// training's clock goes on meanwhile, but for the time until all nodes are ready: what was lost is
/// in the times of the record, and what `faults:` says of a time that has passed does not happen
/// twice. A signal between two attempts ends the run as one during an attempt does
/// (reports/record/interruption.h).
class Restarts {
 public:
  /// Both outlive it. Somebody else who has started this process again (task.h) wants the folder of
  /// the run gone on from, where it has a whole checkpoint. @throws InputError
  Restarts(const Case& scenario_case, const RunOptions& options);

  /// What the next attempt begins with; its rows go on from there. Says so on standard error.
  /// @throws InputError as find_resumption
  Beginning begin(RunRows& rows);
  /// The attempt has ended with `record`, `end`. False: that is the end, no other is to be made, or
  /// may be.
  bool again(const Record& record, const AttemptEnd& end, RunRows& rows);

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
  int left_;
  std::optional<Resumption> from_;  // of the attempt
  std::optional<Unread> unread_;    // of the attempt
  bool went_back_ = false;          // for that
  bool waits_ = false;              // of the attempt: the others wait for who is gone
  Beginning attempt_;
  std::string failure_;        // of the attempt; empty: there was none before
  Instant began_;              // that attempt, by the training's clock
  RestartTotals restarts_;     // until its end
  std::int64_t steps_ = 0;     // of the training, that the attempt had come to
  Instant ended_;              // the attempt, by the training's clock
  bool told_nothing_ = false;  // that there are no checkpoints
};

}  // namespace foretrain::exec
