#include "sim/whatif/forecaster.h"

#include "models/protocol/registry.h"
#include "sim/driver/simulate.h"
#include "sim/whatif/intervention.h"
#include "sim/whatif/limit.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain::sim {
namespace {

using Machines = std::map<std::string, Machine>;  // by the names in a scenario

std::string vary(Scenario& scenario, std::string_view strategy, int workers) {
  if (scenario.training.strategy != strategy) {
    if (std::string why = set_strategy(scenario, strategy); !why.empty()) return why;
  }
  // A strategy with a single worker needs no change.
  if (workers == 1 && !protocol_called(strategy).several_workers) return {};
  return set_workers(scenario, workers);
}

}  // namespace

Forecaster forecaster(std::function<MachineLookup(const Prepared&)> machines, int cores) {
  const auto data_sets = std::make_shared<DataSets>();
  const auto prepared_of = [data_sets](const Case& scenario_case) {
    return prepare(scenario_case, need_of_simulation(scenario_case.scenario), *data_sets);
  };
  const auto options_of = [machines = std::move(machines), cores](const Prepared& prepared,
                                                                  const ForecastWatch& watch) {
    SimulateOptions options;
    // Each lookup reads a file, and there may be many hosts.
    options.machines = [lookup = machines(prepared),
                        known = std::make_shared<Machines>()](const std::string& name) {
      const auto found = known->find(name);
      return found != known->end() ? found->second
                                   : known->emplace(name, lookup(name)).first->second;
    };
    options.interrupted = watch.dropped;
    options.cores = cores;
    options.progress = [&watch](std::int64_t done, std::int64_t all, Instant,
                                const Record& so_far) { watch.progress(done, all, so_far); };
    return options;
  };
  return {[=](const Case& scenario_case, const ForecastWatch& watch) {
            const Prepared prepared = prepared_of(scenario_case);
            return forecast_of(prepared, options_of(prepared, watch));
          },
          [=](const Case& scenario_case, const ForecastWatch& watch) {
            const Prepared prepared = prepared_of(scenario_case);
            SimulateOptions options = options_of(prepared, watch);
            options.summary_only = true;
            return simulate(prepared, options);
          },
          vary};
}

}  // namespace foretrain::sim
