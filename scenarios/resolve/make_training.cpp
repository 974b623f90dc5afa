// Makes the training of a scenario: network, layout, length.
#include "scenarios/resolve/make_training.h"

#include "models/base/check.h"
#include "models/cost/trees.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/gradient_counts.h"
#include "scenarios/resolve/layer_profile.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// @throws NetworkError; InputError for a profile
std::shared_ptr<const Network> make_network(const Scenario& scenario, const InputShape& input,
                                            const CountedNetwork* counted) {
  const ModelSpec& model = scenario.model;
  if (counted != nullptr) return std::make_shared<const Network>(timed_profile(*counted, scenario));
  if (model.profiled()) {
    const NetworkProfile profile = read_profile(model.profile, profile_batch(scenario));
    return std::make_shared<const Network>(profile);
  }
  NetworkSpec spec =
      model.layers.empty() ? network_spec(model.name, model.options) : NetworkSpec{model.layers};
  if (!scenario.training.init.kind.empty()) {
    for (LayerSpec& layer : spec.layers) layer.init = {.kind = scenario.training.init.kind};
  }
  return std::make_shared<const Network>(spec, input);
}

/// The network; an error names the wrong layer.
std::shared_ptr<const Network> network_of(const Case& c, const DatasetShape& shape,
                                          const CountedNetwork* counted) {
  try {
    return make_network(c.scenario, shape.input, counted);
  } catch (const NetworkError& error) {
    const bool listed = !c.scenario.model.layers.empty() && error.layer() >= 0;
    fail(c, listed ? fmt::format("model.layers[{}]", error.layer()) : "model", error.what());
  } catch (const InputError& error) {
    fail(c, "model.profile", error.what());
  }
}

const Protocol& protocol_of(const Scenario& scenario) {
  return protocol_called(scenario.training.strategy);
}

/// The links of sums among workers: the slowest host's, or the links between devices of a single
/// host, with a port each.
SumLinks sum_links(const Scenario& scenario, int workers) {
  const ClusterSpec& cluster = scenario.cluster;
  SumLinks links;
  if (cluster.hosts.empty()) return links;
  const std::vector<NodePlace> places = place_nodes(scenario);
  const auto of_workers = std::span(places).first(static_cast<std::size_t>(workers));
  links.hosts.reserve(of_workers.size());
  for (const NodePlace& place : of_workers) links.hosts.push_back(static_cast<int>(place.host));
  if (std::ranges::count(links.hosts, links.hosts.front()) == workers) {
    const DeviceLinkSpec& link = cluster.hosts[of_workers.front().spec].device_link;
    std::iota(links.hosts.begin(), links.hosts.end(), 0);
    return {std::move(links.hosts), link.latency, link.latency, link.rate, link.rate};
  }
  const auto take = [&](Duration latency, BytesPerSecond rate, BytesPerSecond port) {
    links.latency = std::max(links.latency, latency);
    links.rate = links.rate.value > 0 ? std::min(links.rate, rate) : rate;
    links.port = links.port.value > 0 ? std::min(links.port, port) : port;
  };
  for (const HostSpec& host : cluster.hosts) {
    const auto cpu = Duration::from_seconds(host.send.overhead_s + host.receive.overhead_s);
    BytesPerSecond rate = host.nic;
    if (host.flow_rate.value > 0) rate = std::min(rate, cluster.rate_between_two(host));
    take(host.latency * 2 + (host.rdma() ? Duration{} : cpu), rate, host.nic);
    const bool joined = host.devices > 0 && host.device_link.rate.value > 0;
    links.inside = std::max(links.inside, joined ? host.device_link.latency : cpu);
  }
  for (const LinkSpec& each : cluster.links) take(each.latency * 2, each.rate, each.rate);
  if (cluster.topology == "leaf_spine")
    links.latency = links.latency + cluster.leaf_spine.latency * 2;
  return links;
}

/// The number of devices, with a worker each, that share the NIC of each host; 1 on a single host.
int devices_at_a_nic(const Scenario& scenario, int workers) {
  if (scenario.cluster.hosts.empty()) return 1;
  const std::vector<NodePlace> places = place_nodes(scenario);
  const int devices = devices_a_host(std::span(places).first(static_cast<std::size_t>(workers)));
  return devices < workers ? std::max(1, devices) : 1;
}

/// The sums that use trees: none with a single group, which needs no messages between groups.
Trees trees_of(const Scenario& scenario, const Training& training) {
  if (!reads(protocol_of(scenario), kAlgorithm)) return {};
  const std::string& algorithm = training.options.word(kAlgorithm);
  const auto group = static_cast<int>(training.options.integer(kGroup));
  Trees trees{{}, training.workers, group};
  if (training.workers == group) return trees;
  if (group == 1) trees.group = devices_at_a_nic(scenario, training.workers);
  if (algorithm == "tree") trees.up_to = {std::numeric_limits<std::int64_t>::max()};
  if (algorithm != "auto") return trees;
  // Buckets overlap, so the latency counts once, but the bytes of all buckets.
  const Bytes most = trees_up_to(sum_links(scenario, training.workers), group, trees.group);
  const Bytes all{4 * training.network->parameters()};
  if (all <= most) trees.up_to = {std::numeric_limits<std::int64_t>::max()};
  return trees;
}

// For all-reduce: small enough to be summed in the cache, large enough for few messages. With this
// size 25 MB between two processes took 13 to 15 ms, with 128 KiB 14 to 19, with 64 KiB 17 to 21.
constexpr Bytes kMostChunk{250 * 1000};
// The time of a forecast grows with the number of pieces, so a large profile has about this many in
// all: a piece then takes as small a share of the step as one of 250 KB takes of 1 GB.
constexpr std::int64_t kMostPieces = 4'000;

Bytes most_chunk(const Network& network) {
  const Bytes share{network.profiled() ? 4 * network.parameters() / kMostPieces : 0};
  return std::max(kMostChunk, share);
}

/// The lengths of what one message or collective has at least: tensors, or layers with
/// `bucket_rule: layer`.
std::vector<std::int64_t> units_of(const Scenario& scenario, const Network& network) {
  std::vector<std::int64_t> units;
  if (scenario.training.bucket_rule == "layer") {
    for (const auto& layer : network.layers()) {
      if (layer->parameters() > 0) units.push_back(layer->parameters());
    }
    return units;
  }
  units.reserve(network.blocks().size());
  for (const ParameterBlock& block : network.blocks()) units.push_back(block.count);
  return units;
}

/// The size at which a bucket of units is closed: a single float closes it if each is its own.
Bytes cap_of(const TrainingSpec& training) {
  const bool own = training.bucket_rule == "layer" || training.bucket_size.value == 0;
  return own ? Bytes{4} : training.bucket_size;
}

/// Consecutive buckets of at most `largest` bytes together are one collective.
Layout in_collectives(Layout layout, Bytes largest) {
  std::int64_t first = 0;
  for (Bucket& bucket : layout.buckets) {
    if (4 * (bucket.first + bucket.count - first) > largest.value) first = bucket.first;
    bucket.with = first;
  }
  return layout;
}

/// Sets the number of the network's tensors in each bucket.
Layout with_tensors(Layout layout, const Network& network, bool per_tensor) {
  const auto a_parameter =
      static_cast<double>(network.blocks().size()) / static_cast<double>(layout.parameters);
  for (Bucket& bucket : layout.buckets) {
    const double share = a_parameter * static_cast<double>(bucket.count);
    bucket.tensors = per_tensor ? 1 : static_cast<float>(share);
  }
  return layout;
}

/// Gradients per worker, from the length that the scenario gives. `made` needs its workers.
std::int64_t steps_of(const Scenario& scenario, const Training& made, std::int64_t examples,
                      std::int64_t tokens) {
  const TrainingSpec& training = scenario.training;
  const std::int64_t workers = made.workers;
  if (training.steps > 0) return training.steps;
  if (training.updates > 0) {
    return (training.updates * gradients_an_update(scenario) + workers - 1) / workers;
  }
  if (training.tokens > 0 && tokens > 0) {
    const std::int64_t a_step = workers * tokens * training.accumulate;
    return std::clamp<std::int64_t>(training.tokens / a_step, 1, kStepsOfTokens);
  }
  const double epochs = training.epochs > 0 ? training.epochs : 1;
  const double steps = epochs * static_cast<double>(examples) /
                       static_cast<double>(workers * training.examples_a_gradient());
  // With rounding: 0.7 epochs of 1,000 examples are 700, although 0.7 is not exact in binary.
  constexpr double kRounding = 1e-9;
  const double whole = std::round(steps);
  const bool close = std::abs(steps - whole) <= kRounding * steps;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(close ? whole : std::ceil(steps)));
}

/// Mean number of parameters that a batch touches, for a sparse model.
double touched_mean(const Network& network, const DatasetShape& shape) {
  const std::int64_t others = network.parameters() - network.layers().front()->weights();
  return shape.features_mean * static_cast<double>(network.weights_a_feature()) +
         static_cast<double>(others);
}

/// Steps between evaluations, whichever unit the scenario uses.
std::int64_t evaluation_steps(const Scenario& scenario) {
  const TrainingSpec& training = scenario.training;
  if (!training.evaluate_by_examples || training.evaluate_every == 0)
    return training.evaluate_every;
  const std::int64_t workers = node_counts(scenario).workers;
  // With backup workers some gradients do not count.
  const std::int64_t gradients = protocol_of(scenario).synchronous
                                     ? std::min(gradients_an_update(scenario), workers)
                                     : workers;
  const auto a_step = static_cast<double>(gradients * training.examples_a_gradient());
  const double steps = static_cast<double>(training.evaluate_every) / a_step;
  return std::max<std::int64_t>(1, std::llround(steps));
}

/// Sets the protocol, the nodes, the batch and the options of a step.
void set_shape(Training& training, const Scenario& scenario, const NodeCounts& counts) {
  const TrainingSpec& spec = scenario.training;
  const Protocol& protocol = protocol_of(scenario);
  training.protocol = &protocol;
  // Only the options that the strategy reads; a sweep may have others for other strategies.
  training.options = spec.protocol.only(protocol.options);
  training.dense = protocol.dense;
  training.workers = counts.workers;
  training.servers = counts.servers;
  training.batch_size = spec.batch_size;
  training.accumulate = spec.accumulate;
  training.threads = spec.threads;
  training.seed = scenario.seed;
  training.optimizer_spec = spec.optimizer;
  training.optimizer = make_optimizer(spec.optimizer);
  training.overlap = spec.overlap;
  if (scenario.cluster.hosts.empty()) training.small_share = kSmallShareHere;
  // Over a hypercube each device would send all its part through the NIC, round a ring one does.
  if (devices_at_a_nic(scenario, training.workers) > 1) training.small_share = {};
  training.launch = scenario.framework.collective;
  const std::string& collectives = training.options.word(kCollectives);
  training.one_by_one = collectives == "one_by_one" || (collectives == "auto" && protocol.rooted);
  training.forward_waits = spec.bucket_rule != "size";
  if (protocol.shards && spec.shard == "gradients") training.sharded = Sharded::gradients;
  if (protocol.shards && spec.shard == "parameters") training.sharded = Sharded::parameters;
  if (training.gathers()) training.parts = static_cast<int>(training.options.integer(kGroup));
  if (training.parts <= 1) training.parts = training.workers;
  training.reduces_batches = training.sharded != Sharded::optimizer && training.workers > 1 &&
                             training.accumulate > 1 && spec.reduce == "batch";
  if (training.nodes() > 1) training.compression = spec.compression;
  if (protocol.several_workers) training.return_limit = spec.rejoin_limit;
}

/// Sets the number of steps and updates, the intervals of evaluations and checkpoints, the target.
/// Call it after set_shape.
/// `tokens`: of a batch, if the network reads text.
void set_length(Training& training, const Scenario& scenario, const DatasetShape& data,
                std::int64_t tokens) {
  const bool synchronous = protocol_of(scenario).synchronous;
  training.train_examples = data.train_examples;
  training.test_examples = data.test_examples;
  training.steps = steps_of(scenario, training, data.train_examples, tokens);
  const std::int64_t gradients = gradients_an_update(scenario);
  FT_CHECK_OP(gradients, >, 0);
  if (synchronous && gradients < training.workers) {
    training.updates = scenario.training.updates > 0
                           ? scenario.training.updates
                           : (training.steps * training.workers + gradients - 1) / gradients;
  }
  if (!synchronous) training.updates_a_step = training.workers;
  training.evaluate_every = evaluation_steps(scenario);
  training.checkpoint = scenario.checkpoint.every;
  training.target = scenario.training.until;
}

/// Sets the layout: the part of the parameters in each message. Call it after set_shape.
void set_layout(Training& training, const Scenario& scenario, const DatasetShape& data) {
  const bool per_tensor =
      scenario.training.bucket_size.value == 0 && !training.sparse() && training.servers > 0;
  training.layout = std::make_shared<const Layout>(
      with_tensors(layout_of(scenario, training, training.servers), *training.network, per_tensor));
  if (training.sparse()) training.touched_mean = touched_mean(*training.network, data);
}

}  // namespace

std::shared_ptr<const Training> make_training(const Case& scenario_case, const CaseData& data,
                                              const CountedNetwork* counted, bool numerics) {
  const Scenario& scenario = scenario_case.scenario;
  check_examples(scenario_case, data.shape);
  auto training = std::make_shared<Training>();
  training->network = network_of(scenario_case, data.shape, counted);
  check_network(scenario_case, data.shape, *training->network);
  set_shape(*training, scenario, node_counts(scenario));
  set_length(*training, scenario, data.shape, counted == nullptr ? 0 : counted->tokens);
  set_layout(*training, scenario, data.shape);
  training->numerics = numerics;
  training->data = data.examples;
  if (auto start = numerics ? start_of(scenario_case, *training->network) : std::nullopt) {
    training->start = std::make_shared<const std::vector<float>>(std::move(start->parameters));
    training->start_statistics = std::move(start->statistics);
  }
  return training;
}

std::optional<Weights> start_of(const Case& c, const Network& network) {
  const std::string& from = c.scenario.training.init.from;
  if (from.empty()) return std::nullopt;
  try {
    return read_weights(from, network);
  } catch (const InputError& error) {
    fail(c, "training.init.from", error.what());
  }
}

Layout layout_of(const Scenario& scenario, const Training& training, int servers) {
  const std::int64_t parameters = training.network->parameters();
  const Bytes all{parameters * 4};
  const Bytes largest = scenario.training.bucket_size;
  // A root owns all buckets, as a single server does. A single worker sends nothing, so nothing is
  // cut.
  if (training.protocol->rooted && training.workers > 1) servers = 1;
  if (servers > 0) {
    // A sparse message has only the parameters that a batch touches, however large the model is, so
    // a bucket is a whole shard.
    if (training.sparse()) return make_layout(parameters, all, servers);
    const std::vector<std::int64_t> units = units_of(scenario, *training.network);
    if (training.forward_waits) {
      return make_ddp_layout(units, cap_of(scenario.training), largest, servers);
    }
    return largest.value > 0 ? make_layout(parameters, largest, servers)
                             : make_tensor_layout(units, servers);
  }
  if (training.workers == 1) return make_layout(parameters, all, 1);
  const Trees trees = trees_of(scenario, training);
  if (training.forward_waits || largest.value == 0) {
    return make_ddp_layout(units_of(scenario, *training.network), cap_of(scenario.training),
                           most_chunk(*training.network), training.workers, trees,
                           training.network->profiled());
  }
  Layout layout = make_round_robin_layout(
      parameters, std::min(largest, most_chunk(*training.network)), training.workers, trees);
  return training.one_by_one ? in_collectives(std::move(layout), largest) : layout;
}

}  // namespace foretrain
