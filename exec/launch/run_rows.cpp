#include "exec/launch/run_rows.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kRenewal = std::chrono::seconds(1);

template <class Row>
void append(std::vector<Row>& to, const std::vector<Row>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Totals that a node reported itself cover only its last process.
void add_to(NodeTotals& totals, const NodeTotals& earlier) {
  totals.cpu_s += earlier.cpu_s;
  totals.rss = std::max(totals.rss, earlier.rss);
  totals.tx += earlier.tx;
  totals.rx += earlier.rx;
}

}  // namespace

template <class Write>
std::string RunRows::write(Write write) {
  if (!writer_ || !broken_.empty()) return {};
  try {
    write();
  } catch (const InputError& error) {
    broken_ = fmt::format("{}; rows written so far are kept", error.what());
  }
  return broken_;
}

RunRows::RunRows(const RunOptions& options, std::int64_t planned)
    : options_(options), planned_(planned) {
  if (!options.folder.empty()) writer_.emplace(options.folder, options.rows);
}

void RunRows::go_on_from(Record& earlier) {
  tally_.add(earlier);
  before_.add(earlier);
  Record& rows = writer_ ? earlier_ : kept_;
  rows.steps = std::move(earlier.steps);
  rows.usage = std::move(earlier.usage);
  rows.inputs = std::move(earlier.inputs);
  earlier_.evals = earlier.evals;
  if (options_.rows == RowsKept::summary) kept_ = {};
}

std::string RunRows::begin(const Record& record, Instant now) {
  began_ = renewed_ = Clock::now();
  const WallTime wall = std::chrono::system_clock::now();
  return write([&] {
    writer_->begin(wall - std::chrono::nanoseconds(now.ns));
    writer_->add(earlier_);
    earlier_ = {};
    writer_->flush();
    renew(record);
  });
}

std::string RunRows::keep() {
  return write([&] { writer_->flush(); });
}

std::string RunRows::take(Record& record) {
  tally_.add(record);
  if (options_.watch) options_.watch(record, planned_);
  if (options_.progress && !record.steps.empty()) {
    const auto passed = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began_);
    options_.progress(tally_.step_count(), planned_, {passed.count()});
  }
  std::string wrong = write([&] { write_rows(record); });
  if (!writer_ && options_.rows == RowsKept::all) {
    append(kept_.steps, record.steps);
    append(kept_.usage, record.usage);
    append(kept_.inputs, record.inputs);
  }
  record.steps.clear();
  record.usage.clear();
  record.inputs.clear();
  return wrong;
}

void RunRows::write_rows(const Record& record) {
  if (began_ == Clock::time_point()) return;  // there are no rows yet
  writer_->add(record);
  // For a summary only run.json shows the progress.
  if (options_.rows == RowsKept::summary && Clock::now() - renewed_ >= kRenewal) renew(record);
}

void RunRows::renew(const Record& record) {
  renewed_ = Clock::now();
  Record so_far = record;
  so_far.outcome = Outcome::interrupted;
  so_far.failure = "it is unfinished: its program was killed or is still running";
  tally_.fill_in(so_far);
  so_far.step_totals = tally_.steps();
  writer_->renew(so_far);
}

void RunRows::end(Record& record) {
  for (std::size_t i = 0; i < std::min(before_.nodes().size(), record.nodes.size()); ++i) {
    const bool told = record.nodes[i].cpu_s > 0 || record.nodes[i].rss > Bytes{};
    if (told) add_to(record.nodes[i], before_.nodes()[i]);
  }
  tally_.fill_in(record);
  if (writer_ || options_.rows == RowsKept::summary) {
    record.step_totals = tally_.steps();
  } else {
    record.steps = std::move(kept_.steps);
    record.usage = std::move(kept_.usage);
    record.inputs = std::move(kept_.inputs);
  }
  sort_rows(record);
  std::string wrong = broken_;
  if (broken_.empty()) {
    wrong = write([&] {
      if (began_ == Clock::time_point()) {
        writer_->begin();
        writer_->add(earlier_);  // so that a run can still resume from the folder
      }
      writer_->end(record);
    });
  }
  if (wrong.empty() || record.outcome != Outcome::done) return;  // the first error is reported
  record.outcome = Outcome::failed;
  record.failure = wrong;
}

}  // namespace foretrain::exec
