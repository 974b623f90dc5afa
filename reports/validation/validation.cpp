// Repeats, pairs up, subtracts.
#include "reports/validation/validation.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "reports/record/statistics.h"
#include "reports/record/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace foretrain {
namespace {

struct Metric {
  const char* name;
  std::optional<double> (*of)(const Summary&);
};

/// Mean time of a phase in a step.
std::optional<double> mean_ms(const Summary& s, double phase_s) {
  if (s.steps == 0) return std::nullopt;
  return phase_s * 1e3 / static_cast<double>(s.steps);
}

constexpr auto kMetrics = std::to_array<Metric>({
    {"step_time_ms",
     [](const Summary& s) {
       return s.step_time_s_median ? std::optional(*s.step_time_s_median * 1e3) : std::nullopt;
     }},
    {"time_s", [](const Summary& s) { return std::optional(s.time_s); }},
    {"updates_per_s", [](const Summary& s) { return s.updates_per_s; }},
    {"gradients_per_s", [](const Summary& s) { return s.gradients_per_s; }},
    {"staleness_mean", [](const Summary& s) { return s.staleness_mean; }},
    {"test_accuracy", [](const Summary& s) { return s.test_accuracy; }},
    {"final_loss", [](const Summary& s) { return s.final_loss; }},
    {"bytes_sent",
     [](const Summary& s) { return std::optional(static_cast<double>(s.bytes_sent.value)); }},
    {"compute_ms", [](const Summary& s) { return mean_ms(s, s.phases.compute_s); }},
    {"push_ms", [](const Summary& s) { return mean_ms(s, s.phases.push_s); }},
    {"wait_ms", [](const Summary& s) { return mean_ms(s, s.phases.wait_s); }},
    {"apply_ms", [](const Summary& s) { return mean_ms(s, s.phases.apply_s); }},
    {"pull_ms", [](const Summary& s) { return mean_ms(s, s.phases.pull_s); }},
    {"evaluate_ms", [](const Summary& s) { return mean_ms(s, s.phases.evaluate_s); }},
});

std::optional<double> relative_error(double measured, double predicted) {
  if (predicted == measured) return 0;
  if (measured == 0) return std::nullopt;
  return predicted / measured - 1;
}

std::vector<Comparison> compare(const std::vector<Record>& runs, const Record& simulated) {
  std::vector<Summary> summaries;
  summaries.reserve(runs.size());
  for (const Record& run : runs) summaries.push_back(summarize(run));
  const Summary forecast = summarize(simulated);
  std::vector<Comparison> comparisons;
  for (const Metric& metric : kMetrics) {
    std::vector<double> values;
    for (const Summary& s : summaries) {
      if (const auto value = metric.of(s)) values.push_back(*value);
    }
    const auto measured = median(values);
    const auto predicted = metric.of(forecast);
    if (!measured || !predicted) continue;
    comparisons.push_back({metric.name, *measured, relative_spread(values), *predicted,
                           relative_error(*measured, *predicted), *predicted - *measured});
  }
  return comparisons;
}

std::optional<bool> same_weights(const std::vector<Record>& runs, const Record& simulated) {
  const TrainingSpec& training = simulated.scenario_case.scenario.training;
  const Protocol* protocol = find_protocol(training.strategy);
  if (protocol == nullptr || !protocol->deterministic(training.protocol)) return std::nullopt;
  bool equal = true;
  for (const Record& run : runs) {
    if (run.weights_sha256.empty() || simulated.weights_sha256.empty()) return std::nullopt;
    if (run.kernel_set != simulated.kernel_set) return std::nullopt;
    equal = equal && run.weights_sha256 == simulated.weights_sha256;
  }
  return equal;
}

/// Half a training is nothing to compare.
Record done(Record record) {
  if (record.outcome == Outcome::done) return record;
  throw std::runtime_error(fmt::format("the {} of {} was not done ({}){}", name_of(record.mode),
                                       title_of(record.scenario_case), name_of(record.outcome),
                                       record.failure.empty() ? "" : ": " + record.failure));
}

/// How far apart two measurements must be for their order to mean something.
double uncertainty(const Comparison& c) { return c.spread.value_or(0) * std::abs(c.measured); }

}  // namespace

const Comparison* CaseValidation::find(std::string_view metric) const {
  const auto found = std::ranges::find(comparisons, metric, &Comparison::metric);
  return found == comparisons.end() ? nullptr : &*found;
}

std::map<std::string, ErrorRange> Validation::errors(std::string_view metric) const {
  std::map<std::string, std::vector<double>> errors;
  for (const CaseValidation& c : cases) {
    const Comparison* comparison = c.find(metric);
    if (comparison == nullptr || !comparison->error) continue;
    errors[c.scenario_case.scenario.training.strategy].push_back(std::abs(*comparison->error));
  }
  std::map<std::string, ErrorRange> ranges;
  for (const auto& [strategy, values] : errors) {
    ranges[strategy] = {*median(values), *quantile(values, 0.95), std::ranges::max(values)};
  }
  return ranges;
}

std::optional<bool> Validation::weights_equal() const {
  std::optional<bool> all;
  for (const CaseValidation& c : cases) {
    if (c.weights_equal) all = all.value_or(true) && *c.weights_equal;
  }
  return all;
}

std::optional<bool> Validation::order_kept() const {
  std::optional<bool> kept;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Comparison* a = cases[i].find("gradients_per_s");
      const Comparison* b = cases[j].find("gradients_per_s");
      if (a == nullptr || b == nullptr) continue;
      const double ahead = a->measured - b->measured;
      if (std::abs(ahead) <= uncertainty(*a) + uncertainty(*b)) continue;
      const double forecast = a->predicted - b->predicted;
      kept = kept.value_or(true) && (ahead > 0 ? forecast > 0 : forecast < 0);
    }
  }
  return kept;
}

Validation validate(const std::vector<Case>& cases, int repetitions,
                    const std::function<Record(const Case&)>& run,
                    const std::function<Record(const Case&)>& simulate) {
  FT_CHECK_OP(repetitions, >=, 1);
  std::vector<std::vector<Record>> runs(cases.size());
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    for (std::size_t i = 0; i < cases.size(); ++i) runs[i].push_back(done(run(cases[i])));
  }
  Validation validation{{}, repetitions};
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CaseValidation& c = validation.cases.emplace_back();
    c.scenario_case = cases[i];
    c.simulated = done(simulate(cases[i]));
    c.comparisons = compare(runs[i], c.simulated);
    c.weights_equal = same_weights(runs[i], c.simulated);
    std::ranges::stable_sort(runs[i], {}, &Record::time);
    c.run = std::move(runs[i][(runs[i].size() - 1) / 2]);
  }
  return validation;
}

}  // namespace foretrain
