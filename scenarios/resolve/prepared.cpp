#include "scenarios/resolve/prepared.h"

#include "scenarios/resolve/make_training.h"
#include "scenarios/spec/machine.h"

#include <fmt/format.h>

#include <cmath>

namespace foretrain {
namespace {

/// The network, its input size, its number of classes, the number of threads: its costs depend on
/// all of them.
std::string network_key_of(const Scenario& scenario, const Network& network) {
  if (network.profiled()) return {};
  const InputShape& input = network.input();
  const std::int64_t features = input.sparse() ? input.sparse_features : input.image.size();
  const int threads = scenario.training.threads;
  return fmt::format("{} {}x{}{}", scenario.model.label(), features, input.classes,
                     threads > 1 ? fmt::format(" threads {}", threads) : "");
}

/// Rounds to eighths of a power of two (8, 9, ... 15, 16, 18, ...), so that another part of the
/// same data gets the same name. Counts below 16 become whole numbers.
std::int64_t in_eighths(double count) {
  double step = 1;
  while (count >= 16 * step) step *= 2;
  return std::llround(std::round(count / step) * step);
}

/// The network key with the number of entries in sparse rows, on which a gradient's cost depends,
/// and the optimizer if it is not plain SGD, on which an update's cost depends.
std::string model_key_of(const Scenario& scenario, const Network& network,
                         const std::string& network_key) {
  if (network.profiled()) return {};
  std::string key = network_key;
  if (network.sparse())
    key += fmt::format(" entries {}", in_eighths(network.input().sparse_entries));
  const std::string& optimizer = scenario.training.optimizer.name;
  if (optimizer != "sgd") key += " " + optimizer;
  return key;
}

Prepared prepare_with(const Case& scenario_case, const CaseData& data, bool numerics) {
  Prepared prepared;
  prepared.scenario_case = scenario_case;
  prepared.dataset = data.shape;
  prepared.counted = count_network(scenario_case);
  prepared.training = make_training(scenario_case, data, prepared.counted.get(), numerics);
  prepared.data_memory = data.memory;
  prepared.places = place_nodes(scenario_case.scenario);
  const Network& network = *prepared.training->network;
  prepared.network_key = network_key_of(scenario_case.scenario, network);
  prepared.model_key = model_key_of(scenario_case.scenario, network, prepared.network_key);
  return prepared;
}

}  // namespace

const std::string& key_in(const Machine& machine, const Prepared& prepared) {
  if (machine.models.contains(prepared.model_key)) return prepared.model_key;
  return machine.models.contains(prepared.network_key) ? prepared.network_key : prepared.model_key;
}

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

Price price_per_hour(const Scenario& scenario, const std::set<std::string>& hosts) {
  Price all;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (host.price.per_hour == 0) continue;
    for (int index = 0; index < host.count; ++index) {
      if (!hosts.contains(host_name(host, index))) continue;
      all.per_hour += host.price.per_hour;
      all.currency = host.price.currency;
    }
  }
  return all;
}

Price price_per_hour(const Prepared& prepared) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  std::set<std::string> used{scenario.dataset.input.served_by, scenario.framework.session_host};
  for (const NodePlace& place : prepared.places) used.insert(place.host_name);
  return price_per_hour(scenario, used);
}

}  // namespace foretrain
