// The checks between the keys of a scenario.
#include "scenarios/resolve/check_case.h"

#include "models/protocol/route.h"
#include "scenarios/resolve/gradient_counts.h"
#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace foretrain {

void fail(const Case& c, const std::string& key, const std::string& what) {
  fail_at(c.place_of(key), key, what);
}

namespace {

bool wants_shard(const Scenario& scenario) {
  return scenario.training.shard == "gradients" || scenario.training.shard == "parameters";
}

constexpr Rule kShardRules[] = {
    {"training.collectives",
     [](const Facts& f) { return f.training.protocol.word(kCollectives) == "one_by_one"; },
     "the collectives of shards have an order of their own"},
    {"training.group",
     [](const Facts& f) {
       return f.training.shard == "gradients" && f.training.protocol.integer(kGroup) > 1;
     },
     "groups add up whole gradients first"},
    {"training.algorithm",
     [](const Facts& f) {
       const std::string& algorithm = f.training.protocol.word(kAlgorithm);
       return algorithm == "tree" || algorithm == "auto";
     },
     "trees add up whole gradients, without a part for each worker"},
    {"checkpoint.every",
     [](const Facts& f) {
       return f.training.shard == "parameters" && f.scenario.checkpoint.every.wanted();
     },
     "checkpoints need all parameters at each worker"}};

/// Whether the workers of the strategy exchange among themselves, without a server.
bool among_workers(const Facts& f) { return !f.protocol.servers; }

/// True if a key of networks known by their shape is used with another network.
bool of_shape(const Facts& f, bool used) { return used && !f.scenario.model.by_shape(); }

constexpr Rule kKeyRules[] = {
    {"name", [](const Facts& f) { return f.scenario.name.empty(); }, "empty; write a name"},
    {"training.epochs",
     [](const Facts& f) {
       return f.scenario.model.profiled() && f.training.epochs != 0 && f.scenario.dataset.take <= 0;
     },
     "a profile does not have the number of examples; write dataset: {{take: ...}}, or give the "
     "length as training.steps"},
    {"training.until",
     [](const Facts& f) { return f.training.until.wanted() && f.scenario.model.profiled(); },
     "a profile has times alone, so a target cannot be reached; remove it"},
    {"training.until",
     [](const Facts& f) { return f.training.until.wanted() && !f.scenario.numerics; },
     "numerics: off knows times alone, so a target cannot be reached; remove it (--set "
     "training.until=null), or write numerics: on"},
    {"training.until",
     [](const Facts& f) { return f.training.until.wanted() && f.training.evaluate_every <= 0; },
     "the model is evaluated only at the end; write how often to evaluate it, such as "
     "evaluate_every: 100 (steps; with servers, updates), or 5000 examples"},
    {"training.compression.kind",
     [](const Facts& f) { return f.training.compression.only_sizes() && f.scenario.numerics; },
     "ratio has only sizes, no values to send; write numerics: off, or fp16 or topk"},
    {"training.compression",
     [](const Facts& f) { return f.training.compression.keeps_rest() && among_workers(f); },
     "topk works only for pushes to a server, since workers choose different values and their sum "
     "has more; use sync, async or ssp, or fp16, or, with numerics: off, kind ratio"},
    {"training.compression",
     [](const Facts& f) {
       return f.training.compression.converts_sums() && among_workers(f) &&
              f.protocol.steps_an_averaging(f.training.protocol) > 0;
     },
     "workers of {strategy} send parameters, which would lose precision; remove it, or use "
     "all_reduce, sync, async or ssp"},
    {"training.compression",
     [](const Facts& f) { return f.training.compression.wanted() && f.protocol.rooted; },
     "{strategy} sends gradients and their mean as they are; remove it, or use all_reduce"},
    {"training.shard",
     [](const Facts& f) { return wants_shard(f.scenario) && f.scenario.numerics; },
     "sharded {shard} can be forecast, but not computed; write numerics: off"},
    {"training.shard",
     [](const Facts& f) { return f.training.shard == "none" && !f.scenario.model.profiled(); },
     "none is for networks that devices train, by name or from a profile; write optimizer"},
    {"training.recompute",
     [](const Facts& f) { return of_shape(f, f.training.recompute != "none"); },
     "only a network known by its shape (model.network, model.config) can recompute; remove it"},
    {"training.master_weights",
     [](const Facts& f) { return of_shape(f, !f.training.master_weights); },
     "only a network known by its shape (model.network, model.config) has a precision; remove it"},
    {"training.tokens", [](const Facts& f) { return of_shape(f, f.training.tokens > 0); },
     "only a network that reads text by its shape (model.network, model.config) counts tokens; "
     "write steps, epochs or updates"}};

void check_length(Case& c) {
  TrainingSpec& training = c.scenario.training;
  std::vector<std::string> given;
  if (training.steps > 0) given.emplace_back("training.steps");
  if (training.epochs > 0) given.emplace_back("training.epochs");
  if (training.updates > 0) given.emplace_back("training.updates");
  if (training.tokens > 0) given.emplace_back("training.tokens");
  if (given.empty()) training.epochs = 1;
  if (given.size() < 2) return;
  fail(c, given[1],
       fmt::format(
           "{} gives the length of the training, too ({}); keep one (--set {}=null removes it)",
           given[0], c.place_of(given[0]), given[0]));
}

/// Switches numerics off for a profile, which has only times; rejects it if the scenario sets them.
void check_profile(Case& c) {
  if (!c.scenario.model.profiled()) return;
  if (c.scenario.numerics && c.places.contains("numerics")) {
    fail(c, "numerics",
         "on, but a profile has times alone, no gradients to compute; write off, or leave it out");
  }
  c.scenario.numerics = false;
}

void check_keys(const Case& c) {
  const Facts facts(c.scenario);
  if (const auto broken = first_broken(kKeyRules, facts)) fail(c, broken->key, broken->what);
  if (!facts.protocol.shards) return;
  if (const auto broken = against_shard(c.scenario)) {
    fail(c, broken->key,
         fmt::format("{}, but training.shard is {}; remove it, or write shard: {}", broken->what,
                     facts.training.shard, TrainingSpec{}.shard));
  }
}

/// Checks all hosts; returns their names, sorted.
std::set<std::string> check_hosts(const Case& c) {
  std::set<std::string> names;
  const auto& hosts = c.scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    const HostSpec& host = hosts[i];
    const std::string key = fmt::format("cluster.hosts[{}]", i);
    if (host.compute && !host.machine.empty()) {
      fail(c, key + ".compute", "the host has a machine, which gives it, too; remove one of them");
    }
    if (static_cast<int>(names.size()) + host.count > kNodesMax) {
      fail(c, key + ".count", fmt::format("more than {} hosts; write fewer", kNodesMax));
    }
    for (int n = 0; n < host.count; ++n) {
      const std::string name = host_name(host, n);
      if (!names.insert(name).second) {
        fail(c, key + ".name", fmt::format("a second host {}; rename one", name));
      }
    }
  }
  return names;
}

/// Checks the topology: it has hosts; listed links have two ends, are unique, connect all hosts.
void check_links(const Case& c, const std::set<std::string>& hosts) {
  const ClusterSpec& cluster = c.scenario.cluster;
  if (cluster.topology != "star" && hosts.empty()) {
    fail(c, "cluster.topology", "there is no cluster.hosts; list them, or remove topology");
  }
  if (cluster.topology != "links") return;
  // The connected component of each name, as a union-find forest.
  std::map<std::string, std::string> group_of;
  const auto find = [&](std::string name) {
    while (group_of.try_emplace(name, name).first->second != name) name = group_of[name];
    return name;
  };
  std::map<std::pair<std::string, std::string>, std::size_t> numbers;  // of links, by their ends
  for (std::size_t i = 0; i < cluster.links.size(); ++i) {
    const LinkSpec& link = cluster.links[i];
    if (link.from == link.to) {
      fail(c, fmt::format("cluster.links[{}].to", i),
           "both ends are this host or switch; write the other end");
    }
    const auto pair = std::minmax(link.from, link.to);
    const auto [other, fresh] = numbers.try_emplace({pair.first, pair.second}, i);
    if (!fresh) {
      fail(c, fmt::format("cluster.links[{}]", i),
           fmt::format(
               "cluster.links[{}] is also between {} and {}, and messages use only one of them; "
               "write one link with the rate of both",
               other->second, link.from, link.to));
    }
    group_of[find(link.from)] = find(link.to);
  }
  for (const std::string& host : hosts) {
    if (group_of.contains(host)) continue;
    fail(c, "cluster.links", fmt::format("no link leads to {}; add one", host));
  }
  const std::string first = host_name(cluster.hosts.front(), 0);
  for (const std::string& host : hosts) {
    if (find(host) == find(first)) continue;
    fail(c, "cluster.links",
         fmt::format("there is no path from {} to {}; add a link between them", first, host));
  }
}

void check_place(const Case& c, const std::set<std::string>& hosts, const std::string& key,
                 const std::string& name) {
  if (hosts.contains(name)) return;
  if (hosts.empty())
    fail(c, key, fmt::format("there is no cluster.hosts; list them, or remove {}", key));
  constexpr std::size_t kShown = 8;
  std::vector<std::string> some(hosts.begin(), hosts.end());
  if (some.size() > kShown) {
    some.resize(kShown);
    some.emplace_back("...");
  }
  fail(c, key, fmt::format("there is no host {}; there are {}", name, fmt::join(some, ", ")));
}

void check_places(const Case& c, const std::set<std::string>& hosts, const std::string& key,
                  const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    check_place(c, hosts, fmt::format("{}[{}]", key, i), names[i]);
  }
}

void check_input(const Case& c, const std::set<std::string>& hosts) {
  const InputSpec& input = c.scenario.dataset.input;
  if (input.costs() && hosts.empty()) {
    fail(c, input.served_by.empty() ? "dataset" : "dataset.served_by",
         "input costs need a described cluster, but there is no cluster.hosts; list them");
  }
  if (!input.served_by.empty()) check_place(c, hosts, "dataset.served_by", input.served_by);
  const std::string& session_host = c.scenario.framework.session_host;
  if (session_host.empty()) return;
  const std::string key = "framework.session_host";
  check_place(c, hosts, key, session_host);
  if (!input.served_by.empty()) {
    fail(c, key, "its clients feed their own data, not that of dataset.served_by; remove one");
  }
}

void check_colocated_jobs(const Case& c, const std::set<std::string>& hosts) {
  for (std::size_t i = 0; i < c.scenario.colocated_jobs.size(); ++i) {
    const std::string key = fmt::format("neighbours[{}]", i);
    if (hosts.empty()) {
      fail(c, key, "there is no cluster.hosts to share with it; list them, or remove neighbours");
    }
    const Placement& placement = c.scenario.colocated_jobs[i].placement;
    check_places(c, hosts, key + ".workers", placement.workers);
    check_places(c, hosts, key + ".servers", placement.servers);
  }
}

/// Checks that all prices have one currency, because they are added.
void check_prices(const Case& c) {
  const auto& hosts = c.scenario.cluster.hosts;
  const auto has_price = [](const HostSpec& host) { return host.price.per_hour > 0; };
  const auto first = std::ranges::find_if(hosts, has_price);
  const auto called = [](const HostSpec& host) {
    return host.price.currency.empty() ? "no currency" : host.price.currency;
  };
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (!has_price(hosts[i]) || hosts[i].price.currency == first->price.currency) continue;
    const std::string key = fmt::format("cluster.hosts[{}].price", i);
    const std::string other = fmt::format("cluster.hosts[{}].price", first - hosts.begin());
    fail(c, key,
         fmt::format("in {}, but {} is in {} ({}); costs are added up, so use one currency",
                     called(hosts[i]), other, called(*first), c.place_of(other)));
  }
}

void check_failures(const Case& c) {
  const auto& hosts = c.scenario.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    if (hosts[i].mtbf.ns == 0 || c.scenario.colocated_jobs.empty()) continue;
    fail(c, fmt::format("cluster.hosts[{}].mtbf", i),
         "failures with neighbours are not modelled; remove it, or neighbours");
  }
}

void check_place_count(const Case& c, const std::string& kind, std::size_t names, int nodes) {
  if (names == static_cast<std::size_t>(nodes)) return;
  fail(c, "cluster.placement." + kind,
       fmt::format("names {} hosts, but {} are needed; write one for each of the {}, or leave "
                   "placement out",
                   names, nodes, kind));
}

void check_placement(Case& c, const NodeCounts& counts) {
  Placement& placement = c.scenario.cluster.placement;
  const std::set<std::string> hosts = check_hosts(c);
  check_links(c, hosts);
  check_places(c, hosts, "cluster.placement.workers", placement.workers);
  check_places(c, hosts, "cluster.placement.servers", placement.servers);
  check_input(c, hosts);
  check_colocated_jobs(c, hosts);
  check_failures(c);
  check_prices(c);
  if (placement.workers.empty() && placement.servers.empty()) return;
  // A sweep may mix strategies with and without servers; the only worker of `single` is on the host
  // of the first worker.
  if (counts.servers == 0) placement.servers.clear();
  const bool alone = !protocol_called(c.scenario.training.strategy).several_workers;
  if (alone && !placement.workers.empty()) placement.workers.resize(1);
  check_place_count(c, "workers", placement.workers.size(), counts.workers);
  check_place_count(c, "servers", placement.servers.size(), counts.servers);
}

/// Checks that every worker on a host with devices has its own device.
void check_devices(const Case& c) {
  const auto& hosts = c.scenario.cluster.hosts;
  std::map<std::string, int> workers;
  const int count = node_counts(c.scenario).workers;
  const std::vector<NodePlace> places = place_nodes(c.scenario);
  for (std::size_t node = 0; node < static_cast<std::size_t>(count) && !hosts.empty(); ++node) {
    const HostSpec& host = hosts[places[node].spec];
    if (host.devices == 0 || ++workers[places[node].host_name] <= host.devices) continue;
    const bool placed = !c.scenario.cluster.placement.workers.empty();
    fail(c, placed ? "cluster.placement.workers" : "training.workers",
         fmt::format("{} workers: {} has only {} devices; write fewer, or add hosts", count,
                     places[node].host_name, host.devices));
  }
}

void check_local_reduction(const Case& c) {
  if (const auto against = against_local_reduction(c.scenario))
    fail(c, against->key, against->what);
}

void check_options(const Case& c, int workers) {
  const TrainingSpec& training = c.scenario.training;
  const Protocol& protocol = protocol_called(training.strategy);
  if (const auto wrong = protocol.wrong(training.protocol, workers)) {
    fail(c, "training." + wrong->option->path(), wrong->what);
  }
}

void check_stragglers(Case& c, int workers, Reading& reading) {
  auto& stragglers = c.scenario.stragglers;
  std::set<const StragglerSpec*> without_workers;
  for (std::size_t s = 0; s < stragglers.size(); ++s) {
    std::vector<int>& indices = stragglers[s].workers;
    if (indices.empty()) continue;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      const std::string key = fmt::format("stragglers[{}].workers[{}]", s, i);
      if (indices[i] < workers) {
        reading.note_used(key, c.place_of(key));
      } else {
        reading.note_unused(
            key, c.place_of(key),
            fmt::format("there is no worker {}; there {}, counted from 0", indices[i],
                        workers == 1 ? "is 1 worker" : fmt::format("are {} workers", workers)));
      }
    }
    std::erase_if(indices, [&](int index) { return index >= workers; });
    if (indices.empty()) without_workers.insert(&stragglers[s]);
  }
  // An empty list would mean all workers.
  std::erase_if(stragglers, [&](const StragglerSpec& s) { return without_workers.contains(&s); });
}

}  // namespace

std::optional<BrokenRule> against_shard(const Scenario& scenario) {
  if (!wants_shard(scenario)) return std::nullopt;
  return first_broken(kShardRules, Facts(scenario));
}

void check_forecastable(const Case& scenario_case) {
  if (!scenario_case.scenario.transport.shared_memory) return;
  fail(scenario_case, "transport.shared_memory",
       "on, but forecasts assume TCP; write off, or only run it");
}

void check_case(Case& scenario_case, Reading& reading) {
  check_length(scenario_case);
  check_profile(scenario_case);
  check_keys(scenario_case);
  const NodeCounts counts = node_counts(scenario_case.scenario);
  check_options(scenario_case, counts.workers);
  check_placement(scenario_case, counts);
  check_devices(scenario_case);
  check_local_reduction(scenario_case);
  check_measured(scenario_case);
  check_stragglers(scenario_case, counts.workers, reading);
  check_faults(scenario_case, reading);
}

}  // namespace foretrain
