#include "reports/record/record_writer.h"

#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/inputs.h"
#include "reports/record/provenance.h"
#include "reports/record/record_tables.h"
#include "reports/record/tensorboard.h"
#include "reports/record/timeline.h"

#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostHeld = 1U << 20U;  // bytes of a file that are buffered
constexpr std::size_t kMostRead = 1'000'000;  // steps that are read at once: 90 MB

}  // namespace

void RecordWriter::Table::flush() {
  if (!file) return;
  file->append(csv.written());
  csv.forget();
}

RecordWriter::RecordWriter(fs::path folder, RowsKept kept, std::chrono::nanoseconds interval)
    : folder_(std::move(folder)),
      kept_(kept),
      interval_(interval),
      steps_{{}, steps_table()},
      evals_{{}, evals_table()},
      usage_{{}, usage_table()} {}

void RecordWriter::begin(WallTime zero) {
  zero_ = zero;
  std::error_code ignored;  // a failure to remove is reported by the later write
  fs::remove(folder_ / kRunFile, ignored);
  for (const std::string& name : files_beside_run()) fs::remove(folder_ / name, ignored);
  fs::remove(folder_ / kProvenanceFile, ignored);
  fs::remove(fs::path(folder_ / kTensorboardFile).parent_path(), ignored);  // if it is empty
  const auto open = [&](Table& table, const char* name) {
    table.file = std::make_unique<AppendFile>(folder_ / name);
    table.flush();
  };
  if (kept_ == RowsKept::all) {
    open(steps_, kStepsFile);
    open(usage_, kUsageFile);
  }
  open(evals_, kEvalsFile);
  flushed_ = Clock::now();
}

void RecordWriter::renew(const Record& record) {
  write_text_file(folder_ / kRunFile, run_json(record, kept_, {}));
}

void RecordWriter::add(const Record& rows) {
  const auto add_to = [](Table& table, const auto& row) {
    add_row(table.csv, row);
    ++table.rows;
    if (table.csv.written().size() > kMostHeld) table.flush();
  };
  if (kept_ == RowsKept::all) {
    for (const StepRow& row : rows.steps) add_to(steps_, row);
    for (const UsageRow& row : rows.usage) add_to(usage_, row);
    for (const InputRow& row : rows.inputs) append_row(inputs_, row);
    inputs_rows_ += rows.inputs.size();
  }
  while (evals_.rows < rows.evals.size()) add_to(evals_, rows.evals[evals_.rows]);
  if (Clock::now() - flushed_ >= interval_ || inputs_.size() > kMostHeld) flush();
}

void RecordWriter::flush() {
  flushed_ = Clock::now();
  for (Table* table : {&steps_, &usage_, &evals_}) table->flush();
  if (inputs_.empty()) return;
  if (!inputs_file_) {
    inputs_file_ = std::make_unique<AppendFile>(folder_ / kInputsFile);
    inputs_file_->append(inputs_head({}));
  }
  inputs_file_->append(inputs_);
  inputs_.clear();
}

void RecordWriter::end(const Record& record) {
  flush();
  if (inputs_file_) inputs_file_->put_first(inputs_head(inputs_rows_));
  const RowCounts rows{steps_.rows, evals_.rows, usage_.rows};
  write_text_file(folder_ / kRunFile, run_json(record, kept_, rows));
  if (record.steps.size() == steps_.rows && record.usage.size() == usage_.rows) {
    return write_views(record, steps_of(record));
  }
  Record shown = record;
  shown.usage = parse_usage(read_text_file(folder_ / kUsageFile), kUsageFile);
  if (steps_.rows <= kMostRead) {
    shown.steps = parse_steps(read_text_file(folder_ / kStepsFile), kStepsFile);
    sort_rows(shown);
    return write_views(shown, steps_of(shown));
  }
  sort_rows(shown);
  write_views(shown, [&](const auto& look) { read_steps(folder_, look); });
}

void RecordWriter::write_views(const Record& record, const Steps& steps) {
  if (kept_ == RowsKept::all) {
    write_text_file(folder_ / kTimelineFile, timeline_json(record, steps));
  }
  const std::string events = tensorboard_events(record, steps, zero_);
  if (events.empty()) return;
  const fs::path place = folder_ / kTensorboardFile;
  std::error_code error;
  fs::create_directories(place.parent_path(), error);  // a failure is reported by the write
  write_text_file(place, events);
}

}  // namespace foretrain
