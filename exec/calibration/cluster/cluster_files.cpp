#include "exec/calibration/cluster/cluster_files.h"

#include "reports/record/files.h"
#include "reports/record/wrapped_text.h"
#include "scenarios/language/units.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {

constexpr std::size_t kCommentColumns = 98;

std::string machine_file(const Kind& kind) { return kind.name + ".yaml"; }

std::string count_of(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<std::string> names_of(const ClusterFound& found, const Kind& kind) {
  std::vector<std::string> names;
  names.reserve(kind.hosts.size());
  for (const std::size_t host : kind.hosts) names.push_back(found.hosts[host].name);
  return names;
}

// Remarks in addition to the figures, a sentence each.
std::vector<std::string> remarks_of(const ClusterFound& found, const std::vector<Kind>& kinds,
                                    const std::vector<Wire>& wires) {
  std::vector<std::string> remarks;
  for (const Kind& kind : kinds) {
    std::string remark = fmt::format("{}: {}.", kind.name, fmt::join(names_of(found, kind), ", "));
    if (!kind.differs.empty()) {
      remark += fmt::format(" Same processor as an earlier kind, but {}.", kind.differs);
    }
    remarks.push_back(std::move(remark));
  }
  for (const std::string& pair : slow_pairs(found, wires)) {
    remarks.push_back(fmt::format("Slower than the rest: {}.", pair));
  }
  const double share = ring_share(found);
  if (share >= 1 - kAlike) {
    remarks.push_back(
        fmt::format("If all hosts send at once, each to the next, a pair has at least {:.0f} % of "
                    "the rate that it has alone.",
                    100 * share));
  } else if (share > 0) {
    remarks.push_back(
        fmt::format("If all hosts send at once, each to the next, a pair has down to {:.0f} % of "
                    "the rate that it has alone. The switches carry less than the hosts send; "
                    "describe that with topology: leaf_spine.",
                    100 * share));
  }
  return remarks;
}

std::string comment(const std::string& text) {
  std::istringstream lines(wrap(text, kCommentColumns));
  std::string commented;
  for (std::string line; std::getline(lines, line);) commented += "# " + line + '\n';
  return commented;
}

std::string title_line(const ClusterFound& found, const std::vector<Kind>& kinds) {
  return fmt::format("{} of {}, {} measured in turn", count_of(found.hosts.size(), "host"),
                     count_of(kinds.size(), "kind"), count_of(found.pairs.size(), "pair"));
}

HostSpec host_spec_of(const ClusterFound& found, const Kind& kind) {
  HostSpec host;
  host.name = kind.name;
  host.count = static_cast<int>(kind.hosts.size());
  host.cores = found.hosts[kind.typical].processor.cores;
  host.nic = kind.wire.nic;
  host.flow_rate = kind.wire.flow_rate;
  host.latency = kind.wire.latency;
  host.machine = machine_file(kind);
  return host;
}

}  // namespace

std::string cluster_yaml(const ClusterFound& found, const Scenario& base) {
  const std::vector<Wire> wires = wires_of(found);
  const std::vector<Kind> kinds = kinds_of(found, wires);
  Scenario scenario = base;
  scenario.cluster = {};
  scenario.cluster.hosts.reserve(kinds.size());
  for (const Kind& kind : kinds) scenario.cluster.hosts.push_back(host_spec_of(found, kind));
  std::string text =
      comment(fmt::format("{}, {}; cluster: can be copied to other scenarios.",
                          title_line(found, kinds), found.hosts.front().machine.date));
  for (const std::string& remark : remarks_of(found, kinds, wires)) text += comment(remark);
  return text + to_yaml(scenario);
}

std::string cluster_summary(const ClusterFound& found) {
  const std::vector<Wire> wires = wires_of(found);
  const std::vector<Kind> kinds = kinds_of(found, wires);
  std::string text = title_line(found, kinds) + "\n\n";
  constexpr std::size_t kName = 32;
  const auto row = [&](const std::string& name, const std::string& hosts, const std::string& nic,
                       const std::string& flow, const std::string& latency) {
    text += fmt::format("  {} {:>5} {:>12} {:>14} {:>10}\n", left(name, kName), hosts, nic, flow,
                        latency);
  };
  row("kind", "hosts", "nic", "one connection", "latency");
  for (const Kind& kind : kinds) {
    const bool all = kind.wire.flow_rate.value == 0;
    row(kind.name, fmt::format("{}", kind.hosts.size()), to_text(kind.wire.nic),
        all ? "all of it" : to_text(kind.wire.flow_rate), to_text(kind.wire.latency));
  }
  text += '\n';
  for (const std::string& remark : remarks_of(found, kinds, wires)) text += wrap(remark);
  return text;
}

void write_cluster(const ClusterFound& found, const Scenario& base,
                   const std::filesystem::path& folder) {
  for (const Kind& kind : kinds_of(found, wires_of(found))) {
    const HostFound& host = found.hosts[kind.typical];
    Machine machine = host.machine;
    machine.name = fmt::format("{}, as {}", kind.name, host.name);
    write_text_file(folder / machine_file(kind), to_yaml(machine));
  }
  write_text_file(folder / kClusterFile, cluster_yaml(found, base));
}

}  // namespace foretrain::exec
