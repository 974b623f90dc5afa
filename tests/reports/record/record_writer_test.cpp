// Growing records after the writer was killed, or on a full disk.
#include "reports/record/record_writer.h"

#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/tensorboard.h"
#include "reports/record/timeline.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"
#include "tests/support/half_written.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <functional>
#include <string>

namespace foretrain {
namespace {

using namespace testing;
using namespace literals;
namespace fs = std::filesystem;

/// A run of two workers and a server, with this many steps of each and one input per step.
Record long_record(std::int64_t steps) {
  Record record = small_record(Mode::run, "sync");
  record.steps.clear();
  record.inputs.resize(1);
  for (std::int64_t step = 0; step < steps; ++step) {
    for (int worker = 0; worker < 2; ++worker) {
      const Instant start = Instant{} + 10_ms * step;
      record.steps.push_back({worker, {{step}, start, {5_ms, 1_ms, 1_ms, 1_ms, 2_ms}, 0, 1.5}});
    }
    InputRow& input = record.inputs.emplace_back();
    input.kind = InputRow::Kind::computed;
    input.time = Instant{} + 10_ms * step;
    input.id = 1;
  }
  sort_rows(record);
  return record;
}

/// The record without the rows that grow with its steps.
Record without_rows(Record record) {
  record.steps.clear();
  record.usage.clear();
  record.inputs.clear();
  return record;
}

Record rows_of(const Record& record, std::size_t from, std::size_t to) {
  Record rows = without_rows(record);
  rows.steps.assign(record.steps.begin() + static_cast<std::ptrdiff_t>(from),
                    record.steps.begin() + static_cast<std::ptrdiff_t>(to));
  return rows;
}

/// Leaves the files of a writer that was killed after all rows.
void write_without_end(const Record& record, const fs::path& folder) {
  RecordWriter writer(folder, RowsKept::all, {});
  writer.begin();
  Record head = without_rows(record);
  for (NodeTotals& node : head.nodes) node = {node.role, node.host, node.core, 0, {}, {}, {}};
  head.updates = head.gradients = 0;
  head.time = {};
  head.evals.clear();
  writer.renew(head);
  writer.add(record);
}

void cut(const fs::path& file, std::uintmax_t size) { fs::resize_file(file, size); }

}  // namespace

TEST_CASE("record writer: rows that come one by one read back as those that come at once") {
  const Record record = long_record(50);
  const TemporaryFolder folder;
  RecordWriter writer(folder.path(), RowsKept::all, {});
  writer.begin();
  writer.renew(without_rows(record));
  for (std::size_t i = 0; i < record.steps.size(); i += 5) writer.add(rows_of(record, i, i + 5));
  Record rest = record;
  rest.steps.clear();
  writer.add(rest);
  Record totals = without_rows(record);
  StepTally tally;
  for (const StepRow& row : record.steps) tally.add(row.report, row.worker);
  totals.step_totals = tally.totals();
  writer.end(totals);
  const Record read = read_record(folder.path());
  CHECK(read == record);
  CHECK(read.inputs == record.inputs);
  write_record(record, folder.path() / "at once");
  for (const std::string& name : files_beside_run()) {
    CAPTURE(name);
    CHECK(read_text(folder.path() / name) == read_text(folder.path() / "at once" / name));
  }
  CHECK(read_text(folder.path() / kRunFile) == read_text(folder.path() / "at once" / kRunFile));
}

TEST_CASE("record writer: of a run that has a date its event file alone tells it") {
  const Record record = long_record(5);
  const TemporaryFolder folder;
  RecordWriter writer(folder.path(), RowsKept::all, {});
  const WallTime zero{std::chrono::seconds(1'700'000'000)};
  writer.begin(zero);
  writer.add(record);
  writer.end(record);
  CHECK(read_text(folder.path() / kTensorboardFile) == tensorboard_events(record, zero));
  write_record(record, folder.path() / "undated");
  for (const std::string& name : files_beside_run()) {
    CAPTURE(name);
    const bool same =
        read_text(folder.path() / name) == read_text(folder.path() / "undated" / name);
    CHECK(same == (name != kTensorboardFile));
  }
}

TEST_CASE("record: steps that are read part by part are those that are read at once") {
  const Record record = long_record(30);
  const TemporaryFolder folder;
  write_record(record, folder.path());
  for (const std::size_t part : {1U, 7U, 150U, 1'000U, 1U << 20U}) {
    CAPTURE(part);
    const Steps steps = [&](const std::function<void(const StepRow&)>& look) {
      read_steps(folder.path(), look, part);
    };
    Record read = record;
    read.steps.clear();
    steps([&](const StepRow& row) { read.steps.push_back(row); });
    CHECK(read == record);
    Record other = record;
    other.steps.clear();
    CHECK(timeline_json(other, steps) == timeline_json(record));
    CHECK(tensorboard_events(other, steps) == tensorboard_events(record));
  }
}

TEST_CASE("record writer: rows out of order read back in order") {
  const Record record = long_record(10);
  const TemporaryFolder folder;
  RecordWriter writer(folder.path(), RowsKept::all, {});
  writer.begin();
  writer.add(rows_of(record, 10, 20));
  Record rest = record;
  rest.steps.resize(10);
  writer.add(rest);
  writer.end(record);
  CHECK(read_record(folder.path()) == record);
}

TEST_CASE("record writer: a record without an end was interrupted where its rows end") {
  const Record record = long_record(40);
  const TemporaryFolder folder;
  write_without_end(record, folder.path());
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::interrupted);
  CHECK(read.failure.find("interrupted at step 40: ") == 0);
  CHECK(read.steps.size() == 80);
  CHECK(read.inputs == record.inputs);
  CHECK(read.evals.size() == record.evals.size());
  CHECK(read.gradients == 80);
  CHECK(read.updates == 40);
  CHECK(read.time == 400_ms);
  CHECK(read.nodes[0].tx == Bytes{300});
  CHECK(read.nodes[0].rx == Bytes{350});
  CHECK(read.nodes[0].cpu_s == Approx(0.05));
  CHECK(read.nodes[0].rss == Bytes{900'000});
}

TEST_CASE("record writer: a record without an end may be cut anywhere") {
  const Record record = long_record(3);
  const TemporaryFolder folder;
  for (const char* name : {kStepsFile, kUsageFile, kEvalsFile, kInputsFile}) {
    write_without_end(record, folder.path());
    const auto whole = fs::file_size(folder.path() / name);
    const auto least = name == std::string(kInputsFile) ? 16 : 0;
    for (auto size = static_cast<std::int64_t>(whole); size-- > least;) {
      CAPTURE(name, size);
      cut(folder.path() / name, static_cast<std::uintmax_t>(size));
      const Record read = read_record(folder.path());
      CHECK(read.outcome == Outcome::interrupted);
      CHECK(read.steps.size() <= record.steps.size());
    }
    fs::remove(folder.path() / name);
    CHECK(read_record(folder.path()).outcome == Outcome::interrupted);
  }
}

TEST_CASE("record writer: a summary that has not ended says how far it was") {
  Record record = long_record(40);
  keep_summary(record);
  const TemporaryFolder folder;
  RecordWriter writer(folder.path(), RowsKept::summary, {});
  writer.begin();
  writer.renew(record);
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::interrupted);
  CHECK(read.failure.find("interrupted at step 40: ") == 0);
  CHECK(read.step_totals->steps == 80);
  writer.add(record);
  writer.end(record);
  CHECK(read_record(folder.path()) == record);
  CHECK_FALSE(fs::exists(folder.path() / kStepsFile));
}

TEST_CASE("record writer: a full disk is named, what was written stays, nothing is left beside") {
  const Record record = long_record(200);
  const TemporaryFolder folder;
  {
    RecordWriter writer(folder.path(), RowsKept::all, {});
    writer.begin();
    writer.renew(without_rows(record));
    const SmallFiles full(8'192);
    CHECK_THROWS_WITH(writer.add(record), Catch::Contains("steps.csv: cannot write: "));
  }
  const Record read = read_record(folder.path());
  CHECK(read.outcome == Outcome::interrupted);
  CHECK(read.steps.size() > 50);
  CHECK(read.steps.size() < 200);
  CHECK(half_written(folder.path()).empty());
}

TEST_CASE("record: a full disk leaves the older record as it was, nothing beside it") {
  const Record older = small_record(Mode::simulate, "sync");
  const TemporaryFolder folder;
  write_record(older, folder.path());
  {
    const SmallFiles full(8'192);
    CHECK_THROWS_WITH(write_record(long_record(200), folder.path()),
                      Catch::Contains("steps.csv: cannot write: "));
    CHECK_THROWS_AS(write_text_file(folder.path() / "file", std::string(10'000, 'x')), InputError);
  }
  CHECK(read_record(folder.path()) == older);
  const fs::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 6);
}

}  // namespace foretrain
