// Collects rows as they arrive, totals as nodes end.
#include "reports/record/collector.h"

#include "reports/record/summary.h"
#include "scenarios/resolve/gradient_counts.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <tuple>

namespace foretrain {
namespace {

constexpr std::size_t kMostNodes = 1'000'000;

Instant end_of_step(const StepReport& step) { return step.start + length_of(step.phases); }

// Histogram buckets: each length below 2^kBits ns has its own; longer ones share a bucket if their
// first kBits bits are equal.
constexpr int kBits = 11;
constexpr std::size_t kHalf = std::size_t{1} << (kBits - 1);
constexpr std::size_t kBuckets = (63 - kBits + 2) * kHalf;

std::size_t bucket_of(std::int64_t ns) {
  const auto length = static_cast<std::uint64_t>(std::max<std::int64_t>(ns, 0));
  const int shift = std::max(static_cast<int>(std::bit_width(length)) - kBits, 0);
  return static_cast<std::size_t>(shift) * kHalf + static_cast<std::size_t>(length >> shift);
}

Duration middle_of(std::size_t bucket) {
  if (bucket < 2 * kHalf) return {static_cast<std::int64_t>(bucket)};
  const std::size_t shift = bucket / kHalf - 1;
  const std::uint64_t first = static_cast<std::uint64_t>(bucket - shift * kHalf) << shift;
  return {static_cast<std::int64_t>(first + (std::uint64_t{1} << shift) / 2)};
}

}  // namespace

void StepTally::add(const StepReport& step, int worker) {
  const auto index = static_cast<std::size_t>(std::max(worker, 0));
  if (index >= totals_.by_worker.size() && index < kMostNodes) totals_.by_worker.resize(index + 1);
  if (index < kMostNodes) ++totals_.by_worker[index];
  if (totals_.steps == 0) totals_.first_loss = step.loss;
  totals_.last_loss = step.loss;
  ++totals_.steps;
  totals_.sum += step.phases;
  totals_.staleness = saturated::sum(totals_.staleness, step.staleness);
  const std::int64_t ns = (length_of(step.phases) - step.phases.evaluate).ns;
  if (buckets_.empty() && lengths_ns_.size() < kExact) return lengths_ns_.push_back(ns);
  if (buckets_.empty()) {
    buckets_.resize(kBuckets);
    for (const std::int64_t length : lengths_ns_) ++buckets_[bucket_of(length)];
    lengths_ns_ = {};
  }
  ++buckets_[bucket_of(ns)];
}

StepTotals StepTally::totals() const {
  StepTotals totals = totals_;
  totals.median = median();
  return totals;
}

Duration StepTally::median() const {
  if (!buckets_.empty()) {
    std::int64_t before = 0;
    std::size_t bucket = 0;
    while (before + buckets_[bucket] <= totals_.steps / 2) before += buckets_[bucket++];
    return middle_of(bucket);
  }
  if (lengths_ns_.empty()) return {};
  std::vector<std::int64_t> lengths = lengths_ns_;
  const auto middle = lengths.begin() + std::ssize(lengths) / 2;
  std::ranges::nth_element(lengths, middle);
  if (lengths.size() % 2 == 1) return {*middle};
  return {std::midpoint(*std::ranges::max_element(lengths.begin(), middle), *middle)};
}

void RowTally::add(const StepReport& step, int worker) {
  steps_.add(step, worker);
  ++step_count_;
  furthest_ = std::max(furthest_, saturated::sum(step.step.value, 1));
  latest_ = std::max(latest_, end_of_step(step));
}

void RowTally::add(const Record& rows) {
  for (const StepRow& row : rows.steps) add(row.report, row.worker);
  for (const UsageRow& row : rows.usage) {
    const auto node = static_cast<std::size_t>(std::max(row.node, 0));
    if (node >= kMostNodes) continue;  // from a damaged table
    if (node >= nodes_.size()) nodes_.resize(node + 1);
    NodeTotals& totals = nodes_[node];
    totals.cpu_s += row.cpu_user_s + row.cpu_system_s;
    totals.rss = std::max(*totals.rss, row.rss);
    totals.tx = {saturated::sum(totals.tx.value, row.tx.value)};
    totals.rx = {saturated::sum(totals.rx.value, row.rx.value)};
  }
}

void RowTally::fill_in(Record& record) const {
  for (std::size_t i = 0; i < std::min(nodes_.size(), record.nodes.size()); ++i) {
    NodeTotals& totals = record.nodes[i];
    if (totals.cpu_s > 0 || totals.rss > Bytes{}) continue;  // the node has reported them
    totals.cpu_s = nodes_[i].cpu_s;
    totals.rss = nodes_[i].rss;
    totals.tx = nodes_[i].tx;
    totals.rx = nodes_[i].rx;
  }
  if (record.outcome == Outcome::done) return;
  const Scenario& scenario = record.scenario_case.scenario;
  const std::int64_t an_update = gradients_an_update(scenario);
  record.gradients = std::max(record.gradients, step_count_);
  record.updates = std::max(record.updates, step_count_ / std::max<std::int64_t>(1, an_update));
  record.time = std::max(record.time, latest_ - Instant{});
}

StepTotals step_totals_of(const Record& record) {
  if (record.step_totals) return *record.step_totals;
  StepTally tally;
  for (const StepRow& row : record.steps) tally.add(row.report, row.worker);
  return tally.totals();
}

void keep_summary(Record& record) {
  record.step_totals = step_totals_of(record);
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
  const auto sort = [](auto& rows, auto key) {
    if (!std::ranges::is_sorted(rows, {}, key)) std::ranges::stable_sort(rows, {}, key);
  };
  sort(record.steps, [](const StepRow& row) {
    return std::tuple(end_of_step(row.report), row.worker, row.report.step);
  });
  sort(record.evals, [](const EvalReport& e) { return e.time; });
  sort(record.usage, [](const UsageRow& row) { return std::tuple(row.time, row.node); });
}

}  // namespace foretrain
