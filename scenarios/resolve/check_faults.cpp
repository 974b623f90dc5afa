// The rules for the faults of a scenario.
#include "models/protocol/registry.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace foretrain {
namespace {

std::vector<std::string> kinds_of(const FaultSpec& fault) {
  std::vector<std::string> kinds;
  if (!fault.kill.empty()) kinds.emplace_back("kill");
  if (!fault.join.empty()) kinds.emplace_back("join");
  if (!fault.stop.empty()) kinds.emplace_back("stop");
  if (!fault.cut.empty()) kinds.emplace_back("cut");
  if (!fault.slow.empty()) kinds.emplace_back("slow");
  return kinds;
}

/// Returns the key that gives the kind of the fault.
std::string check_kind(const Case& c, const std::string& key, const FaultSpec& fault) {
  const std::vector<std::string> kinds = kinds_of(fault);
  if (kinds.empty()) {
    fail(c, key, "has no event; write one of kill, join, stop, cut, slow");
  }
  if (kinds.size() > 1) {
    fail(c, key, fmt::format("{} in one fault; write one for each", fmt::join(kinds, ", ")));
  }
  return key + "." + kinds.front();
}

/// Checks that all named nodes exist. Returns false if only this case of a sweep lacks them.
bool check_names(const Case& c, const std::string& key, const FaultSpec& fault, Reading& reading) {
  const auto is_missing = [&](const std::string& name) { return !node_called(c.scenario, name); };
  const std::vector<std::string> names = named_by(fault);
  const auto missing = std::ranges::find_if(names, is_missing);
  if (missing == names.end()) {
    reading.note_used(key, c.place_of(key));
    return true;
  }
  const NodeCounts counts = node_counts(c.scenario);
  const auto all = [](std::string_view role, int count) {
    return count == 1 ? fmt::format("{}0", role) : fmt::format("{0}0 to {0}{1}", role, count - 1);
  };
  std::string nodes = all("worker", counts.workers);
  if (counts.servers > 0) nodes += ", " + all("server", counts.servers);
  reading.note_unused(key, c.place_of(key),
                      fmt::format("there is no {}; the nodes are {}", *missing, nodes));
  return false;
}

/// Checks that the hosts are known, and that those of a cut differ.
void check_link(const Case& c, const std::string& key, const FaultSpec& fault) {
  if (fault.cut.empty() && fault.slow.empty()) return;
  if (!fault.cut.empty() && fault.cut.size() != 2) {
    fail(c, key, fmt::format("names {} nodes; write two, [worker0, server0]", fault.cut.size()));
  }
  if (c.scenario.cluster.hosts.empty()) {
    fail(c, key,
         "there are no links on the loopback of one machine; list cluster.hosts, or write stop");
  }
  if (fault.cut.empty()) return;
  const std::vector<NodePlace> places = place_nodes(c.scenario);
  const auto host_of = [&](const std::string& name) {
    return places[static_cast<std::size_t>(*node_called(c.scenario, name))].host_name;
  };
  if (host_of(fault.cut[0]) != host_of(fault.cut[1])) return;
  fail(c, key,
       fmt::format("both are on {}, so there is no link between them; name nodes of two hosts",
                   host_of(fault.cut[0])));
}

/// Checks that a killed node can be replaced.
void check_restart(const Case& c, const std::string& key, FaultSpec& fault, Reading& reading) {
  if (!fault.restart_after) return;
  const std::string of = key + ".restart_after";
  const TrainingSpec& training = c.scenario.training;
  // Noted under the strategy, because the key itself is valid for any kill.
  const std::string by = "training.strategy";
  const Protocol& own = protocol_called(training.strategy);
  const bool others_wait = own.several_workers && training.rejoin_limit.ns > 0;
  if (others_wait) return reading.note_used(by, c.place_of(of));
  if (*node_called(c.scenario, fault.kill) == 0 || fault.kill.starts_with("server")) {
    fail(c, of,
         fmt::format("nobody can take the place of {}; name a worker other than worker0, the "
                     "chief{}",
                     fault.kill,
                     own.several_workers ? ", or write training.rejoin_limit, such as 30 s" : ""));
  }
  if (own.takes_back(training.protocol)) return reading.note_used(by, c.place_of(of));
  std::vector<std::string> able;
  for (const Protocol& protocol : protocols()) {
    if (protocol.takes_back({})) {
      able.emplace_back(protocol.name);
    } else if (!protocol.takes_back_with.empty()) {
      able.push_back(fmt::format("{} {}", protocol.name, protocol.takes_back_with));
    }
  }
  reading.note_unused(by, c.place_of(of),
                      fmt::format("here {} lets no lost worker return, only {} do; remove {}",
                                  training.strategy, fmt::join(able, ", "), of));
  fault.restart_after.reset();
}

/// Rejects a death before the node's begin as a typing mistake.
void check_lives(const Case& c) {
  for (int node = 0; node < node_counts(c.scenario).workers; ++node) {
    const FaultSchedule life = fault_schedule_of(c.scenario, node);
    if (life.deaths.empty() || life.joins_at < life.deaths.front().at) continue;
    fail(c, "faults",
         fmt::format("worker{} would join at {}, but be killed at {}; let it join earlier", node,
                     to_text(life.joins_at), to_text(life.deaths.front().at)));
  }
}

}  // namespace

void check_faults(Case& scenario_case, Reading& reading) {
  auto& faults = scenario_case.scenario.faults;
  std::set<const FaultSpec*> without_nodes;
  for (std::size_t i = 0; i < faults.size(); ++i) {
    const std::string key = check_kind(scenario_case, fmt::format("faults[{}]", i), faults[i]);
    if (!faults[i].join.empty() && faults[i].join.starts_with("server")) {
      fail(scenario_case, key, "a missing server stops all workers; name a worker");
    }
    if (!check_names(scenario_case, fmt::format("faults[{}]", i), faults[i], reading)) {
      without_nodes.insert(&faults[i]);
    } else {
      check_link(scenario_case, key, faults[i]);
      check_restart(scenario_case, fmt::format("faults[{}]", i), faults[i], reading);
    }
  }
  std::erase_if(faults, [&](const FaultSpec& fault) { return without_nodes.contains(&fault); });
  check_lives(scenario_case);
}

}  // namespace foretrain
