#include "sim/whatif/intervention.h"

#include "models/base/check.h"
#include "models/protocol/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/propose.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace foretrain::sim {
namespace {

const Protocol& protocol_of(const Scenario& scenario) {
  return protocol_called(scenario.training.strategy);
}

// Adds `count` hosts like the one named `like` and returns their names.
std::vector<std::string> add_hosts(ClusterSpec& cluster, const std::string& like, int count) {
  std::set<std::string> taken;
  const HostSpec* model = nullptr;
  for (const HostSpec& host : cluster.hosts) {
    for (int index = 0; index < host.count; ++index) {
      taken.insert(host_name(host, index));
      if (host_name(host, index) == like) model = &host;
    }
  }
  FT_CHECK(model != nullptr);
  HostSpec added = *model;
  added.count = 1;
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(count));
  for (int number = 0; std::ssize(names) < count; ++number) {
    added.name = fmt::format("added{}", number);
    if (!taken.insert(added.name).second) continue;
    names.push_back(added.name);
    cluster.hosts.push_back(added);
  }
  return names;
}

std::string no_links(const Scenario& scenario) {
  if (scenario.cluster.topology != "links") return {};
  return "topology links has no link for another host";
}

std::optional<std::string> more_workers(Scenario& scenario) {
  if (!protocol_of(scenario).several_workers) return std::nullopt;
  return set_workers(scenario, scenario.training.workers + 1);
}

// Number of devices of the last worker's host; 0 if it computes on cores.
int devices_beside(const Scenario& scenario, const std::vector<NodePlace>& places) {
  if (scenario.cluster.hosts.empty()) return 0;
  const int last = node_counts(scenario).workers - 1;
  return scenario.cluster.hosts[places[static_cast<std::size_t>(last)].spec].devices;
}

// With one worker per host this is the same as one more worker.
std::optional<std::string> more_hosts(Scenario& scenario) {
  if (!protocol_of(scenario).several_workers) return std::nullopt;
  const int devices = devices_beside(scenario, place_nodes(scenario));
  if (devices < 2) return std::nullopt;
  return set_workers(scenario, scenario.training.workers + devices);
}

std::optional<std::string> double_connections(Scenario& scenario) {
  const auto capped = [](const HostSpec& host) { return host.flow_rate.value > 0; };
  if (std::ranges::none_of(scenario.cluster.hosts, capped)) return std::nullopt;
  scenario.cluster.connections *= 2;
  return "";
}

std::optional<std::string> more_servers(Scenario& scenario) {
  if (!protocol_of(scenario).servers) return std::nullopt;
  return set_servers(scenario, scenario.training.servers + 1);
}

std::optional<std::string> double_nodes(Scenario& scenario) {
  const Protocol& protocol = protocol_of(scenario);
  if (!protocol.several_workers) return std::nullopt;
  std::string why = set_workers(scenario, scenario.training.workers * 2);
  if (why.empty() && protocol.servers) why = set_servers(scenario, scenario.training.servers * 2);
  return why;
}

// Applies only if threads share cores; otherwise the additional cores stay idle.
std::optional<std::string> double_cores(Scenario& scenario) {
  constexpr int kCoresMax = 1024;  // the maximum in a scenario
  std::map<std::string, int> threads;
  const auto is_shared = [&](const NodePlace& place) {
    const HostSpec& host = scenario.cluster.hosts[place.spec];
    threads[place.host_name] += place.threads;
    return threads[place.host_name] > host.cores && host.cores <= kCoresMax / 2;
  };
  if (scenario.cluster.hosts.empty()) return std::nullopt;
  if (std::ranges::none_of(place_nodes(scenario), is_shared)) return std::nullopt;
  for (HostSpec& host : scenario.cluster.hosts) host.cores = std::min(host.cores * 2, kCoresMax);
  return "";
}

// Effect of one worker that is slower than the others.
std::optional<std::string> slower_worker(Scenario& scenario) {
  constexpr double kSlowdown = 1.3;
  const int workers = node_counts(scenario).workers;
  if (workers == 1) return std::nullopt;
  StragglerSpec slow;
  slow.workers = {workers - 1};
  slow.slowdown = kSlowdown;
  scenario.stragglers.push_back(std::move(slow));
  return "";
}

std::optional<std::string> double_batch(Scenario& scenario) {
  return set_batch(scenario, scenario.training.batch_size * 2);
}

std::optional<std::string> half_batch(Scenario& scenario) {
  if (scenario.training.batch_size < 2) return "the batch is one example";
  return set_batch(scenario, scenario.training.batch_size / 2);
}

// Gradients that are reduced after each batch are exchanged as often as before.
std::optional<std::string> double_accumulate(Scenario& scenario) {
  if (node_counts(scenario).nodes() == 1) return std::nullopt;  // nothing is sent
  int& accumulate = scenario.training.accumulate;
  if (accumulate > kAccumulateMax / 2)
    return fmt::format("at most {} batches per gradient are allowed", kAccumulateMax);
  accumulate *= 2;
  return "";
}

std::optional<std::string> toggle_overlap(Scenario& scenario, bool overlap) {
  if (scenario.training.overlap == overlap) return std::nullopt;
  if (node_counts(scenario).nodes() == 1) return std::nullopt;  // nothing is sent
  scenario.training.overlap = overlap;
  return "";
}

std::optional<std::string> overlap_on(Scenario& scenario) { return toggle_overlap(scenario, true); }
std::optional<std::string> overlap_off(Scenario& scenario) {
  return toggle_overlap(scenario, false);
}

// True if messages carry numbers that can be compressed, and are not yet.
bool sends_whole(const Scenario& scenario) {
  return node_counts(scenario).nodes() > 1 && !scenario.training.compression.wanted();
}

// With a profile the device converts numbers to halves: only sizes change.
void compress_by(Scenario& scenario, const std::string& kind, double ratio) {
  Compression& compression = scenario.training.compression;
  compression.kind = scenario.model.profiled() ? "ratio" : kind;
  if (compression.only_sizes()) compression.ratio = ratio;
}

std::optional<std::string> half_precision(Scenario& scenario) {
  const Protocol& protocol = protocol_of(scenario);
  const bool averages = protocol.steps_an_averaging(scenario.training.protocol) > 0;
  if (!sends_whole(scenario) || averages) return std::nullopt;
  const ModelSpec& model = scenario.model;
  if (model.by_shape() && number_bytes(model.precision) == 2) return std::nullopt;
  compress_by(scenario, "fp16", 2);
  return "";
}

std::optional<std::string> largest_numbers(Scenario& scenario) {
  if (!sends_whole(scenario) || !protocol_of(scenario).servers) return std::nullopt;
  constexpr double kShare = 0.01;
  scenario.training.compression.share = kShare;
  compress_by(scenario, "topk", 1 / (2 * kShare));  // each number with its index
  return "";
}

std::optional<std::string> one_more(Scenario& scenario, const Option& option) {
  const Protocol& protocol = protocol_of(scenario);
  if (!reads(protocol, option)) return std::nullopt;
  ProtocolOptions& options = scenario.training.protocol;
  options.set(option, options.integer(option) + 1);
  const auto wrong = protocol.wrong(options, node_counts(scenario).workers);
  return wrong ? wrong->what : "";
}

std::optional<std::string> other_strategy(Scenario& scenario, std::string_view strategy) {
  if (scenario.training.strategy == strategy) return std::nullopt;
  return set_strategy(scenario, strategy);
}

// Changes that the strategies define: one more of an option, another strategy.
void add_changes_of_protocols(std::vector<ScenarioChange>& changes) {
  for (const Option* option : protocol_options()) {
    if (option->one_more.empty()) continue;
    changes.push_back({std::string(option->one_more), option->one_more_doc, Change::Kind::training,
                       [option](Scenario& scenario) { return one_more(scenario, *option); }});
  }
  for (const Protocol& protocol : protocols()) {
    changes.push_back({fmt::format("strategy {}", protocol.name),
                       "the same number of examples with another strategy", Change::Kind::training,
                       [&protocol](Scenario& s) { return other_strategy(s, protocol.name); },
                       protocol.statistical_efficiency});
  }
}

}  // namespace

const std::vector<ResourceChange>& resource_changes() {
  using enum Resource;
  static const std::vector<ResourceChange> all{
      {"worker CPU", "worker CPU 2x", "halving the time of the workers' cores", {worker_cpu}, 0.5},
      {"device", "device 2x", "halving the devices' time for gradients", {device}, 0.5},
      {"server CPU",
       "server CPU 2x",
       "halving the servers' CPU time for messages",
       {server_cpu},
       0.5},
      {"apply", "apply 2x", "halving the time to apply updates", {apply}, 0.5},
      {"server NIC in", "server NIC in 2x", "twice the rate into servers", {server_nic_in}, 0.5},
      {"server NIC out",
       "server NIC out 2x",
       "twice the rate out of servers",
       {server_nic_out},
       0.5},
      {"server NIC",
       "server NIC 2x",
       "twice the rate of the servers' NICs",
       {server_nic_in, server_nic_out},
       0.5},
      {"worker NIC", "worker NIC 2x", "twice the rate of workers' NICs", {worker_nic}, 0.5},
      {"every NIC",
       "every NIC 2x",
       "twice the rate of all NICs",
       {server_nic_in, server_nic_out, worker_nic},
       0.5},
      {"switches", "switches 2x", "twice the rate between switches", {switches}, 0.5},
      {"connection", "connection 2x", "twice what one connection carries", {connection}, 0.5},
      {"device link",
       "device link 2x",
       "twice the rate between the devices of a host",
       {device_link},
       0.5},
      {"latency", "half the latency", "half the latency", {latency}, 0.5},
      {"straggling", "straggling removed", "no straggling", {straggling}, 0},
      {"evaluation", "evaluation free", "evaluation that takes no time", {evaluation}, 0},
      {"input", "input free", "input that takes no time", {input}, 0},
      {"framework", "framework free", "no overhead of the framework", {framework}, 0},
  };
  return all;
}

const std::vector<ScenarioChange>& scenario_changes() {
  using Kind = Change::Kind;
  static const std::vector<ScenarioChange> all = [] {
    std::vector<ScenarioChange> changes{
        {"one more worker", "one worker on a host like the last one's", Kind::cluster,
         more_workers},
        {"one more host", "one host with a worker on each device", Kind::cluster, more_hosts},
        {"one more server", "the parameters in one more shard", Kind::cluster, more_servers},
        {"double nodes", "twice the workers, twice the servers", Kind::cluster, double_nodes},
        {std::string(kDoubleCores), "twice the cores of every host", Kind::cluster, double_cores},
        {std::string(kSlowerWorker), "gradients of the last worker take 1.3 times as long",
         Kind::cluster, slower_worker},
        {"double batch", "twice the examples per gradient", Kind::training, double_batch},
        {"half batch", "half the examples per gradient", Kind::training, half_batch},
        {"accumulate 2x",
         "twice the batches per gradient; it is sent once, unless each batch is reduced",
         Kind::training, double_accumulate},
        {"overlap on", "buckets are sent while others are computed", Kind::training, overlap_on},
        {"overlap off", "a gradient is sent once all of it is computed", Kind::training,
         overlap_off},
        {std::string(kDoubleConnections), "twice the TCP connections between two nodes",
         Kind::cluster, double_connections},
        {"fp16 gradients", "gradients are sent in half precision", Kind::training, half_precision,
         "gradients are rounded to 11 bits when sent: the loss at the same step differs a little"},
        {"top-k 1 %", "only the largest 1 % of a gradient is sent, the rest with later ones",
         Kind::training, largest_numbers,
         "most of a gradient arrives with later ones: the loss at the same step differs"},
        {"no neighbours", "the training alone on the cluster", Kind::cluster,
         [](Scenario& scenario) -> std::optional<std::string> {
           if (scenario.colocated_jobs.empty()) return std::nullopt;
           scenario.colocated_jobs.clear();
           return "";
         }},
    };
    add_changes_among_workers(changes);
    add_changes_of_shape(changes);
    add_changes_of_protocols(changes);
    return changes;
  }();
  return all;
}

const ScenarioChange& change_to_verify(const std::string& name) {
  std::vector<std::string> names;
  names.reserve(scenario_changes().size());
  for (const ScenarioChange& each : scenario_changes()) {
    if (each.name == name) return each;
    names.push_back(each.name);
  }
  const std::string near = nearest(name, names);
  const bool resource = std::ranges::find(resource_changes(), name, &ResourceChange::name) !=
                        resource_changes().end();
  throw InputError(fmt::format(
      "--verify {}: {}; {}there are {}", name,
      resource ? "a faster resource cannot be run here" : "there is no change of this name",
      near.empty() ? "" : fmt::format("did you mean {}? ", near), fmt::join(names, ", ")));
}

std::string set_workers(Scenario& scenario, int workers) {
  if (!protocol_of(scenario).several_workers) return "the strategy has one worker";
  if (std::string why = no_links(scenario); !why.empty()) return why;
  if (const auto wrong = protocol_of(scenario).wrong(scenario.training.protocol, workers)) {
    return wrong->what;
  }
  ClusterSpec& cluster = scenario.cluster;
  write_placement(scenario);
  const int devices = devices_beside(scenario, place_nodes(scenario));
  scenario.training.workers = workers;
  if (cluster.hosts.empty()) return {};
  auto& placed = cluster.placement.workers;
  const auto wanted = static_cast<std::size_t>(workers);
  const std::string last = placed.back();
  const auto taken = static_cast<std::size_t>(std::ranges::count(placed, last));
  const std::size_t incarnations = devices > 0 ? static_cast<std::size_t>(devices) : taken;
  if (devices > 0 && taken < incarnations && placed.size() < wanted) {
    placed.resize(std::min(wanted, placed.size() + incarnations - taken), last);
  }
  if (placed.size() < wanted) {
    const auto hosts = static_cast<int>((wanted - placed.size() + incarnations - 1) / incarnations);
    for (const std::string& host : add_hosts(cluster, last, hosts)) {
      placed.insert(placed.end(), incarnations, host);
    }
  }
  placed.resize(wanted);
  return {};
}

std::string set_servers(Scenario& scenario, int servers) {
  if (!protocol_of(scenario).servers) return "the strategy has no servers";
  ClusterSpec& cluster = scenario.cluster;
  write_placement(scenario);
  std::exchange(scenario.training.servers, servers);
  if (cluster.hosts.empty()) return {};
  auto& placed = cluster.placement.servers;
  const auto& workers = cluster.placement.workers;
  while (std::ssize(placed) < servers) {
    const bool shared = std::ranges::find(workers, placed.back()) != workers.end();
    const auto free = std::ranges::find_if(workers, [&](const std::string& host) {
      return std::ranges::find(placed, host) == placed.end();
    });
    if (shared && free != workers.end()) {
      placed.push_back(*free);
      continue;
    }
    if (std::string why = no_links(scenario); !why.empty()) return why;
    placed.push_back(add_hosts(cluster, placed.back(), 1).front());
  }
  placed.resize(static_cast<std::size_t>(servers));
  return {};
}

std::string set_strategy(Scenario& scenario, std::string_view strategy) {
  const bool placed = !scenario.cluster.placement.workers.empty();
  const bool had_servers = protocol_of(scenario).servers;
  if (placed) write_placement(scenario);
  const std::vector<std::string> before = scenario.cluster.placement.servers;
  scenario.training.strategy = strategy;
  // Options that both strategies have are retained.
  ProtocolOptions& options = scenario.training.protocol;
  options = options.only(protocol_called(strategy).options);
  if (!placed) return {};
  Placement& placement = scenario.cluster.placement;
  const NodeCounts counts = node_counts(scenario);
  placement.workers.resize(static_cast<std::size_t>(counts.workers), placement.workers.back());
  placement.servers = before;
  placement.servers.resize(static_cast<std::size_t>(counts.servers),
                           had_servers ? before.back() : placement.workers.front());
  return {};
}

}  // namespace foretrain::sim
