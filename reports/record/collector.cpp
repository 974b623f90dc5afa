// Rows as they come, totals as nodes end.
#include "reports/record/collector.h"

#include "reports/record/summary.h"

#include <algorithm>
#include <tuple>

namespace foretrain {
namespace {

Instant end_of_step(const StepReport& step) {
  const Phases& p = step.phases;
  return step.start + p.compute + p.push + p.wait + p.apply + p.pull + p.evaluate;
}

}  // namespace

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
