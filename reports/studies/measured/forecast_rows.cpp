#include "reports/studies/measured/forecast_rows.h"

#include "reports/record/not_done.h"
#include "reports/record/summary.h"
#include "reports/studies/measured/measured_quantity.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

namespace foretrain {
namespace {

constexpr int kBaseTrials = 8;

using SeriesName = std::pair<std::string, std::string>;  // study, series
SeriesName series_of(const MeasuredFigure& figure) { return {figure.study, figure.series}; }

/// Key of a simulation: scenario, settings, case, and the series whose base gives the time of a
/// gradient. Figures with the same key share it.
using Simulation = std::tuple<std::string, std::vector<std::string>, int, SeriesName>;

Case case_of(const MeasuredFigure& figure, const ForecastOptions& options) {
  std::vector<std::string> settings = options.overrides;
  settings.insert(settings.end(), figure.settings.begin(), figure.settings.end());
  std::vector<Case> cases;
  try {
    cases = read_scenario(figure.scenario.string(), settings);
  } catch (const InputError& error) {
    throw InputError(fmt::format("{}: {}", figure.place, error.what()));
  }
  if (figure.number == 0 && cases.size() == 1) return std::move(cases.front());
  if (figure.number > 0 && figure.number <= std::ssize(cases)) {
    return std::move(cases[static_cast<std::size_t>(figure.number) - 1]);
  }
  throw InputError(fmt::format(
      "{}: case: {} has {}; write its number, 1 to {}", figure.place, figure.scenario.string(),
      cases.size() == 1 ? "one case" : fmt::format("{} cases", cases.size()), cases.size()));
}

Record simulated(const Case& each, const ForecastOptions& options) {
  Record record = options.simulate(each);
  if (record.outcome == Outcome::interrupted) {
    throw NotDone(Outcome::interrupted, "interrupted; nothing was written");
  }
  return record;
}

/// Seconds per step of one worker that correspond to the `value` of a figure.
double seconds_a_step(const MeasuredFigure& figure, const Case& each, double value) {
  if (!figure.is_rate()) return value;
  const double workers = node_counts(each.scenario).workers;
  const auto examples = static_cast<double>(each.scenario.training.examples_a_gradient());
  return workers / (figure.quantity == "throughput" ? value / examples : value);
}

/// The host whose `compute` a series determines. @throws InputError if it has none
HostSpec& host_of(const MeasuredFigure& figure, Case& each) {
  std::vector<HostSpec>& hosts = each.scenario.cluster.hosts;
  if (!hosts.empty() && hosts.front().compute) return hosts.front();
  throw InputError(fmt::format(
      "{}: {}: cluster.hosts[0].compute is missing, which the base determines; write one",
      figure.place, figure.scenario.string()));
}

/// The time of a gradient with which the simulated base equals the measured one.
Duration compute_of(const MeasuredFigure& base, const ForecastOptions& options) {
  Case each = case_of(base, options);
  HostSpec& host = host_of(base, each);
  const double unit = in_unit(1, base.unit);
  const double measured_s = seconds_a_step(base, each, base.value / unit);
  const double batches = each.scenario.training.accumulate;  // `compute` is the time of one
  double compute_s = measured_s / batches;
  for (int trial = 0; trial < kBaseTrials; ++trial) {
    host.compute = Duration::from_seconds(compute_s);
    const Record record = simulated(each, options);
    if (record.outcome != Outcome::done) {
      throw InputError(fmt::format("{}: simulate: {}", base.place, record.failure));
    }
    const std::optional<double> value = quantity_of(base.quantity, record, base.node);
    if (!value || *value <= 0) {
      throw InputError(fmt::format(
          "{}: quantity: the simulation has no {}; write a quantity that this training has",
          base.place, base.quantity));
    }
    const double off_s = measured_s - seconds_a_step(base, each, *value);
    if (std::abs(off_s) <= kBaseError * measured_s) break;
    compute_s += off_s / batches;
    if (compute_s > 0) continue;
    throw InputError(fmt::format(
        "{}: value: the base's messages alone take longer than its step, {:.4g} s; check the "
        "network and the value",
        base.place, measured_s));
  }
  return Duration::from_seconds(compute_s);
}

/// `batches`: the examples of a gradient over those of the base.
std::optional<double> linear_of(const MeasuredFigure& figure, const MeasuredFigure& base,
                                double batches) {
  if (figure.quantity == "step_time") return base.value * batches;
  if (!figure.is_rate() || figure.devices == 0 || base.devices == 0) return std::nullopt;
  return base.value * figure.devices / base.devices;
}

/// Counts finished simulations.
class Done {
 public:
  Done(std::int64_t all, const ForecastOptions& options) : all_(all), options_(options) {}
  void one() {
    const std::lock_guard lock(mutex_);
    options_.progress(++done_, all_);
  }

 private:
  std::mutex mutex_;
  std::int64_t done_ = 0;
  std::int64_t all_;
  const ForecastOptions& options_;
};

struct Base {
  const MeasuredFigure* figure;
  Duration compute;
  std::int64_t examples = 1;  // of a gradient
  int batch_size = 1;
};

std::int64_t examples_of(const Case& c) { return c.scenario.training.examples_a_gradient(); }

double batches_of(const Case& c, const Base& base) {
  return static_cast<double>(examples_of(c)) / static_cast<double>(base.examples);
}

}  // namespace

std::optional<double> FigureForecast::error() const {
  if (!forecast) return std::nullopt;
  if (figure.value == 0) return *forecast == 0 ? std::optional(0.0) : std::nullopt;
  return *forecast / figure.value - 1;
}

std::optional<double> FigureForecast::linear_error() const {
  return linear && figure.value > 0 ? std::optional(*linear / figure.value - 1) : std::nullopt;
}

std::vector<FigureForecast> forecast_figures(const std::vector<MeasuredFigure>& figures,
                                             const ForecastOptions& options) {
  std::map<SeriesName, Base> bases;
  for (const MeasuredFigure& each : figures) {
    if (each.role == "base") bases[series_of(each)] = {&each, {}};
  }
  std::map<Simulation, std::vector<std::size_t>> simulations;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const MeasuredFigure& f = figures[i];
    if (f.quantity.empty() || f.known) continue;
    const SeriesName series = bases.contains(series_of(f)) ? series_of(f) : SeriesName();
    simulations[{f.scenario.string(), f.settings, f.number, series}].push_back(i);
  }
  Done done(std::ssize(bases) + std::ssize(simulations), options);
  std::vector<Base*> to_meet;
  for (auto& [series, base] : bases) to_meet.push_back(&base);
  in_parallel(std::ssize(to_meet), options.threads, [&](std::int64_t i) {
    Base& base = *to_meet[static_cast<std::size_t>(i)];
    base.compute = compute_of(*base.figure, options);
    const Case its = case_of(*base.figure, options);
    base.examples = examples_of(its);
    base.batch_size = its.scenario.training.batch_size;
    done.one();
  });
  std::vector<FigureForecast> forecasts(figures.size());
  for (std::size_t i = 0; i < figures.size(); ++i) {
    forecasts[i].figure = figures[i];
    forecasts[i].forecast = figures[i].known;
    const auto base = bases.find(series_of(figures[i]));
    if (base == bases.end()) continue;
    const Base& its = base->second;
    const bool simulated = !figures[i].known && !figures[i].quantity.empty();
    const double batches = simulated ? batches_of(case_of(figures[i], options), its) : 1;
    forecasts[i].linear = linear_of(figures[i], *its.figure, batches);
  }
  std::vector<const std::pair<const Simulation, std::vector<std::size_t>>*> to_simulate;
  for (const auto& each : simulations) to_simulate.push_back(&each);
  in_parallel(std::ssize(to_simulate), options.threads, [&](std::int64_t at) {
    const auto& [simulation, rows] = *to_simulate[static_cast<std::size_t>(at)];
    Case each = case_of(figures[rows.front()], options);
    const auto base = bases.find(std::get<SeriesName>(simulation));
    if (base != bases.end()) {
      const double batches =
          static_cast<double>(each.scenario.training.batch_size) / base->second.batch_size;
      host_of(figures[rows.front()], each).compute =
          Duration::from_seconds(base->second.compute.seconds() * batches);
    }
    const Record record = simulated(each, options);
    for (const std::size_t i : rows) {
      FigureForecast& row = forecasts[i];
      row.failure = record.failure;
      if (record.outcome != Outcome::done) continue;
      const auto value = quantity_of(row.figure.quantity, record, row.figure.node);
      if (value) row.forecast = in_unit(*value, row.figure.unit);
      if (!value) row.failure = fmt::format("the simulation has no {} there", row.figure.quantity);
      row.staleness_mean = mean_staleness(record);
    }
    done.one();
  });
  return forecasts;
}

}  // namespace foretrain
