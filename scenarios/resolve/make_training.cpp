// A training by its scenario: network, layout, length.
#include "scenarios/resolve/make_training.h"

#include "models/base/check.h"
#include "models/cost/trees.h"
#include "models/cost/work.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/check.h"
#include "scenarios/resolve/layer_profile.h"
#include "scenarios/resolve/local_sum.h"
#include "scenarios/resolve/node_counts.h"
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

/// Examples that the times of the profile are of.
int profile_batch(const Scenario& scenario) {
  return scenario.model.profile_batch > 0 ? scenario.model.profile_batch
                                          : scenario.training.batch_size;
}

/// @throws NetworkError; of a profile InputError
std::shared_ptr<const Network> make_network(const Scenario& scenario, const InputShape& input) {
  const ModelSpec& model = scenario.model;
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

/// The network, or an error at the layer that is wrong.
std::shared_ptr<const Network> network_of(const Case& c, const DatasetShape& shape) {
  try {
    return make_network(c.scenario, shape.input);
  } catch (const NetworkError& error) {
    const bool listed = !c.scenario.model.layers.empty() && error.layer() >= 0;
    fail(c, listed ? fmt::format("model.layers[{}]", error.layer()) : "model", error.what());
  } catch (const InputError& error) {
    fail(c, "model.profile", error.what());
  }
}

constexpr double kMostProfiled_s = 1e6;  // as a host's `compute`

/// Refuses what was measured on a host where that makes no time, or one that no clock could count.
void check_measured_times(const Case& c, std::int64_t examples, const Network& network) {
  const int batch = c.scenario.training.batch_size;
  const auto& hosts = c.scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const std::string& called = c.scenario.model.profile_network;
    const auto gradient = measured_gradient(hosts[i].measured, called, batch);
    if (!gradient) continue;
    const std::string key = fmt::format("cluster.hosts[{}].measured", i);
    if (gradient_cost(network, batch).measured.ns == 0) {
      fail(c, "model.profile",
           "a gradient takes no time by it, so that layers have no shares of what was measured; "
           "write times in proportion to their work");
    }
    if (gradient->ns <= 0) {
      fail(c, key,
           fmt::format("by these rows a batch of {} of {} takes no time; write one of a batch near "
                       "it",
                       batch, called));
    }
    if (gradient->seconds() * static_cast<double>(examples) / batch <= kMostProfiled_s) continue;
    fail(c, key,
         fmt::format("by these rows {} examples of {} take longer than {:.0f} s; check "
                     "examples_per_s",
                     examples, called, kMostProfiled_s));
  }
}

/// Refuses a profile that takes so long, here, that no clock could count it.
void check_profile_times(const Case& c, const DatasetShape& shape, const Network& network) {
  const int batch = profile_batch(c.scenario);
  // Of the batch that was measured: `read_profile` has seen to it that this can be counted.
  const double measured_s = gradient_cost(network, batch).measured.seconds();
  const auto examples = std::max(c.scenario.training.examples_a_gradient(), shape.test_examples);
  check_measured_times(c, examples, network);
  if (measured_s * static_cast<double>(examples) / batch <= kMostProfiled_s) return;
  fail(c, "model.profile",
       fmt::format("{} examples take longer than {:.0f} s; check that its times are milliseconds",
                   examples, kMostProfiled_s));
}

const Protocol& protocol_of(const Scenario& scenario) {
  return protocol_called(scenario.training.strategy);
}

/// Refuses more workers than the data set has examples.
void check_examples(const Case& c, const NodeCounts& counts, const DatasetShape& shape) {
  if (c.scenario.model.profiled() || counts.workers <= shape.train_examples) return;
  fail(c, "training.workers",
       fmt::format("{} workers for {} training examples; write fewer workers, or take more "
                   "examples",
                   counts.workers, shape.train_examples));
}

/// Refuses what the model is too small for, or cannot do.
void check_fits(const Case& c, const NodeCounts& counts, const Network& network) {
  const auto [workers, servers] = counts;
  if (servers > network.parameters()) {
    fail(c, "training.servers",
         fmt::format("{} servers for the {} parameters of {}; write fewer servers", servers,
                     network.parameters(), c.scenario.model.label()));
  }
  const auto tensors = std::ssize(network.blocks());
  const bool per_tensor = c.scenario.training.bucket_size.value == 0;
  if (per_tensor && !network.sparse() && servers > tensors) {
    fail(c, "training.servers",
         fmt::format("{} servers for the {} tensors of {}; write fewer servers, or a bucket_size",
                     servers, tensors, c.scenario.model.label()));
  }
  if (network.sparse() && servers > 0 && c.scenario.training.compression.wanted()) {
    fail(c, "training.compression",
         "a sparse model sends what a batch touches, which is small already; remove it");
  }
  if (network.sparse() && servers > 0 && c.scenario.training.local_sum) {
    fail(c, "training.local_sum",
         "workers of a sparse model push what their batches touch, each other parameters; remove "
         "it");
  }
  if (network.sparse() && !protocol_of(c.scenario).dense && c.scenario.training.accumulate > 1) {
    fail(c, "training.accumulate",
         "a worker of a sparse model asks for what its next batch reads with the gradient of this "
         "one; remove it, or write a larger batch_size");
  }
  if (per_tensor && network.sparse() && servers > 0) {
    fail(c, "training.bucket_size",
         "per_tensor, but a sparse model sends what a batch touches, one message a server; remove "
         "it");
  }
  if (network.sparse() && servers > 0 && c.scenario.training.bucket_rule == "ddp") {
    fail(c, "training.bucket_rule",
         "ddp, but a sparse model sends what a batch touches, one message a server; remove it");
  }
  if (per_tensor && c.scenario.training.bucket_rule == "ddp") {
    fail(c, "training.bucket_size", "per_tensor, but ddp joins tensors; write a size");
  }
  if (per_tensor && servers == 0 && workers > 1) {
    fail(c, "training.bucket_size",
         "per_tensor, but without servers gradients travel in equal chunks; write a size");
  }
  if (servers == 0 && workers > network.parameters()) {
    fail(c, "training.workers",
         fmt::format("{} workers for the {} parameters of {}; write fewer workers", workers,
                     network.parameters(), c.scenario.model.label()));
  }
  if (network.sparse() && !protocol_of(c.scenario).dense &&
      c.scenario.training.optimizer.penalty_in_loss) {
    fail(c, "training.optimizer.penalty_in_loss",
         "a worker of a sparse model holds only the parameters that its batch reads, so it cannot "
         "add all of them up; remove it");
  }
}

/// What sums of workers go over: of the hosts the slowest; of one host's devices their links, a
/// port each.
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

/// Which sums go over trees: that of a single group goes nowhere.
Trees trees_of(const Scenario& scenario, const Training& training) {
  if (!reads(protocol_of(scenario), kAlgorithm)) return {};
  const std::string& algorithm = training.options.word(kAlgorithm);
  const auto group = static_cast<int>(training.options.integer(kGroup));
  Trees trees{{}, training.workers, group};
  if (training.workers == group) return trees;
  if (group == 1 && !scenario.cluster.hosts.empty()) {
    const std::vector<NodePlace> places = place_nodes(scenario);
    const int devices =
        devices_a_host(std::span(places).first(static_cast<std::size_t>(training.workers)));
    if (devices > 1 && devices < training.workers) trees.group = devices;
  }
  if (algorithm == "tree") trees.up_to = {std::numeric_limits<std::int64_t>::max()};
  if (algorithm != "auto") return trees;
  // Buckets overlap, so latencies are waited for once, bytes by all of them.
  const Bytes most = trees_up_to(sum_links(scenario, training.workers), group, trees.group);
  const Bytes all{4 * training.network->parameters()};
  if (all <= most) trees.up_to = {std::numeric_limits<std::int64_t>::max()};
  return trees;
}

// Of an all-reduce: small enough to be summed while it is in the cache, so large that messages are
// few. 25 MB between two processes took 13 to 15 ms so, 14 to 19 in 128 KiB, 17 to 21 in 64 KiB.
constexpr Bytes kMostChunk{250 * 1000};

/// The lengths of the tensors that `bucket_size: per_tensor` sends one by one.
std::vector<std::int64_t> tensors_of(const Network& network) {
  std::vector<std::int64_t> tensors;
  tensors.reserve(network.blocks().size());
  for (const ParameterBlock& block : network.blocks()) tensors.push_back(block.count);
  return tensors;
}

/// How many tensors of the network are in each bucket.
Layout with_tensors(Layout layout, const Network& network, bool per_tensor) {
  const auto a_parameter =
      static_cast<double>(network.blocks().size()) / static_cast<double>(layout.parameters);
  for (Bucket& bucket : layout.buckets) {
    const double share = a_parameter * static_cast<double>(bucket.count);
    bucket.tensors = per_tensor ? 1 : static_cast<float>(share);
  }
  return layout;
}

/// Gradients a worker, after the length that the scenario gives; of what is known of `made`.
std::int64_t steps_of(const Scenario& scenario, const Training& made, std::int64_t examples) {
  const TrainingSpec& training = scenario.training;
  const std::int64_t workers = made.workers;
  if (training.steps > 0) return training.steps;
  if (training.updates > 0) {
    return (training.updates * gradients_an_update(scenario) + workers - 1) / workers;
  }
  const double epochs = training.epochs > 0 ? training.epochs : 1;
  const double steps = epochs * static_cast<double>(examples) /
                       static_cast<double>(workers * training.examples_a_gradient());
  // 0.7 epochs of 1,000 examples are 700, though 0.7 is a little less in binary, or more.
  constexpr double kRounding = 1e-9;
  const double whole = std::round(steps);
  const bool close = std::abs(steps - whole) <= kRounding * steps;
  return std::max<std::int64_t>(1, static_cast<std::int64_t>(close ? whole : std::ceil(steps)));
}

/// Of a sparse model: parameters that a batch touches, in the mean.
double touched_mean(const Network& network, const DatasetShape& shape) {
  const std::int64_t others = network.parameters() - network.layers().front()->weights();
  return shape.features_mean * static_cast<double>(network.weights_a_feature()) +
         static_cast<double>(others);
}

/// Between evaluations, however the scenario counts.
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

}  // namespace

std::shared_ptr<const Training> make_training(const Case& scenario_case, const CaseData& data,
                                              bool numerics) {
  const Scenario& scenario = scenario_case.scenario;
  const NodeCounts counts = node_counts(scenario);
  check_examples(scenario_case, counts, data.shape);
  auto training = std::make_shared<Training>();
  training->network = network_of(scenario_case, data.shape);
  if (training->network->profiled()) {
    check_profile_times(scenario_case, data.shape, *training->network);
  }
  check_fits(scenario_case, counts, *training->network);
  training->strategy = scenario.training.strategy;
  // What the strategy reads; a sweep may have the rest for others.
  training->options = scenario.training.protocol.only(protocol_of(scenario).options);
  training->dense = protocol_of(scenario).dense;
  training->workers = counts.workers;
  training->servers = counts.servers;
  training->batch_size = scenario.training.batch_size;
  training->accumulate = scenario.training.accumulate;
  training->threads = scenario.training.threads;
  training->steps = steps_of(scenario, *training, data.shape.train_examples);
  const std::int64_t gradients = gradients_an_update(scenario);
  FT_CHECK_OP(gradients, >, 0);
  if (protocol_of(scenario).synchronous && gradients < training->workers) {
    training->updates = scenario.training.updates > 0
                            ? scenario.training.updates
                            : (training->steps * training->workers + gradients - 1) / gradients;
  }
  training->overlap = scenario.training.overlap;
  if (scenario.cluster.hosts.empty()) training->small_share = kSmallShareHere;
  training->launch = scenario.framework.collective;
  training->forward_waits = scenario.training.bucket_rule == "ddp";
  if (protocol_of(scenario).shards) training->sharded = scenario.training.shard;
  if (training->gathers()) training->parts = static_cast<int>(training->options.integer(kGroup));
  if (training->parts <= 1) training->parts = training->workers;
  training->reduces_batches = training->sharded != "optimizer" && training->workers > 1 &&
                              training->accumulate > 1 && scenario.training.reduce == "batch";
  if (training->nodes() > 1) training->compression = scenario.training.compression;
  training->evaluate_every = evaluation_steps(scenario);
  if (!protocol_of(scenario).synchronous) training->updates_a_step = training->workers;
  training->checkpoint = scenario.checkpoint.every;
  training->target = scenario.training.until;
  if (protocol_of(scenario).several_workers) {
    training->return_limit = scenario.training.rejoin_limit;
  }
  training->seed = scenario.seed;
  training->optimizer_spec = scenario.training.optimizer;
  training->optimizer = make_optimizer(scenario.training.optimizer);
  training->layout = std::make_shared<const Layout>(
      with_tensors(layout_of(scenario, *training, training->servers), *training->network,
                   scenario.training.bucket_size.value == 0 && !training->sparse()));
  if (training->sparse()) {
    training->touched_mean = touched_mean(*training->network, data.shape);
  }
  training->train_examples = data.shape.train_examples;
  training->test_examples = data.shape.test_examples;
  training->numerics = numerics;
  if (auto start = numerics ? start_of(scenario_case, *training->network) : std::nullopt) {
    training->start = std::make_shared<const std::vector<float>>(std::move(start->parameters));
    training->start_statistics = std::move(start->statistics);
  }
  training->data = data.examples;
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
  if (servers > 0) {
    // A sparse message carries what a batch touches, however large the model: a bucket is a shard.
    if (training.sparse()) return make_layout(parameters, all, servers);
    if (training.forward_waits) {
      return make_ddp_layout(tensors_of(*training.network), largest, largest, servers);
    }
    return largest.value > 0 ? make_layout(parameters, largest, servers)
                             : make_tensor_layout(tensors_of(*training.network), servers);
  }
  // Of a single worker nothing travels, so nothing is cut.
  if (training.workers == 1) return make_layout(parameters, all, 1);
  const Trees trees = trees_of(scenario, training);
  if (training.forward_waits) {
    return make_ddp_layout(tensors_of(*training.network), largest, kMostChunk, training.workers,
                           trees);
  }
  return make_dealt_layout(parameters, std::min(largest, kMostChunk), training.workers, trees);
}

}  // namespace foretrain
