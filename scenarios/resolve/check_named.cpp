// Opens named files as a training does, so that both reject the same.
#include "scenarios/language/input_error.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/colocated_jobs.h"
#include "scenarios/resolve/make_training.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/stragglers.h"
#include "scenarios/spec/machine.h"

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace foretrain {
namespace {

void check_machines(const Case& c) {
  const auto& hosts = c.scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].machine.empty()) continue;
    try {
      (void)read_machine(hosts[i].machine);
    } catch (const InputError& error) {
      fail(c, fmt::format("cluster.hosts[{}].machine", i), error.what());
    }
  }
}

}  // namespace

void check_named(const Case& scenario_case, DataSets& data_sets) {
  check_machines(scenario_case);
  const Traces traces(scenario_case);
  const Prepared prepared = prepare(scenario_case, Need::shape, data_sets);
  (void)start_of(scenario_case, *prepared.training->network);
  for (const Case& each : colocated_cases(scenario_case)) prepare(each, Need::shape, data_sets);
}

}  // namespace foretrain
