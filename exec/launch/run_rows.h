// What becomes of the rows of a run as its nodes report them.
#pragma once

#include "exec/launch/run.h"
#include "reports/record/collector.h"
#include "reports/record/record.h"
#include "reports/record/writer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Counts them, shows them to whoever watches, writes them to the folder of the run as they come
/// or, where it has none, keeps them: only then does the memory that a run takes here grow with its
/// steps. `planned`: steps of all workers. One thread.
class RunRows {
 public:
  RunRows(const RunOptions& options, std::int64_t planned);

  // What is wrong with the folder, once: the disk is full, say. From then on nothing is written to
  // it, what was written stays. Else nothing.

  /// The rows that came before those of this run, which goes on from a checkpoint; `earlier` has
  /// them no more.
  void go_on_from(Record& earlier);

  /// Every node is ready, at `now` by the training's clock: not zero where it goes on from a
  /// checkpoint.
  std::string begin(const Record& record, Instant now);
  /// Takes what `record` has of rows, but for its evaluations: they are few.
  std::string take(Record& record);

  /// All that was taken is in the folder. Returns what is wrong with that.
  std::string keep();
  /// Something was wrong with the folder.
  [[nodiscard]] bool broken() const { return !broken_.empty(); }
  /// That came, but for those before.
  [[nodiscard]] std::int64_t steps() const { return tally_.step_count() - before_.step_count(); }

  /// The run is over, `record` has its totals: those that nobody told come from the rows. The
  /// record gets the rows that were kept, or what they come to; the folder is ended. A folder that
  /// cannot be ended makes a run that was done a failed one.
  void end(Record& record);

 private:
  template <class Write>
  std::string write(Write write);
  void write_rows(const Record& record);
  void renew(const Record& record);

  const RunOptions& options_;
  std::int64_t planned_;
  RowTally tally_;
  RowTally before_;  // of the rows before those of this run
  Record earlier_;   // those rows, until the folder has them
  Record kept_;      // its rows alone
  std::optional<RecordWriter> writer_;
  std::string broken_;  // what went wrong with it
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point renewed_;
};

}  // namespace foretrain::exec
