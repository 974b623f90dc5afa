#include "reports/studies/clusters/forecast.h"

#include "models/protocol/registry.h"
#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/parallel/in_parallel.h"
#include "reports/studies/published/quantity.h"
#include "scenarios/input_error.h"
#include "scenarios/node_counts.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

using SeriesName = std::pair<std::string, std::string>;  // with its study first

constexpr int kBaseTrials = 8;

Case cluster_case(const ClusterFigure& figure, const ClusterOptions& options) {
  const std::string path = (options.folder / (figure.study + ".yaml")).string();
  std::vector<Case> cases;
  try {
    cases = read_scenario(path, figure.settings);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", figure.place, error.what()));
  }
  if (cases.size() != 1) {
    throw InputError(fmt::format("{}: {}: it has {} cases; a figure is of one", figure.place, path,
                                 cases.size()));
  }
  const std::vector<HostSpec>& hosts = cases.front().scenario.cluster.hosts;
  if (hosts.empty() || !hosts.front().compute) {
    throw InputError(fmt::format(
        "{}: {}: cluster.hosts[0].compute is not there, but it is found from the base; write one",
        figure.place, path));
  }
  return std::move(cases.front());
}

/// What a figure says of the step of one worker, s.
double seconds_a_step(const ClusterFigure& figure, const Case& each, double value) {
  if (!figure.is_rate()) return value;
  const double workers = node_counts(each.scenario).workers;
  const auto examples = static_cast<double>(each.scenario.training.examples_a_gradient());
  const double gradients_per_s = figure.quantity == "throughput" ? value / examples : value;
  return workers / gradients_per_s;
}

/// What a simulation says of a figure.
struct Simulated {
  double value = 0;  ///< in its unit
  std::optional<double> staleness_mean;
};

Simulated simulated(const ClusterFigure& figure, const Case& each, const ClusterOptions& options) {
  const Record record = options.simulate(each);
  if (record.outcome == Outcome::interrupted) {
    throw NotDone(Outcome::interrupted, "interrupted; nothing was written");
  }
  if (record.outcome != Outcome::done) {
    throw InputError(fmt::format("{}: simulate: {}", figure.place, record.failure));
  }
  const std::optional<double> value = quantity_of(figure.quantity, record, {});
  if (value && *value > 0) return {in_unit(*value, figure.unit), mean_staleness(record)};
  throw InputError(
      fmt::format("{}: quantity: the simulation has no {}", figure.place, figure.quantity));
}

/// What a gradient takes, so that the base comes out as measured.
Duration compute_of(const ClusterFigure& base, const ClusterOptions& options) {
  Case each = cluster_case(base, options);
  const double measured_s = seconds_a_step(base, each, base.value);
  double compute_s = measured_s;
  for (int trial = 0; trial < kBaseTrials; ++trial) {
    each.scenario.cluster.hosts.front().compute = Duration::from_seconds(compute_s);
    const double off_s =
        measured_s - seconds_a_step(base, each, simulated(base, each, options).value);
    if (std::abs(off_s) <= kBaseError * measured_s) break;
    compute_s += off_s;
    if (compute_s > 0) continue;
    throw InputError(
        fmt::format("{}: value: what the base moves takes longer than its step, {:.4g} s",
                    base.place, measured_s));
  }
  return Duration::from_seconds(compute_s);
}

std::optional<double> linear_of(const ClusterFigure& figure, const ClusterFigure& base) {
  if (!figure.scales()) return std::nullopt;
  if (!figure.is_rate()) return base.value;
  return base.value * figure.devices / base.devices;
}

/// Counts what is done of all that there is to do.
class Done {
 public:
  Done(std::int64_t all, const ClusterOptions& options) : all_(all), options_(options) {}
  void one() {
    const std::lock_guard lock(mutex_);
    options_.progress(++done_, all_);
  }

 private:
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::int64_t all_;
  const ClusterOptions& options_;
};

std::vector<ClusterFigure> chosen_of(const std::vector<ClusterFigure>& figures,
                                     const std::string& study) {
  std::vector<ClusterFigure> chosen;
  std::ranges::copy_if(figures, std::back_inserter(chosen), [&](const ClusterFigure& each) {
    return study.empty() || each.study == study;
  });
  if (!chosen.empty()) return chosen;
  throw InputError(fmt::format("no study of clusters is called '{}'; there are {}", study,
                               fmt::join(studies_of(figures), ", ")));
}

}  // namespace

std::vector<ClusterForecast> forecast_clusters(const std::vector<ClusterFigure>& figures,
                                               const ClusterOptions& options) {
  const std::vector<ClusterFigure> chosen = chosen_of(figures, options.study);
  std::vector<const ClusterFigure*> bases;
  for (const ClusterFigure& each : chosen) {
    if (each.role == ClusterRole::base) bases.push_back(&each);
  }
  Done done(std::ssize(bases) + std::ssize(chosen), options);
  std::vector<Duration> computes(bases.size());
  in_parallel(std::ssize(bases), options.threads, [&](std::int64_t i) {
    const auto at = static_cast<std::size_t>(i);
    computes[at] = compute_of(*bases[at], options);
    done.one();
  });
  std::map<SeriesName, std::size_t> base_of;
  for (std::size_t i = 0; i < bases.size(); ++i) base_of[{bases[i]->study, bases[i]->series}] = i;
  std::vector<ClusterForecast> forecasts(chosen.size());
  in_parallel(std::ssize(chosen), options.threads, [&](std::int64_t i) {
    const ClusterFigure& figure = chosen[static_cast<std::size_t>(i)];
    const std::size_t base = base_of.at({figure.study, figure.series});
    Case each = cluster_case(figure, options);
    each.scenario.cluster.hosts.front().compute = computes[base];
    const Simulated found = simulated(figure, each, options);
    forecasts[static_cast<std::size_t>(i)] = {
        figure, !protocol_called(each.scenario.training.strategy).synchronous, found.value,
        linear_of(figure, *bases[base]), found.staleness_mean};
    done.one();
  });
  return forecasts;
}

}  // namespace foretrain
