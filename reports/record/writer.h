// Writes the folder of a record while its training goes on.
#pragma once

#include "reports/record/append_file.h"
#include "reports/record/csv.h"
#include "reports/record/record.h"
#include "reports/record/run_json.h"
#include "reports/record/shown.h"
#include "reports/record/tensorboard.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace foretrain {

/// The one way in which a record gets into its folder, which is there: of a run as its rows come,
/// of a simulation all at once. A folder that was begun and has not ended, because its writer was
/// killed or is still at it, is read as far as it goes (files.h). One thread.
///
/// Every call may throw InputError, which names the file: the disk is full, say. What was written
/// stays then, and reads as a record that was interrupted.
class RecordWriter {
 public:
  /// Rows are in their files `interval` after they were added, as long as others come.
  RecordWriter(std::filesystem::path folder, RowsKept kept,
               std::chrono::nanoseconds interval = std::chrono::seconds(1));

  /// Before anything else: what an older record left in the folder goes, tables have their titles.
  /// `zero`: when the times of a run are zero, which its event file alone tells
  /// (tensorboard_events); left out, there is no date.
  void begin(WallTime zero = {});
  /// Until the end: run.json says what is trained, where, how far it is, and that it has not ended.
  void renew(const Record& record);
  /// Appends the steps, usage, inputs that `rows` has, and those of its evaluations that have come
  /// since the last call.
  void add(const Record& rows);
  /// What was added is in the files.
  void flush();
  /// After the last row: run.json as it stays, timeline.json, tensorboard/. Where `record` has not
  /// the rows itself, they are read back, very many of them part by part.
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
  std::unique_ptr<AppendFile> inputs_file_;  // null: there was none yet
  std::string inputs_;                       // not yet in it
  std::uint64_t inputs_rows_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace foretrain
