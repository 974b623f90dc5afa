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
/// part of a checkpoint, on a disk that the launcher may not see, the attempt is repeated from the
/// next older one; that does not count as a restart. The supervisor (models/supervision) decides
/// whether there is another attempt.
///
/// The training's clock continues from one attempt to the next, without the time until all nodes
/// are ready. Times of the record include the lost work, and past faults do not happen again.
class Restarts {
 public:
  /// The references outlive this. If another program has restarted this process (task.h), it
  /// resumes from the folder of the run, if that has a complete checkpoint. @throws InputError
  Restarts(const Case& scenario_case, const RunOptions& options);

  /// Returns the state with which the next attempt begins; `rows` continue from there. Reports it
  /// on standard error, with the number of restarts `left`. @throws InputError as find_resumption
  Beginning begin(RunRows& rows, int left);
  /// The attempt has ended with `record`, `end`; another one follows. `trained`: all its nodes
  /// were ready.
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
  bool trained_ = false;  // an attempt has trained; the folder then has checkpoints of this run
  bool reported_no_checkpoint_ = false;
  Beginning attempt_;               // beginning of the attempt that began last
  std::optional<Resumption> from_;  // its checkpoint
  // The attempt that ended last:
  std::optional<Unread> unread_;  // the checkpoint that it could not read
  bool went_back_ = false;        // it ended because of `unread_`
  // The last one that ended for another reason, by the training's clock:
  std::string failure_;  // empty if there is none
  bool waits_ = false;   // it ended because nodes wait for a lost one
  Instant began_;
  Instant ended_;
  RestartTotals restarts_;  // at its end
  std::int64_t steps_ = 0;  // of the training, at its end
};

}  // namespace foretrain::exec
