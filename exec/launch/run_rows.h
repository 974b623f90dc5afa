// The rows of a run as its nodes report them.
#pragma once

#include "exec/launch/run.h"
#include "reports/record/collector.h"
#include "reports/record/record.h"
#include "reports/record/record_writer.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace foretrain::exec {

/// Counts rows, shows them to observers, and writes them to the folder of the run as they come.
/// Without a folder it stores them: only then the memory of a run grows with its steps. `planned`:
/// steps of all workers. One thread.
class RunRows {
 public:
  RunRows(const RunOptions& options, std::int64_t planned);

  // Errors of the folder, for example a full disk, are returned once. From then on nothing is
  // written to it; earlier rows remain. Otherwise the returned text is empty.

  /// Moves the rows out of `earlier`, the record up to the checkpoint that this run resumes from.
  void go_on_from(Record& earlier);

  /// Every node is ready, at `now` by the training's clock: not zero if it resumes from a
  /// checkpoint.
  std::string begin(const Record& record, Instant now);
  /// Takes the rows out of `record`, except its few evaluations.
  std::string take(Record& record);

  /// Writes all taken rows to the folder. Returns an error, or an empty string.
  std::string keep();
  /// True if the folder had an error.
  [[nodiscard]] bool broken() const { return !broken_.empty(); }
  /// Steps of this run, without earlier ones.
  [[nodiscard]] std::int64_t steps() const { return tally_.step_count() - before_.step_count(); }

  /// The run is over, `record` has its totals; totals that were not reported are computed from the
  /// rows. The record gets the stored rows, or their totals; the folder is completed. If that
  /// fails, a run that was done counts as failed.
  void end(Record& record);

 private:
  template <class Write>
  std::string write(Write write);
  void write_rows(const Record& record);
  void renew(const Record& record);

  const RunOptions& options_;
  std::int64_t planned_;
  RowTally tally_;
  RowTally before_;  // counts of the earlier rows
  Record earlier_;   // the earlier rows, until they are in the folder
  Record kept_;      // only its rows are used
  std::optional<RecordWriter> writer_;
  std::string broken_;  // error of the folder
  std::chrono::steady_clock::time_point began_;
  std::chrono::steady_clock::time_point renewed_;
};

}  // namespace foretrain::exec
