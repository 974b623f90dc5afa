// Writes the folder of a record, of a run also while it grows.
#pragma once

#include "reports/record/append_file.h"
#include "reports/record/downsampled.h"
#include "reports/record/record.h"
#include "reports/record/record_csv.h"
#include "reports/record/run_json.h"
#include "reports/record/tensorboard.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace foretrain {

/// The only writer of records, into an existing folder: of a run as its rows arrive, of a
/// simulation all at once. If the writer was killed, or is still at work, the folder can be read up
/// to that point (files.h). To be used from one thread.
///
/// Every call may throw InputError that names the file, such as for a full disk. The files written
/// before remain, and read as an interrupted record.
class RecordWriter {
 public:
  /// Rows are written at most `interval` after they were added, if further rows arrive.
  RecordWriter(std::filesystem::path folder, RowsKept kept,
               std::chrono::nanoseconds interval = std::chrono::seconds(1));

  /// To be called first: removes the files of an older record, writes the titles of tables. `zero`:
  /// wall time of a run's time zero, used by its event file only (tensorboard_events); left out,
  /// there is no date.
  void begin(WallTime zero = {});
  /// Writes run.json before the end: what is trained and where, its progress, no row counts.
  void renew(const Record& record);
  /// Appends the steps, usage, inputs of `rows`, and those of its evaluations that are new.
  void add(const Record& rows);
  /// Writes all rows that were added.
  void flush();
  /// To be called after the last row: writes the final run.json, timeline.json, tensorboard/. If
  /// `record` lacks rows, they are read back from the files, in parts if there are very many.
  void end(const Record& record);

 private:
  /// A table that grows.
  struct Table {
    std::unique_ptr<AppendFile> file;
    CsvWriter csv;
    std::size_t rows = 0;

    void flush();
  };

  void write_views(const Record& record, const Steps& steps);

  std::filesystem::path folder_;
  RowsKept kept_;
  std::chrono::nanoseconds interval_;
  WallTime zero_;
  Table steps_;
  Table evals_;
  Table usage_;
  std::unique_ptr<AppendFile> inputs_file_;  // null until there is an input
  std::string inputs_;                       // rows that are not in the file yet
  std::uint64_t inputs_rows_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace foretrain
