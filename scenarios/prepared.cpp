#include "scenarios/prepared.h"

#include "scenarios/make_training.h"

#include <fmt/format.h>

namespace foretrain {
namespace {

/// The network, the size of what it reads, what it tells apart, with how many threads: its cost
/// depends on all of them.
std::string key_of(const Scenario& scenario, const Network& network) {
  if (network.profiled()) return {};
  const InputShape& input = network.input();
  const std::int64_t features = input.sparse() ? input.sparse_features : input.image.size();
  const int threads = scenario.training.threads;
  return fmt::format("{} {}x{}{}", scenario.model.label(), features, input.classes,
                     threads > 1 ? fmt::format(" threads {}", threads) : "");
}

Prepared prepare_with(const Case& scenario_case, const CaseData& data, bool numerics) {
  Prepared prepared;
  prepared.scenario_case = scenario_case;
  prepared.dataset = data.shape;
  prepared.training = make_training(scenario_case, data, numerics);
  prepared.data_memory = data.memory;
  prepared.places = place_nodes(scenario_case.scenario);
  prepared.model_key = key_of(scenario_case.scenario, *prepared.training->network);
  return prepared;
}

}  // namespace

Need need_of_simulation(const Scenario& scenario) {
  return scenario.numerics ? Need::examples : Need::shape;
}

Prepared prepare(const Case& scenario_case, Need need, DataSets& data_sets) {
  const bool examples = need == Need::examples;
  return prepare_with(scenario_case, find_data(scenario_case, examples, data_sets), examples);
}

Prepared prepare(const Case& scenario_case, Need need) {
  DataSets alone;
  return prepare(scenario_case, need, alone);
}

Prepared prepare_server(const Case& scenario_case, const DatasetShape& dataset) {
  return prepare_with(scenario_case, {dataset, {}, nullptr}, true);
}

}  // namespace foretrain
