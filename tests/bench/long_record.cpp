#include "tests/bench/long_record.h"

#include "reports/record/files.h"
#include "reports/record/record_writer.h"
#include "reports/show/page/page_report.h"
#include "scenarios/resolve/read.h"
#include "tests/support/temp_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <stdexcept>

namespace foretrain::bench {
namespace {

namespace fs = std::filesystem;

constexpr int kWorkers = 2;
constexpr std::int64_t kPart = 1'000;  // steps per part
constexpr Duration kStep{1'000'000};

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double megabytes_in(const fs::path& folder) {
  double bytes = 0;
  for (const auto& each : fs::recursive_directory_iterator(folder)) {
    if (each.is_regular_file()) bytes += static_cast<double>(each.file_size());
  }
  return bytes / 1e6;
}

Result part_of(std::int64_t steps, const char* what, double time_s, double size_mb) {
  Result row =
      result_of(fmt::format("long_record/{}/{}", steps, what), "s", Better::less, {time_s});
  row.note = fmt::format("{:.1f} MB", size_mb);
  return row;
}

/// The record without its rows.
Record head_of(std::int64_t steps) {
  Record record;
  record.scenario_case =
      parse_scenario(fmt::format("{{foretrain: 1, name: long, training: {{strategy: sync, workers: "
                                 "{}, steps: {}}}}}",
                                 kWorkers, steps / kWorkers),
                     "long")
          .front();
  record.machine = "bench";
  record.time = kStep * (steps / kWorkers);
  record.updates = steps / kWorkers;
  record.gradients = steps;
  for (const char* role : {"worker0", "worker1", "server0"}) {
    record.nodes.emplace_back().role = role;
  }
  return record;
}

void write(const Record& record, const fs::path& folder) {
  prepare_folder(folder);
  RecordWriter writer(folder, RowsKept::all);
  writer.begin();
  writer.renew(record);
  for (std::int64_t first = 0; first < record.gradients; first += kPart) {
    Record rows;
    for (std::int64_t i = first; i < std::min(first + kPart, record.gradients); ++i) {
      StepRow row;
      row.worker = static_cast<int>(i % kWorkers);
      row.report.step = {i / kWorkers};
      row.report.start = Instant{} + kStep * (i / kWorkers);
      row.report.phases.compute = {600'000 + i % 1'000};
      row.report.phases.wait = {200'000 - i % 1'000};
      row.report.phases.pull = {200'000};
      row.report.loss = 1.0 / static_cast<double>(i + 1);
      rows.steps.push_back(row);
    }
    writer.add(rows);
  }
  writer.end(record);
}

}  // namespace

void long_record(std::int64_t steps, Report& report) {
  const TempFolder folder;
  const fs::path run = folder / "run";
  const fs::path page = folder / "page";
  const Record record = head_of(steps);
  const double written_s = seconds_of([&] { write(record, run); });
  report.add(part_of(steps, "written", written_s, megabytes_in(run)));
  Found found;
  const double read_s = seconds_of([&] { add_folder(run, found); });
  if (std::ssize(found.records.at(0).steps) != steps) {
    throw std::runtime_error("the record has not the steps that were written");
  }
  report.add(part_of(steps, "read", read_s, megabytes_in(run)));
  const double reported_s = seconds_of([&] {
    fs::create_directories(page);
    write_page(page_of(found), page, true);
  });
  report.add(part_of(steps, "reported", reported_s, megabytes_in(page)));
}

}  // namespace foretrain::bench
