#include "tests/support/cases.h"

#include "models/protocol/message.h"

namespace foretrain::testing {
using namespace literals;

Case small_case(const std::string& strategy, int workers, std::int64_t steps) {
  Case result;
  Scenario& scenario = result.scenario;
  scenario.name = "small";
  scenario.dataset.take = 600;
  scenario.dataset.test_take = 200;
  scenario.training.strategy = strategy;
  scenario.training.workers = workers;
  scenario.training.batch_size = 16;
  scenario.training.steps = steps;
  scenario.training.optimizer.learning_rate = 0.3;
  return result;
}

Case star_case(const std::string& strategy, int workers, std::int64_t steps, Duration compute) {
  Case result = small_case(strategy, workers, steps);
  Scenario& scenario = result.scenario;
  scenario.numerics = false;
  HostSpec host;
  host.name = "node";
  host.count = workers + 1;
  host.nic = {1e18};
  host.compute = compute;
  scenario.cluster.hosts.push_back(host);
  scenario.cluster.tcp = false;
  return result;
}

Bytes message_size() { return kHeaderSize + Bytes{7'850 * 4}; }

Machine made_up_machine(const std::string& model_key) {
  Machine machine = made_up_machine();
  if (!model_key.empty()) machine.models.try_emplace(model_key, machine.models.begin()->second);
  return machine;
}

BytesPerSecond rate_for(double seconds) {
  return {static_cast<double>(message_size().value) / seconds};
}

Machine made_up_machine() {
  Machine machine;
  machine.name = "made up";
  machine.cores = 2;
  machine.contention = 1.1;
  machine.models["softmax 784x10"] = {{100e-6, 2e-6}, {0, 1e-6}};
  machine.apply = {1e-6, 1e-10};
  machine.loopback = {{5e-6, 1e-10}, {5e-6, 1e-10}, 2_us, 50_us, 200_us};
  return machine;
}

Record simulate(const Case& scenario_case, const sim::Variant& variant) {
  const Prepared prepared = prepare(scenario_case, need_of_simulation(scenario_case.scenario));
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return made_up_machine(prepared.model_key); };
  options.usage_interval = {};
  options.variant = variant;
  return sim::simulate(prepared, options);
}

Record simulate(const Case& scenario_case, const sim::SimulateOptions& options) {
  return sim::simulate(prepare(scenario_case, need_of_simulation(scenario_case.scenario)), options);
}

double mean_step_s(const Record& record) {
  double sum = 0;
  for (const StepRow& row : record.steps) {
    sum += length_of(row.report.phases).seconds();
  }
  return sum / static_cast<double>(record.steps.size());
}

}  // namespace foretrain::testing
