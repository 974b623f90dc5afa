#include "reports/record/caveats.h"

#include "reports/record/collector.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/resolve/faults.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace foretrain {
namespace {

constexpr double kUneven = 1.5;  // multiple of an equal share

/// Why `workers`, which are some of `all`, made more gradients than the others.
std::string why_more(const Record& record, const std::vector<std::size_t>& workers,
                     std::size_t all) {
  std::map<std::string, std::string> servers;  // the first server on each host
  for (const NodeTotals& node : record.nodes) {
    if (node.role.starts_with("server")) servers.try_emplace(node.host, node.role);
  }
  std::vector<std::size_t> beside_servers;
  for (std::size_t worker = 0; worker < std::min(all, record.nodes.size()); ++worker) {
    if (servers.contains(record.nodes[worker].host)) beside_servers.push_back(worker);
  }
  const bool one = workers.size() == 1;
  if (beside_servers != workers)
    return one ? "its steps took less time" : "their steps took less time";
  if (!one) return "they share hosts with servers";
  return "it shares a host with " + servers.at(record.nodes[workers.front()].host);
}

/// Whether it diverged: the final loss is not a number, or at least 1 nat above the loss of the
/// first step and over 10 times that, since overfitting can raise it; over 2 times is enough if the
/// training loss has grown as well.
std::string divergence(const Record& record) {
  if (record.mode == Mode::simulate && !record.scenario_case.scenario.numerics) return {};
  const auto end = std::ranges::find_if(record.evals, &EvalReport::final);
  if (end == record.evals.end()) return {};
  const StepTotals totals = step_totals_of(record);
  const double factor = totals.last_loss > totals.first_loss ? 2 : 10;
  const bool number = std::isfinite(end->loss);
  const bool grew = end->loss > factor * totals.first_loss && end->loss > totals.first_loss + 1;
  if (number && !grew) return {};
  return fmt::format(
      "it diverged: its final loss is {}, that of its first step {}; lower "
      "training.optimizer.learning_rate",
      number ? figure(end->loss) + " nats" : "not a number", figure(totals.first_loss));
}

void add_late(const Record& record, std::vector<std::string>& told) {
  const auto add = [&](Duration at, const std::string& what) {
    if (at <= record.time) return;
    told.push_back(fmt::format(
        "{} is planned for {} s, but the training ended after {} s, so it did not happen", what,
        figure(at.seconds()), figure(record.time.seconds())));
  };
  const Scenario& scenario = record.scenario_case.scenario;
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const FaultSpec& fault = scenario.faults[i];
    add(fault.at, fmt::format("faults[{}] ({})", i, fmt::join(named_by(fault), ", ")));
  }
  for (std::size_t i = 0; i < scenario.colocated_jobs.size(); ++i) {
    add(scenario.colocated_jobs[i].starts_at, fmt::format("neighbours[{}]", i));
  }
}

/// Notes hosts whose workers share cores.
void add_shared_cores(const Record& record, std::vector<std::string>& told) {
  struct Seats {
    int workers = 0;
    std::set<int> cores;
  };
  std::map<std::string, Seats> hosts;
  std::set<std::string> with_devices;
  for (const HostSpec& spec : record.scenario_case.scenario.cluster.hosts) {
    for (int i = 0; spec.devices > 0 && i < spec.count; ++i) {
      with_devices.insert(host_name(spec, i));
    }
  }
  for (const NodeTotals& node : record.nodes) {
    if (!node.role.starts_with("worker") || !node.core) continue;
    if (with_devices.contains(node.host)) continue;
    ++hosts[node.host].workers;
    hosts[node.host].cores.insert(*node.core);
  }
  const auto shared = [](const auto& host) {
    return host.second.workers > std::ssize(host.second.cores);
  };
  const auto first = std::ranges::find_if(hosts, shared);
  if (first == hosts.end()) return;
  const auto others = std::ranges::count_if(hosts, shared) - 1;
  const auto cores = std::ssize(first->second.cores);
  told.push_back(fmt::format(
      "{} workers share {} core{} of {}{}", first->second.workers, cores, cores == 1 ? "" : "s",
      first->first, others == 0 ? "" : fmt::format(", likewise on {} more hosts", others)));
}

}  // namespace

std::string uneven_share(const Record& record) {
  const StepTotals totals = step_totals_of(record);
  const int workers = node_counts(record.scenario_case.scenario).workers;
  const double even = static_cast<double>(totals.steps) / std::max(1, workers);
  std::vector<std::size_t> most;
  std::vector<std::string> names;
  std::int64_t made = 0;
  for (std::size_t worker = 0; worker < totals.by_worker.size(); ++worker) {
    if (static_cast<double>(totals.by_worker[worker]) <= kUneven * even) continue;
    most.push_back(worker);
    names.push_back(fmt::format("worker{}", worker));
    made += totals.by_worker[worker];
  }
  if (most.empty()) return {};
  const auto percent = [&](double gradients) {
    return 100 * gradients / static_cast<double>(totals.steps);
  };
  return fmt::format("{} made {:.0f} % of the gradients (an even share is {:.0f} %): {}",
                     listed(names), percent(static_cast<double>(made)),
                     percent(even * static_cast<double>(most.size())),
                     why_more(record, most, static_cast<std::size_t>(workers)));
}

std::string caveats_of(const std::vector<TitledCaveat>& all) {
  constexpr std::size_t kTold = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kTold, all.size()); ++i) {
    text += fmt::format(" {}: {}.", all[i].title, all[i].caveat);
  }
  if (all.size() > kTold) text += fmt::format(" And {} more such notes.", all.size() - kTold);
  return text;
}

std::vector<std::string> caveats(const Record& record) {
  if (record.outcome != Outcome::done) return {};
  std::vector<std::string> told;
  for (std::string each : {divergence(record), uneven_share(record)}) {
    if (!each.empty()) told.push_back(std::move(each));
  }
  add_late(record, told);
  add_shared_cores(record, told);
  return told;
}

}  // namespace foretrain
