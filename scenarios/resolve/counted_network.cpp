#include "scenarios/resolve/counted_network.h"

#include "scenarios/language/input_error.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/layer_profile.h"
#include "scenarios/resolve/network_shape.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace foretrain {
namespace {

template <class Of>
double sum(const std::vector<LayerWork>& layers, Of of) {
  return std::accumulate(layers.begin(), layers.end(), 0.0,
                         [&](double all, const LayerWork& layer) { return all + of(layer); });
}

double flops_of(const std::vector<LayerWork>& layers) {
  return sum(layers, [](const LayerWork& each) { return each.products + each.attention; });
}

/// The figures of a precision, with the defaults filled in; without peak if there are none.
PrecisionSpec figures_of(const HostSpec& host, const std::string& precision) {
  PrecisionSpec figures{.name = precision};
  const bool full = precision == "fp32";
  if (host.devices > 0) {
    if (const PrecisionSpec* listed = host.device.precision(precision)) figures = *listed;
    if (figures.gflops == 0 && full) figures.gflops = host.device.gflops;
  } else if (full) {
    figures.gflops = host.roofline.gflops;
  }
  if (figures.share == 0) {
    figures.share = kAssumedShare;
    figures.half_size = kAssumedHalfSize;
  }
  if (figures.attention == 0) figures.attention = kAssumedAttention;
  return figures;
}

const char* key_of(const ModelSpec& model) {
  if (!model.network.empty()) return "model.network";
  return model.config.empty() ? "model.profile" : "model.config";
}

}  // namespace

std::vector<const HostSpec*> computing_hosts(const Scenario& scenario) {
  std::vector<const HostSpec*> hosts;
  const std::vector<NodePlace> places = place_nodes(scenario);
  for (int worker = 0; worker < node_counts(scenario).workers; ++worker) {
    const auto* host = &scenario.cluster.hosts[places[static_cast<std::size_t>(worker)].spec];
    if (hosts.empty() || hosts.back() != host) hosts.push_back(host);
  }
  return hosts;
}

namespace {

/// Checks that each host with workers says how fast it computes.
void check_rates(const Case& c) {
  const Scenario& scenario = c.scenario;
  const std::string& precision = scenario.model.precision;
  if (scenario.cluster.hosts.empty()) {
    fail(c, key_of(scenario.model),
         "it is forecast, not trained, so the scenario has to describe hosts; write cluster: "
         "{hosts: [{like: p5.48xlarge}]} (foretrain describe hardware)");
  }
  for (const HostSpec* of : computing_hosts(scenario)) {
    const HostSpec& host = *of;
    if (host.compute || peak_of(host, precision) > 0) continue;
    std::vector<std::string> known;
    for (const PrecisionSpec& each : host.device.precisions) known.push_back(each.name);
    fail(c, "model.precision",
         host.devices == 0
             ? fmt::format("{}, but the host {} has no devices; write devices, or its compute:",
                           precision, kind_of_host(host))
             : fmt::format("{}, of which the device of {} has no figures; {}", precision,
                           kind_of_host(host),
                           known.empty() ? "write cluster.hosts[].device.precisions"
                                         : fmt::format("it has {}", fmt::join(known, ", "))));
  }
}

Recompute recompute_of(const TrainingSpec& training) {
  if (training.recompute == "full") return Recompute::full;
  return training.recompute == "selective" ? Recompute::selective : Recompute::none;
}

/// The layers of a network known by its shape.
std::vector<LayerWork> layers_of(const Case& c, CountedNetwork& network) {
  const ModelSpec& model = c.scenario.model;
  const char* key = key_of(model);
  try {
    const NetworkShape shape = shape_of(model);
    key = "model.sequence";
    const std::int64_t sequence = sequence_of(model, shape);
    const std::int64_t batch = c.scenario.training.batch_size;
    network.tokens = batch * sequence;
    if (network.tokens == 0 && c.scenario.training.tokens > 0) {
      key = "training.tokens";
      throw InputError("the network reads images, not tokens; write steps, epochs or updates");
    }
    WorkOptions options{batch, sequence, network.number_bytes};
    network.forward_flops = flops_of(layer_work(shape, options));
    options.fused_attention = model.attention == "fused";
    return layer_work(shape, options);
  } catch (const InputError& error) {
    fail(c, key, error.what());
  }
}

}  // namespace

std::int64_t CountedNetwork::parameters() const {
  return std::accumulate(
      layers.begin(), layers.end(), std::int64_t{0},
      [](std::int64_t all, const LayerWork& layer) { return all + layer.parameters; });
}

double CountedNetwork::gradient_s(const DeviceRates& rates) const {
  return sum(layers, [&](const LayerWork& each) {
    const PassTimes times = pass_times(each, rates, recompute);
    return times.forward_s + times.backward_s;
  });
}

Bytes CountedNetwork::activations() const {
  double again = 0;
  for (const LayerWork& each : layers)
    again = std::max(again, each.kept - kept_bytes(each, recompute));
  const double all =
      sum(layers, [&](const LayerWork& each) { return kept_bytes(each, recompute); });
  return {std::llround(all + again)};
}

DeviceNeeds device_needs(const CountedNetwork& network, const Scenario& scenario) {
  return {network.parameters(), network.number_bytes, scenario.training.master_weights,
          scenario.training.shard == "none", network.activations()};
}

double peak_of(const HostSpec& host, const std::string& precision) {
  return figures_of(host, precision).gflops * 1e9;
}

DeviceRates rates_of(const HostSpec& host, const std::string& precision) {
  const PrecisionSpec figures = figures_of(host, precision);
  const Roofline& sheet = host.devices > 0 ? host.device : host.roofline;
  constexpr double kNominal = 1e12;  // only shares of layers count: the host's time is given
  const double peak = figures.gflops > 0 ? figures.gflops * 1e9 : kNominal;
  const double memory = sheet.memory_bandwidth.value;
  return {peak * figures.share, figures.half_size, peak * figures.attention,
          (memory > 0 ? memory : peak) * kBandwidthShare, sheet.overhead.seconds()};
}

std::shared_ptr<const CountedNetwork> count_network(const Case& c) {
  const ModelSpec& model = c.scenario.model;
  if (!model.profiled()) return nullptr;
  auto network = std::make_shared<CountedNetwork>();
  network->precision = model.precision;
  network->number_bytes = number_bytes(model.precision);
  network->recompute = recompute_of(c.scenario.training);
  if (model.by_shape()) {
    network->layers = layers_of(c, *network);
  } else {
    try {
      const NetworkProfile profile = read_profile(model.profile, profile_batch(c.scenario));
      if (profile.second_batch > 0 && model.profile_batch == 0)
        throw InputError("two batches; write profile_batch, that of the columns without @");
      network->layers = profile.work;
    } catch (const InputError& error) {
      fail(c, "model.profile", error.what());
    }
    const double batches =
        static_cast<double>(c.scenario.training.batch_size) / profile_batch(c.scenario);
    for (LayerWork& each : network->layers) each.scale(batches);
    network->forward_flops = flops_of(network->layers);
  }
  if (network->layers.empty()) return nullptr;
  check_rates(c);
  return network;
}

NetworkProfile timed_profile(const CountedNetwork& network, const Scenario& scenario) {
  const DeviceRates rates = rates_of(*computing_hosts(scenario).front(), network.precision);
  NetworkProfile profile;
  profile.batch_size = scenario.training.batch_size;
  for (const LayerWork& each : network.layers) {
    const PassTimes times = pass_times(each, rates, network.recompute);
    const std::int64_t floats = (each.parameters * network.number_bytes + 3) / 4;
    profile.layers.push_back(
        {each.layer, floats, times.forward_s, times.backward_s, std::max(1, each.tensors)});
  }
  return profile;
}

}  // namespace foretrain
