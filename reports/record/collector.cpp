// Rows as they come, totals as nodes end.
#include "reports/record/collector.h"

#include "reports/record/summary.h"

#include <algorithm>
#include <tuple>

namespace foretrain {
namespace {

Instant end_of_step(const StepReport& step) { return step.start + length_of(step.phases); }

}  // namespace

void StepTally::add(const StepReport& step) {
  ++totals_.steps;
  totals_.sum += step.phases;
  totals_.staleness += step.staleness;
  lengths_ns_.push_back((end_of_step(step) - step.start - step.phases.evaluate).ns);
}

StepTotals StepTally::totals() const {
  StepTotals totals = totals_;
  if (lengths_ns_.empty()) return totals;
  std::vector<std::int64_t> lengths = lengths_ns_;
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  totals.median = {*middle};
  if (lengths.size() % 2 == 0) {
    totals.median.ns = (totals.median.ns + *std::ranges::max_element(lengths.begin(), middle)) / 2;
  }
  return totals;
}

void keep_summary(Record& record) {
  if (!record.step_totals) {
    StepTally tally;
    for (const StepRow& row : record.steps) tally.add(row.report);
    record.step_totals = tally.totals();
  }
  record.steps.clear();
  record.usage.clear();
  record.inputs.clear();
}

NodeEnd end_of(const Finished& finished) {
  NodeEnd end{finished.updates,   finished.gradients,   finished.dropped,
              finished.most_lead, finished.last_update, {}};
  const Payload& weights = finished.weights;
  if (weights.size().value > 0 && weights.has_bytes()) {
    end.weights_sha256 = weights_sha256(weights.floats());
  }
  return end;
}

void add_report(Record& record, int worker, const Report& report) {
  if (const auto* step = std::get_if<StepReport>(&report)) {
    record.steps.push_back({worker, *step});
  } else {
    record.evals.push_back(std::get<EvalReport>(report));
  }
}

void add_end(Record& record, const NodeEnd& end) {
  record.updates = std::max(record.updates, end.updates);
  record.gradients = std::max(record.gradients, end.gradients);
  record.dropped = std::max(record.dropped, end.dropped);
  record.most_lead = std::max(record.most_lead, end.most_lead);
  record.time = std::max(record.time, end.last_update - Instant{});
  if (!end.weights_sha256.empty()) record.weights_sha256 = end.weights_sha256;
}

void sort_rows(Record& record) {
  std::ranges::stable_sort(record.steps, {}, [](const StepRow& row) {
    return std::tuple(end_of_step(row.report), row.worker, row.report.step);
  });
  std::ranges::stable_sort(record.evals, {}, [](const EvalReport& e) { return e.time; });
  std::ranges::stable_sort(record.usage, {},
                           [](const UsageRow& row) { return std::tuple(row.time, row.node); });
}

}  // namespace foretrain
