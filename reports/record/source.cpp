#include "reports/record/source.h"

#include "scenarios/language/units.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <utility>

namespace foretrain {
namespace {

using BasisFrom = ComputeBasis::From;

/// The text that follows `simulated`.
std::string in_short(const ComputeBasis& basis) {
  switch (basis.from) {
    case BasisFrom::calibrated:
      return fmt::format("on {}, calibrated{}{}{}", basis.of, basis.date.empty() ? "" : " ",
                         basis.date, basis.others_used > 0 ? " (noisy)" : "");
    case BasisFrom::written:
      return fmt::format("on {}, a machine file without a measurement", basis.of);
    case BasisFrom::described:
      return fmt::format("on {}, uncalibrated: a data sheet", basis.of);
    case BasisFrom::given:
      return fmt::format("with compute: {}", basis.of);
    case BasisFrom::fitted:
    case BasisFrom::counted:
      return fmt::format("with counted work, {}", basis.of);
    case BasisFrom::profile:
      break;
  }
  if (!basis.of.empty()) return "with compute times measured on one device, " + basis.of;
  return "with the layer times of a profile";
}

/// The part of the record's machine after its name: `, 3 hosts emulated on 2 cores`. Without the
/// note that it is noisy, which the text of each basis contains.
std::string beyond_name(const Record& record) {
  const std::string& name = record.basis.front().of;
  if (!record.machine.starts_with(name)) return {};
  const std::string rest = record.machine.substr(name.size());
  return rest.starts_with(" (noisy") ? rest.substr(rest.find(')') + 1) : rest;
}

std::string simulated_source(const Record& record) {
  if (record.basis.empty()) {
    std::string text = "simulated";
    if (!record.machine.empty()) text += " on " + record.machine;
    if (!record.uncalibrated.empty()) text += ", uncalibrated: " + record.uncalibrated;
    return text;
  }
  std::vector<std::string> parts;
  parts.reserve(record.basis.size());
  for (const ComputeBasis& each : record.basis) parts.push_back(in_short(each));
  return fmt::format("simulated {}{}", fmt::join(parts, "; "), beyond_name(record));
}

/// ` of a, b`: the hosts of the basis; empty if the scenario lists no hosts.
std::string of_hosts(const ComputeBasis& basis) {
  if (basis.hosts.empty()) return {};
  return fmt::format(" of {}", fmt::join(basis.hosts, ", "));
}

/// `calibrated 2026-11-25, a gradient ± 1.2 %, noisy: others used 23 % of it meanwhile`
std::string calibration_of(const ComputeBasis& basis) {
  std::string text = "calibrated";
  if (!basis.date.empty()) text += " " + basis.date;
  if (basis.spread > 0) text += fmt::format(", a gradient ± {:.1f} %", 100 * basis.spread);
  if (basis.others_used > 0) {
    text += fmt::format(", noisy: other programs took {:.0f} % of its CPU meanwhile",
                        100 * basis.others_used);
  }
  return text;
}

/// The source of compute times, without a full stop. `model`: that of the scenario.
std::string compute_clause(const ComputeBasis& basis, const ModelSpec& model) {
  const std::string hosts = of_hosts(basis);
  switch (basis.from) {
    case BasisFrom::calibrated:
    case BasisFrom::written: {
      const std::string how = basis.from == BasisFrom::calibrated
                                  ? calibration_of(basis)
                                  : "a machine file that names no measurement";
      if (basis.unasked) {
        return fmt::format(
            "compute times{} are those of a core of {} ({}), since the scenario gives them neither "
            "compute: nor machine:",
            hosts, basis.of, how);
      }
      return fmt::format("compute times{} are those of {} ({})", hosts, basis.of, how);
    }
    case BasisFrom::described:
      return fmt::format(
          "compute times{} are computed from FLOPs and bytes by the data sheet of {}: uncalibrated",
          hosts, basis.of);
    case BasisFrom::given:
      return fmt::format("compute times{} are given by the scenario: {} a gradient", hosts,
                         basis.of);
    case BasisFrom::fitted:
      return fmt::format(
          "compute times{} are counted: operations and bytes of each layer, at the share of {} "
          "that measured trainings reach (scenarios/devices)",
          hosts, basis.of);
    case BasisFrom::counted:
      return fmt::format(
          "compute times{} are counted: operations and bytes of each layer, at an assumed share of "
          "{}, since no training on this device was measured",
          hosts, basis.of);
    case BasisFrom::profile:
      break;
  }
  if (!basis.of.empty()) {
    return fmt::format(
        "compute times{} were measured on one such device: {}; they are shared among layers as in "
        "the profile",
        hosts, basis.of);
  }
  const std::string file = std::filesystem::path(model.profile.path).filename().string();
  return fmt::format("layer times{} are the measured ones of {}", hosts,
                     file.empty() ? "a profile" : file);
}

/// The assumed cost of checkpoints if their disk is not described; else empty.
std::string disk_clause(const Record& record) {
  if (!record.disk_assumed) return {};
  const DiskCost disk = record.scenario_case.scenario.checkpoint.disk_on({});
  return fmt::format(
      "; a disk is assumed, since no machine file describes one: a node's part of a checkpoint "
      "takes {} plus its bytes at {}",
      to_text(disk.write_latency), to_text(disk.write_rate));
}

/// Names TCP's CPU time if moving messages takes much of a core for the training; else empty.
std::string messages_clause(const Record& record) {
  constexpr double kMuch = 0.25;
  AffineCost send;
  AffineCost receive;
  for (const HostSpec& host : record.scenario_case.scenario.cluster.hosts) {
    if (host.rdma()) continue;
    send.per_item_s = std::max(send.per_item_s, host.send.per_item_s);
    receive.per_item_s = std::max(receive.per_item_s, host.receive.per_item_s);
  }
  const auto share = [&](const NodeTotals& node) {
    const double bytes_s = static_cast<double>(node.tx.value) * send.per_item_s +
                           static_cast<double>(node.rx.value) * receive.per_item_s;
    return std::min(node.cpu_s, bytes_s) / record.time.seconds();
  };
  if (record.nodes.empty() || record.time.ns <= 0) return {};
  const NodeTotals& busiest = *std::ranges::max_element(record.nodes, {}, share);
  if (share(busiest) < kMuch) return {};
  return fmt::format(
      "; a core of {2} is busy {3:.0f} % of the time, mostly with TCP ({0:.3g} ns a byte sent, "
      "{1:.3g} received): if the hosts have RDMA, write transport: rdma",
      1e9 * send.per_item_s, 1e9 * receive.per_item_s, busiest.role,
      100 * std::min(1.0, busiest.cpu_s / record.time.seconds()));
}

/// The cores that workers of one host are assumed to have, if their compute times are given; else
/// empty. More threads than cores take longer in proportion.
std::string sharing_clause(const Record& record) {
  const Scenario& scenario = record.scenario_case.scenario;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (!host.compute || host.devices > 0) continue;
    const auto beside = std::ranges::count_if(record.nodes, [&](const NodeTotals& node) {
      return node.role.starts_with("worker") && node.host == host_name(host, 0);
    });
    if (beside < 2) continue;
    return fmt::format(
        "; {} workers of {} share its {} cores, {} each (training.threads), and do not slow each "
        "other otherwise",
        beside, host_name(host, 0), host.cores, scenario.training.threads);
  }
  return {};
}

bool has_several_workers(const Record& record) {
  return std::ranges::count_if(record.nodes, [](const NodeTotals& node) {
           return node.role.starts_with("worker");
         }) > 1;
}

std::string jitter_sentence(const Record& record) {
  double most = 0;
  for (const ComputeBasis& each : record.basis) most = std::max(most, each.jitter);
  const Scenario& scenario = record.scenario_case.scenario;
  if (most > 0)
    return fmt::format("The time of a gradient varies by {:.1f} %, as measured.", 100 * most);
  if (!scenario.stragglers.empty()) return "Compute times vary only as stragglers: says.";
  double variation = 0;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (host.devices > 0) variation = std::max(variation, host.device.variation);
  }
  if (variation > 0) {
    return fmt::format("Devices differ by {:.1f} %, and workers in lockstep wait for the slowest.",
                       100 * variation);
  }
  const bool alike = record.basis.size() == 1 && scenario.faults.empty();
  if (!alike || !has_several_workers(record)) return "No variation of compute times is described.";
  return "No variation of compute times is described, so all workers are equally fast: none waits "
         "for a slower one, by which async gains nothing; add stragglers: to the scenario.";
}

}  // namespace

std::string source_of(const Record& record) {
  if (record.mode == Mode::simulate) return simulated_source(record);
  return fmt::format("run on {}, {} kernels", record.machine.empty() ? "a machine" : record.machine,
                     record.kernel_set);
}

std::string source_of(const std::vector<Record>& records) {
  std::vector<std::string> sources;
  for (const Record& record : records) {
    std::string source = source_of(record);
    if (std::ranges::find(sources, source) == sources.end()) sources.push_back(std::move(source));
  }
  return fmt::format("{}", fmt::join(sources, "; "));
}

std::string basis_sentence(const Record& record) {
  if (record.mode != Mode::simulate || record.basis.empty()) return {};
  std::vector<std::string> clauses;
  clauses.reserve(record.basis.size());
  for (const ComputeBasis& each : record.basis) {
    clauses.push_back(compute_clause(each, record.scenario_case.scenario.model));
  }
  if (!record.simulated.empty()) clauses.push_back("simulated: " + record.simulated + ", for all");
  return fmt::format("Assumptions: {}{}{}{}. {}", fmt::join(clauses, "; "), disk_clause(record),
                     sharing_clause(record), messages_clause(record), jitter_sentence(record));
}

std::string others_sentence(const Record& record) {
  constexpr double kALittle = 0.1;
  if (record.others_used <= kALittle) return {};
  return fmt::format(
      "Other programs took {:.0f} % of this machine's CPU: these times are too long; repeat when "
      "it is idle.",
      100 * *record.others_used);
}

}  // namespace foretrain
