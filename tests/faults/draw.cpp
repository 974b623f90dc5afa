#include "tests/faults/draw.h"

#include "models/optimizers/optimizer.h"
#include "models/protocol/registry.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

namespace foretrain::faults {
namespace {

int number(Stream& draw, int least, int most) {
  return least + static_cast<int>(draw.below(static_cast<std::uint64_t>(most - least + 1)));
}

bool one_in(Stream& draw, std::uint64_t n) { return draw.below(n) == 0; }

template <class T, std::size_t N>
T any_of(Stream& draw, const std::array<T, N>& items) {
  return items.at(draw.below(N));
}

Duration share_of(Stream& draw, Duration whole, double most) {
  return {1 + std::llround(draw.uniform() * most * static_cast<double>(whole.ns))};
}

void draw_options(Stream& draw, const Protocol& protocol, TrainingSpec& training) {
  ProtocolOptions& options = training.protocol;
  for (const Option* option : protocol.options) {
    if (std::holds_alternative<std::int64_t>(option->fallback)) {
      options.set(*option, static_cast<std::int64_t>(option->least) + number(draw, 0, 3));
    } else if (!option->choices.empty()) {
      options.set(*option, option->choices[draw.below(option->choices.size())]);
    }
    if (protocol.wrong(options, training.workers)) options.set(*option, option->fallback);
  }
}

// Sparse models too, with optimizers that leave absent rows alone or change them.
void draw_model(Stream& draw, Scenario& scenario) {
  OptimizerSpec& optimizer = scenario.training.optimizer;
  scenario.dataset.take = 64;
  scenario.dataset.test_take = 16;
  const bool sparse = one_in(draw, 4);
  if (sparse) {
    scenario.model.name = "sparse_logistic";
    scenario.model.hash_bits = 6;
    scenario.dataset.format = "clicks";
  } else {
    scenario.model.name = "mlp";
    scenario.model.options.hidden = {number(draw, 2, 4)};
    scenario.dataset.format = "images";
    scenario.dataset.side = 8;
    scenario.dataset.channels = 1;
    scenario.dataset.classes = 3;
  }
  constexpr std::array kDense{"sgd", "sgd", "momentum", "adam"};
  constexpr std::array kSparse{"sgd", "ftrl", "adagrad", "adam"};
  optimizer.name = any_of(draw, sparse ? kSparse : kDense);
  optimizer.learning_rate = optimizer.name == "sgd" ? 0.2 : default_learning_rate(optimizer.name);
}

// The first or last host receives slowly, so messages to it accumulate.
void draw_slow_reader(Stream& draw, std::vector<HostSpec>& hosts) {
  if (hosts.front().count < 2) return;
  --hosts.front().count;
  HostSpec reader = hosts.front();
  reader.name = "reader";
  reader.count = 1;
  reader.receive = {any_of(draw, std::array{1e-3, 0.05}), 1e-5};
  hosts.insert(one_in(draw, 2) ? hosts.begin() : hosts.end(), reader);
}

void draw_hosts(Stream& draw, Scenario& scenario) {
  const NodeCounts counts = node_counts(scenario);
  HostSpec host;
  host.name = "node";
  // Usually one node per host, else some hosts have two.
  host.count = one_in(draw, 4) ? std::max(2, counts.nodes() - 1) : counts.nodes();
  host.cores = number(draw, 1, 2);
  host.compute = Duration{
      any_of<std::int64_t>(draw, std::array<std::int64_t, 3>{2'000'000, 50'000'000, 400'000'000})};
  host.nic = {any_of(draw, std::array{2e3, 2e4, 1e6})};
  if (one_in(draw, 4)) host.burst = {number(draw, 2'000, 5'000)};
  if (one_in(draw, 2)) host.latency = {number(draw, 1'000, 20'000'000)};
  scenario.cluster.hosts = {host};
  scenario.cluster.tcp = one_in(draw, 2);
  if (one_in(draw, 4)) draw_slow_reader(draw, scenario.cluster.hosts);
  constexpr std::array<std::int64_t, 3> kUnsent{0, 1'000, 256 * 1024};
  scenario.transport.unsent = {any_of(draw, kUnsent)};
}

void draw_stragglers(Stream& draw, Scenario& scenario) {
  const int workers = node_counts(scenario).workers;
  for (int i = number(draw, 0, 2); i > 0; --i) {
    StragglerSpec spec;
    spec.workers = {number(draw, 0, workers - 1)};
    switch (draw.below(3)) {
      case 0:
        spec.slowdown = number(draw, 2, 6);
        break;
      case 1:
        spec.pause = *scenario.cluster.hosts[0].compute * number(draw, 1, 4);
        spec.every = spec.pause * number(draw, 1, 8);
        break;
      default:
        spec.distribution = "exponential";
    }
    scenario.stragglers.push_back(spec);
  }
}

void draw_checkpoint(Stream& draw, Scenario& scenario) {
  CheckpointSpec& checkpoint = scenario.checkpoint;
  if (one_in(draw, 2)) {
    checkpoint.every.steps = number(draw, 1, 4);
  } else {
    checkpoint.every.time = std::max(Duration{10'000'000},  // lower bound of scenarios
                                     *scenario.cluster.hosts[0].compute * number(draw, 1, 4));
  }
  checkpoint.write_rate = {any_of(draw, std::array{1e4, 600e6})};
}

std::string name_of_node(const Scenario& scenario, int node) {
  const int workers = node_counts(scenario).workers;
  return node < workers ? fmt::format("worker{}", node) : fmt::format("server{}", node - workers);
}

// Much shorter than the silence limit, about as long, or longer.
Duration a_while(Stream& draw, Duration length, Duration silence) {
  switch (draw.below(4)) {
    case 0:
      return silence + share_of(draw, length, 1) + Duration{1'000'000};
    case 1:
      return silence - share_of(draw, silence, 0.2);
    default:
      return std::min(share_of(draw, length, 0.5), silence - Duration{1});
  }
}

// One part of the hosts is cut off from the other.
void draw_partition(Stream& draw, Scenario& scenario, FaultSpec fault) {
  const std::vector<NodePlace> places = place_nodes(scenario);
  std::size_t hosts = 0;
  for (const HostSpec& host : scenario.cluster.hosts) hosts += static_cast<std::size_t>(host.count);
  std::vector<int> node_of_host(hosts, -1);
  for (std::size_t node = 0; node < places.size(); ++node) {
    node_of_host[places[node].host] = static_cast<int>(node);
  }
  std::erase(node_of_host, -1);
  draw.shuffle(std::span(node_of_host));
  fault.one_way = one_in(draw, 4);
  const auto border = 1 + draw.below(std::max<std::size_t>(1, node_of_host.size() - 1));
  for (std::size_t a = 0; a < border; ++a) {
    for (std::size_t b = border; b < node_of_host.size(); ++b) {
      fault.cut = {name_of_node(scenario, node_of_host[a]),
                   name_of_node(scenario, node_of_host[b])};
      scenario.faults.push_back(fault);
    }
  }
}

void draw_cut(Stream& draw, Scenario& scenario, FaultSpec fault) {
  const std::vector<NodePlace> places = place_nodes(scenario);
  const int nodes = static_cast<int>(places.size());
  const auto a = static_cast<std::size_t>(number(draw, 0, nodes - 1));
  const auto b = static_cast<std::size_t>(number(draw, 0, nodes - 1));
  fault.one_way = one_in(draw, 3);
  if (places[a].host == places[b].host) return;
  fault.cut = {name_of_node(scenario, static_cast<int>(a)),
               name_of_node(scenario, static_cast<int>(b))};
  scenario.faults.push_back(fault);
}

void draw_swizzle(Stream& draw, Scenario& scenario, Duration at, Duration lasting) {
  std::vector<int> nodes(static_cast<std::size_t>(node_counts(scenario).nodes()));
  std::iota(nodes.begin(), nodes.end(), 0);
  draw.shuffle(std::span(nodes));
  nodes.resize((nodes.size() + 1) / 2);
  for (const int node : nodes) {
    FaultSpec fault;
    fault.at = at + share_of(draw, lasting, 0.5);
    fault.stop = name_of_node(scenario, node);
    fault.lasting = share_of(draw, lasting, 1);
    scenario.faults.push_back(fault);
  }
}

// Restarts a killed node, if it can come back.
void draw_return(Stream& draw, const Scenario& scenario, FaultSpec& fault, Duration length) {
  const int node = *node_called(scenario, fault.kill);
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  const TrainingSpec& training = scenario.training;
  const bool takes_back = protocol.takes_back(training.protocol) || training.rejoin_limit.ns > 0;
  const bool may = takes_back && node > 0 && node < node_counts(scenario).workers;
  if (!may || one_in(draw, 3)) return;
  fault.restart_after = one_in(draw, 8) ? Duration{} : share_of(draw, length, 0.5);
}

void draw_fault(Stream& draw, Scenario& scenario, Duration length) {
  const NodeCounts counts = node_counts(scenario);
  const std::string node = name_of_node(scenario, number(draw, 0, counts.nodes() - 1));
  FaultSpec fault;
  fault.at = share_of(draw, length, 1.2);
  switch (draw.below(8)) {
    case 0:
      fault.kill = node;
      draw_return(draw, scenario, fault, length);
      break;
    case 1:
      fault.join = fmt::format("worker{}", number(draw, 0, counts.workers - 1));
      fault.at = share_of(draw, length, 0.5);
      break;
    case 2:
      fault.slow = node;
      fault.to = any_of(draw, std::array{0.01, 0.1, 0.5});
      fault.lasting = share_of(draw, length, 1);
      break;
    case 3:
      return draw_swizzle(draw, scenario, fault.at, a_while(draw, length, silence_of(scenario)));
    case 4:
      fault.lasting = a_while(draw, length, silence_of(scenario));
      return draw_partition(draw, scenario, fault);
    case 5:
    case 6:
      fault.lasting = a_while(draw, length, silence_of(scenario));
      return draw_cut(draw, scenario, fault);
    default:
      fault.stop = node;
      fault.lasting = a_while(draw, length, silence_of(scenario));
  }
  scenario.faults.push_back(fault);
}

// Removes joins of nodes that die before.
void drop_late_joins(Scenario& scenario) {
  std::erase_if(scenario.faults, [&](const FaultSpec& fault) {
    if (fault.join.empty()) return false;
    const FaultSchedule life = fault_schedule_of(scenario, *node_called(scenario, fault.join));
    return !life.deaths.empty() && life.joins_at >= life.deaths.front().at;
  });
}

// Large enough that a gradient consists of several jobs, which begin as their buckets arrive.
void make_larger(Scenario& scenario) {
  if (scenario.model.name != "mlp") return;
  scenario.model.options.hidden = {40, 40};
  scenario.training.batch_size = 256;
  if (scenario.training.bucket_size.value < 1'000) scenario.training.bucket_size = {4'000};
}

// Draws from a separate stream, so that other draws of a seed do not change.
void draw_accumulate(Scenario& scenario) {
  Stream draw(scenario.seed, "test.accumulate");
  if (one_in(draw, 3)) scenario.training.accumulate = number(draw, 2, 4);
}

void draw_compression(Scenario& scenario) {
  Stream draw(scenario.seed, "test.compression");
  if (!one_in(draw, 3)) return;
  TrainingSpec& training = scenario.training;
  if (protocol_called(training.strategy).rooted) return;
  const bool sums = !protocol_called(training.strategy).servers;
  const bool halves = sums || one_in(draw, 2);
  training.compression.kind = halves ? "fp16" : "topk";
  if (!halves) training.compression.share = any_of(draw, std::array{0.01, 0.2});
}

}  // namespace

Case draw_training(Stream& draw, const std::string& strategy) {
  Case result;
  Scenario& scenario = result.scenario;
  scenario.name = "faults";
  scenario.seed = 1 + draw.below(1'000'000);
  draw_model(draw, scenario);
  TrainingSpec& training = scenario.training;
  const Protocol& protocol = protocol_called(strategy);
  training.strategy = strategy;
  training.silence_limit = Duration::from_seconds(0.1 * std::pow(600, draw.uniform()));
  training.workers = protocol.several_workers ? number(draw, one_in(draw, 8) ? 1 : 2, 5) : 1;
  training.batch_size = 4;
  training.steps = number(draw, 2, 10);
  training.evaluate_every = one_in(draw, 2) ? 0 : number(draw, 1, 4);
  if (protocol.several_workers) {
    training.bucket_size = {
        any_of<std::int64_t>(draw, std::array<std::int64_t, 3>{240, 600, 1'000'000})};
    training.overlap = one_in(draw, 2);
    if (protocol.servers) training.servers = number(draw, 1, 3);
    draw_options(draw, protocol, training);
  }
  draw_hosts(draw, scenario);
  draw_stragglers(draw, scenario);
  // With backups and one server, only answers show whose gradients it took, and a checkpoint delays
  // these until server_books.h can no longer tell.
  const int lost = protocol.most_lost(training.protocol, training.workers);
  const bool told = !protocol.synchronous || lost == 0 || training.servers > 1;
  if (one_in(draw, 3) && told) draw_checkpoint(draw, scenario);
  if (protocol.servers && protocol.synchronous && lost == 0 && one_in(draw, 2)) {
    training.rejoin_limit = Duration::from_seconds(0.1 * std::pow(600, draw.uniform()));
  }
  if (scenario.seed % 32 == 0 && protocol.several_workers) make_larger(scenario);
  const bool averages = protocol.steps_an_averaging(training.protocol) > 0;
  if (protocol.several_workers && !averages && scenario.model.name == "mlp") {
    draw_compression(scenario);
  }
  if (scenario.model.name == "mlp") draw_accumulate(scenario);
  return result;
}

void draw_faults(Stream& draw, Case& scenario_case, Duration length) {
  Scenario& scenario = scenario_case.scenario;
  const Duration at_least = std::max(length, Duration{1'000});
  for (int i = number(draw, 1, 4); i > 0; --i) draw_fault(draw, scenario, at_least);
  drop_late_joins(scenario);
}

void draw_returns(Stream& draw, Case& scenario_case, Duration length) {
  Scenario& scenario = scenario_case.scenario;
  const Duration at_least = std::max(length, Duration{1'000});
  for (int i = number(draw, 1, 6); i > 0; --i) {
    FaultSpec fault;
    fault.at = share_of(draw, at_least, 1.2);
    fault.kill = fmt::format("worker{}", number(draw, 1, scenario.training.workers - 1));
    draw_return(draw, scenario, fault, at_least);
    const bool waits = scenario.training.rejoin_limit.ns > 0;
    if (waits && !fault.restart_after) fault.restart_after = share_of(draw, at_least, 0.5);
    scenario.faults.push_back(fault);
  }
}

// Most end within a tenth of a second, few exceed the silence limit.
void draw_clogs(Stream& draw, Case& scenario_case, Duration length) {
  constexpr double kLongest = 10;  // s
  constexpr double kSpread = 10;   // shortest is this many factors of e shorter
  Scenario& scenario = scenario_case.scenario;
  const Duration at_least = std::max(length, Duration{1'000});
  for (int i = number(draw, 1, 6); i > 0; --i) {
    FaultSpec fault;
    fault.at = share_of(draw, at_least, 1.2);
    fault.lasting = Duration::from_seconds(kLongest * std::exp(-kSpread * draw.uniform()));
    draw_cut(draw, scenario, fault);
  }
}

}  // namespace foretrain::faults
