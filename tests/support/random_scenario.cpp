#include "tests/support/random_scenario.h"

#include "models/protocol/registry.h"
#include "scenarios/resolve/placement.h"
#include "tests/support/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {
using namespace literals;

int below(Stream& draw, int bound) {
  return static_cast<int>(draw.below(static_cast<std::uint64_t>(bound)));
}

bool one_in(Stream& draw, std::uint64_t n) { return draw.below(n) == 0; }

Duration up_to(Stream& draw, Duration most) {
  return {1 + static_cast<std::int64_t>(draw.below(static_cast<std::uint64_t>(most.ns)))};
}

// 1 MB/s to 1 GB/s, each order of magnitude equally often.
BytesPerSecond any_rate(Stream& draw) {
  double rate = 1e6 * static_cast<double>(1 + draw.below(9));
  for (std::uint64_t i = draw.below(3); i > 0; --i) rate *= 10;
  return {rate};
}

HostSpec any_host(Stream& draw, const std::string& name, int count) {
  HostSpec host;
  host.name = name;
  host.count = count;
  host.cores = 1 + below(draw, 3);
  host.nic = any_rate(draw);
  if (one_in(draw, 3)) host.burst = {2'000 + static_cast<std::int64_t>(draw.below(300'000))};
  if (!one_in(draw, 4)) host.latency = up_to(draw, 1_ms);
  switch (draw.below(4)) {
    case 0:
      host.machine = "made up";
      break;
    case 1:
      host.roofline = {10, {1e9}, 5_us};
      break;
    default:
      host.compute = 1_ms;
  }
  if (one_in(draw, 4)) host.send = {2e-6, 1e-10};
  if (one_in(draw, 4)) host.receive = {3e-6, 1e-10};
  return host;
}

// A spanning tree over all hosts with some switches, then additional links.
std::vector<LinkSpec> any_links(Stream& draw, const std::vector<std::string>& hosts) {
  std::vector<std::string> places = hosts;
  for (int i = below(draw, 4); i > 0; --i) places.push_back(fmt::format("switch{}", i));
  if (places.size() == 1) places.emplace_back("switch");
  std::vector<LinkSpec> links;
  const auto link = [&](std::size_t from, std::size_t to) {
    links.push_back({places[from], places[to], any_rate(draw), {}});
    if (!one_in(draw, 3)) links.back().latency = up_to(draw, 1_ms);
    // A second link between the same two places is invalid; links of the tree begin at the later
    // place.
    const auto same = [&](const LinkSpec& each) {
      return each.from == places[from] && each.to == places[to];
    };
    if (std::ranges::count_if(links, same) > 1) links.pop_back();
  };
  for (std::size_t i = 1; i < places.size(); ++i) link(i, draw.below(i));
  for (std::uint64_t i = draw.below(4); i > 0; --i) {
    const std::size_t from = 1 + draw.below(places.size() - 1);
    link(from, draw.below(from));
  }
  return links;
}

void draw_cluster(Stream& draw, Scenario& scenario) {
  ClusterSpec& cluster = scenario.cluster;
  const auto [workers, servers] = node_counts(scenario);
  const int kinds = 1 + below(draw, 2);
  for (int kind = 0; kind < kinds; ++kind) {
    const int count = 1 + below(draw, workers + servers);
    cluster.hosts.push_back(any_host(draw, kind == 0 ? "node" : "other", count));
  }
  std::vector<std::string> hosts;
  for (const HostSpec& host : cluster.hosts) {
    for (int n = 0; n < host.count; ++n) hosts.push_back(host_name(host, n));
  }
  cluster.tcp = one_in(draw, 2);
  switch (draw.below(3)) {
    case 0:
      break;
    case 1:
      cluster.topology = "leaf_spine";
      cluster.leaf_spine = {1 + below(draw, 4), 1 + below(draw, 3),
                            0.5 * static_cast<double>(1 + draw.below(12)), up_to(draw, 100_us)};
      break;
    default:
      cluster.topology = "links";
      cluster.links = any_links(draw, hosts);
  }
  if (one_in(draw, 2)) return;  // nodes take the hosts round robin
  for (int i = 0; i < workers; ++i) {
    cluster.placement.workers.push_back(hosts[draw.below(hosts.size())]);
  }
  for (int i = 0; i < servers; ++i) {
    cluster.placement.servers.push_back(hosts[draw.below(hosts.size())]);
  }
}

void draw_distribution(Stream& draw, StragglerSpec& spec) {
  constexpr std::array kNames{"exponential", "shifted_exponential", "lognormal", "pareto"};
  spec.distribution = kNames.at(draw.below(kNames.size()));
  if (spec.distribution == "shifted_exponential") spec.shift = 0.5;
  if (spec.distribution == "lognormal") spec.sigma = 0.3;
  if (spec.distribution == "pareto") spec.shape = 2.5;
}

// A third of them are late joins, the others are later deaths.
FaultSpec any_fault(Stream& draw, int workers) {
  const std::string worker = fmt::format("worker{}", below(draw, workers));
  if (one_in(draw, 3)) return {.at = up_to(draw, 8_ms), .join = worker};
  return {.at = 8_ms + up_to(draw, 20_ms), .kill = worker};
}

// Integers as small as the trainings, any of the words, real numbers at their defaults.
void draw_options(Stream& draw, const Protocol& protocol, TrainingSpec& training) {
  ProtocolOptions& options = training.protocol;
  for (const Option* option : protocol.options) {
    if (std::holds_alternative<std::int64_t>(option->fallback)) {
      const auto least = static_cast<std::int64_t>(option->least);
      options.set(*option, least + std::int64_t{below(draw, 4)});
    } else if (!option->choices.empty()) {
      options.set(*option, option->choices[draw.below(option->choices.size())]);
    }
    if (protocol.wrong(options, training.workers)) options.set(*option, option->fallback);
  }
}

void draw_training(Stream& draw, Scenario& scenario) {
  TrainingSpec& training = scenario.training;
  const Protocol& protocol = protocols()[draw.below(protocols().size())];
  training.strategy = protocol.name;
  const bool several = protocol.several_workers;
  training.workers = several ? 1 + below(draw, 6) : 1;
  training.batch_size = 8;
  training.steps = 1 + below(draw, 14);
  training.evaluate_every = one_in(draw, 2) ? 0 : 1 + below(draw, 6);
  if (one_in(draw, 8)) training.threads = 2;
  if (!several) return;
  training.bucket_size = {one_in(draw, 2) ? 4'000 : 1'000'000};
  training.overlap = one_in(draw, 2);
  if (protocol.servers) training.servers = 1 + below(draw, 3);
  draw_options(draw, protocol, training);
}

// Overhead of another program; with a cluster also input costs and a neighbour.
void draw_framework(Stream& draw, Scenario& scenario) {
  FrameworkSpec& framework = scenario.framework;
  if (one_in(draw, 2)) framework.session_start = up_to(draw, 1_ms);
  if (one_in(draw, 2)) framework.chief_wait = up_to(draw, 1_ms);
  if (one_in(draw, 2)) framework.step = up_to(draw, 1_ms);
  if (one_in(draw, 2)) framework.example = up_to(draw, 10_us);
  if (one_in(draw, 2)) framework.round = up_to(draw, 100_us);
  if (one_in(draw, 2)) framework.message = {up_to(draw, 50_us).seconds(), 1e-9 * draw.uniform()};
  constexpr std::array kBlocked{"chief", "all", "nobody"};
  framework.evaluation = kBlocked.at(draw.below(kBlocked.size()));
  if (one_in(draw, 2)) framework.waiting_cores = 0.5 * static_cast<double>(draw.below(5));
}

void draw_input(Stream& draw, Scenario& scenario) {
  InputSpec& input = scenario.dataset.input;
  const auto& hosts = scenario.cluster.hosts;
  const HostSpec& host = hosts[draw.below(hosts.size())];
  if (one_in(draw, 2)) input.served_by = host_name(host, below(draw, host.count));
  if (one_in(draw, 2)) input.read_rate = any_rate(draw);
  if (one_in(draw, 2)) input.parse = up_to(draw, 100_us);
  if (!input.costs()) return;
  input.prefetch = below(draw, 3);
  if (!input.served_by.empty() || input.read_rate.value > 0) {
    input.example_size = {1 + below(draw, 10'000)};
  }
}

// Draws from a separate stream, so that other draws of a seed do not change.
void draw_accumulate(Scenario& scenario) {
  Stream draw(scenario.seed, "test.accumulate");
  if (scenario.dataset.format == "libsvm" || !one_in(draw, 3)) return;
  scenario.training.accumulate = 2 + below(draw, 3);
}

void draw_session(Scenario& scenario) {
  Stream draw(scenario.seed, "test.session");
  if (!scenario.dataset.input.served_by.empty() || !one_in(draw, 4)) return;
  const auto& hosts = scenario.cluster.hosts;
  const HostSpec& host = hosts[draw.below(hosts.size())];
  scenario.framework.session_host = host_name(host, below(draw, host.count));
  scenario.framework.feed_s = 1e-9 * draw.uniform();
}

void draw_compression(Scenario& scenario) {
  Stream draw(scenario.seed, "test.compression");
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  if (!protocol.several_workers || protocol.rooted || !one_in(draw, 3)) return;
  Compression& compression = scenario.training.compression;
  constexpr std::array kKinds{"fp16", "topk", "ratio"};
  compression.kind = protocol.servers ? kKinds.at(draw.below(kKinds.size())) : "ratio";
  const bool sums = protocol.steps_an_averaging(scenario.training.protocol) == 0;
  if (!protocol.servers && sums && one_in(draw, 2)) compression.kind = "fp16";
  if (compression.only_sizes()) compression.ratio = 1 + below(draw, 100);
  if (one_in(draw, 2)) compression.encode_s = 1e-10 * (1 + below(draw, 50));
}

}  // namespace

RandomScenarios::RandomScenarios() {
  Stream draw(1, "test.files");
  for (const char* file : {"rows.train", "rows.test"}) {
    std::ofstream rows(folder_ / file);
    for (int i = 0; i < 40; ++i) {
      rows << (i % 2 == 0 ? "+1 " : "-1 ") << 1 + draw.below(10) << ":1 " << 11 + draw.below(20)
           << ":0.5\n";
    }
  }
  std::ofstream trace(folder_ / "trace.csv");
  trace << "worker,time\n";
  for (int i = 0; i < 30; ++i) trace << i % 3 << ',' << 1 + draw.below(9) << '\n';
  std::ofstream(folder_ / "neighbour.yaml")
      << "foretrain: 1\ndataset: {take: 600, test_take: 200}\n"
         "training: {strategy: async, workers: 2, batch_size: 8, steps: 6}\n"
         "stragglers: [{workers: [1], pause: 2 ms, every: 3 ms}]\n";
  std::ofstream(folder_ / "profile.csv") << "layer,parameter_bytes,forward_ms,backward_ms\n"
                                            "first,20000,0.2,0.4\nsecond,0,0.1,0.1\n"
                                            "last,4000,0.2,0.3\n";
}

void RandomScenarios::draw_model(Stream& draw, Scenario& scenario) const {
  scenario.dataset.take = 600;
  scenario.dataset.test_take = 200;
  switch (draw.below(6)) {
    case 0:
      scenario.model.name = "sparse_logistic";
      scenario.model.hash_bits = 6;
      scenario.dataset = DatasetSpec{};
      scenario.dataset.format = "libsvm";
      scenario.dataset.path = folder_.path();
      break;
    case 1:
      scenario.model.name.clear();
      scenario.model.profile.path = folder_ / "profile.csv";
      scenario.model.profile_batch = 8;
      scenario.dataset.test_take = 16;
      break;
    case 2:
      scenario.model.name = "mlp";
      scenario.model.options.hidden = {16, 16};
      break;
    default:
      break;  // softmax
  }
}

void RandomScenarios::draw_stragglers(Stream& draw, Scenario& scenario, int workers) const {
  for (std::uint64_t i = draw.below(4); i > 0; --i) {
    StragglerSpec spec;
    if (!one_in(draw, 3)) spec.workers = {below(draw, workers)};
    switch (draw.below(8)) {
      case 0:
        spec.pause = up_to(draw, 20_ms);
        spec.every = up_to(draw, 20_ms) + 1_ms;
        break;
      case 1:
      case 2:
      case 3:
        scenario.faults.push_back(any_fault(draw, workers));
        continue;
      case 4:
        spec.trace = folder_ / "trace.csv";
        break;
      case 5:
        spec.slowdown = 0.5 + 0.5 * static_cast<double>(draw.below(6));
        break;
      default:
        draw_distribution(draw, spec);
    }
    scenario.stragglers.push_back(spec);
  }
}

Case RandomScenarios::draw(Stream& draw) const {
  Case result;
  Scenario& scenario = result.scenario;
  scenario.name = "random";
  scenario.numerics = false;
  scenario.seed = 1 + draw.below(1'000'000);
  draw_model(draw, scenario);
  draw_training(draw, scenario);
  if (!one_in(draw, 6)) draw_cluster(draw, scenario);
  draw_stragglers(draw, scenario, node_counts(scenario).workers);
  if (one_in(draw, 4)) draw_framework(draw, scenario);
  draw_accumulate(scenario);
  if (scenario.cluster.hosts.empty() || scenario.model.profiled()) return result;
  if (one_in(draw, 4)) draw_input(draw, scenario);
  if (one_in(draw, 4)) {
    scenario.colocated_jobs.push_back({folder_ / "neighbour.yaml", {}, up_to(draw, 10_ms)});
  }
  if (one_in(draw, 6) && scenario.dataset.format != "libsvm" &&
      protocol_called(scenario.training.strategy).servers && scenario.training.servers <= 2) {
    scenario.training.bucket_size = {};
  }
  if (scenario.dataset.format == "libsvm") return result;
  draw_session(scenario);
  draw_compression(scenario);
  return result;
}

}  // namespace foretrain::testing
