// Made-up hosts, a job, its step times by a formula.
#pragma once

#include "models/protocol/registry.h"
#include "reports/studies/budget/budget.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/read.h"
#include "tests/support/temp_folder.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {

/// A host with one device.
inline HostSpec priced_host(const std::string& name, double price, int devices = 1) {
  HostSpec host;
  host.name = name;
  host.price.per_hour = price;
  host.devices = devices;
  return host;
}

/// A profile with 3,600 steps of one worker, with 10 examples each.
class RentedJob {
 public:
  RentedJob() {
    std::ofstream(folder_ / "one.csv") << "layer,parameter_bytes,forward_ms,backward_ms\n"
                                          "a,400000,1,2\n";
  }
  [[nodiscard]] Case with(const std::string& rest, const std::string& model = {}) const {
    const std::string text =
        "foretrain: 1\nname: job\nmodel: {profile: " + (folder_ / "one.csv") + model + "}\n" + rest;
    return parse_scenario(text, "x.yaml").front();
  }
  [[nodiscard]] Case plain() const {
    return with("training: {strategy: all_reduce, workers: 1, batch_size: 10, steps: 3600}\n");
  }

 private:
  TempFolder folder_;
};

/// A record with this many equal steps of each worker.
inline Record even_steps(const Case& each, Duration step) {
  Record record;
  record.scenario_case = each;
  const TrainingSpec& training = each.scenario.training;
  for (std::int64_t number = 0; number < training.steps; ++number) {
    for (int worker = 0; worker < training.workers; ++worker) {
      StepRow row{worker, {}};
      row.report.step = {number};
      row.report.start = Instant{} + step * number;
      row.report.phases.compute = step;
      record.steps.push_back(row);
    }
  }
  record.time = step * training.steps;
  return record;
}

/// A step takes 1 s on `small`, 0.4 s on other hosts, plus 0.1 s for each further host; 10 s with
/// servers. Rejects batch sizes other than the scenario's.
inline Record by_formula(const Case& each) {
  const Scenario& s = each.scenario;
  if (s.training.batch_size != 10) throw InputError("a batch of 10 alone");
  const HostSpec& host = s.cluster.hosts.front();
  if (protocol_called(s.training.strategy).servers) return even_steps(each, {10'000'000'000});
  const std::int64_t compute_ms = host.name.starts_with("small") ? 1000 : 400;
  return even_steps(each, Duration{(compute_ms + 100 * (host.count - 1)) * 1'000'000});
}

/// The plain job with computable gradients and an evaluation every hundredth step.
inline Case aimed_case(const Target& target) {
  Case found = parse_scenario(
                   "foretrain: 1\nname: soft\ndataset: {take: 300, test_take: 100}\n"
                   "training: {strategy: all_reduce, workers: 1, batch_size: 10, steps: 3600,\n"
                   "  evaluate_every: 100}\n",
                   "x.yaml")
                   .front();
  found.scenario.training.until = target;
  return found;
}

/// As by_formula. With numerics, accuracy grows with the examples, to 1 at 36,000 of one worker;
/// two workers need 4/3 as many, more workers 5/2 as many.
inline Record learning_by_formula(const Case& each) {
  Record record = by_formula(each);
  const Scenario& s = each.scenario;
  const TrainingSpec& training = s.training;
  if (training.evaluate_every == 0) return record;
  const Duration step{record.time.ns / training.steps};
  const double share = training.workers == 1 ? 1 : training.workers == 2 ? 0.75 : 0.4;
  for (std::int64_t number = training.evaluate_every;; number += training.evaluate_every) {
    EvalReport eval;
    eval.final = number >= training.steps;
    eval.step = {std::min(number, training.steps)};
    eval.version = {eval.step.value};
    eval.time = Instant{} + step * eval.step.value;
    const auto examples = static_cast<double>(eval.step.value * training.workers * 10);
    eval.accuracy = s.numerics ? share * examples / 36'000 : std::nan("");
    eval.loss = s.numerics ? 1 - eval.accuracy : std::nan("");
    record.evals.push_back(eval);
    if (eval.final || training.until.reached(eval.loss, eval.accuracy)) return record;
  }
}

/// `small` at 1, `fast` at 3 an hour, up to four of each:
///
///     hosts    small: time, cost    fast: time, cost
///     1        3,600 s,  1.0        1,440 s, 1.2
///     2        1,980 s,  1.1          900 s, 1.5
///     4        1,170 s,  1.3          630 s, 2.1
inline BudgetOptions two_hosts(double deadline_s, double budget) {
  BudgetOptions options;
  options.bounds = {deadline_s, budget};
  options.library = {priced_host("small", 1), priced_host("fast", 3)};
  options.most_hosts = 4;
  options.threads = 2;
  options.simulate = by_formula;
  options.limit = [](const Case&) { return Limit{"connection", 0.6}; };
  return options;
}

inline std::vector<std::string> clusters_in(const std::vector<Offer>& offers) {
  std::vector<std::string> names;
  names.reserve(offers.size());
  for (const Offer& each : offers) names.push_back(name_of(each.cluster));
  return names;
}

}  // namespace foretrain::testing
