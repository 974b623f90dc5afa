// What a search over clusters takes from its scenario, what it has to assume.
#include "reports/record/summary.h"
#include "reports/record/text.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/budget/search.h"
#include "scenarios/check.h"
#include "scenarios/prepared.h"
#include "scenarios/same_work.h"
#include "scenarios/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr const char* kNotRented = ", but whatif --budget tries hosts of the library; remove it";

void check_whole(const Case& c) {
  const Scenario& s = c.scenario;
  const auto refuse = [&](bool wrong, const std::string& key, const std::string& what) {
    if (wrong) fail(c, key, what + kNotRented);
  };
  refuse(s.cluster.topology != "star", "cluster.topology", "switches or links of one cluster");
  refuse(!s.faults.empty(), "faults", "nodes of one cluster");
  refuse(!s.neighbours.empty(), "neighbours", "trainings beside it on one cluster");
  refuse(!s.dataset.input.served_by.empty(), "dataset.served_by", "a host of one cluster");
  for (std::size_t i = 0; i < s.stragglers.size(); ++i) {
    refuse(!s.stragglers[i].workers.empty(), fmt::format("stragglers[{}].workers", i),
           "workers of one cluster");
  }
  const auto& hosts = s.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    refuse(hosts[i].mtbf.ns > 0, fmt::format("cluster.hosts[{}].mtbf", i),
           "failures of one cluster's hosts");
    refuse(hosts[i].compute != hosts.front().compute, fmt::format("cluster.hosts[{}].compute", i),
           "a gradient that takes another time than on the first host");
  }
}

/// Of all hosts with devices; not described where they differ, or none is.
MeasuredDevice own_device(const ClusterSpec& cluster) {
  std::optional<Roofline> device;
  for (const HostSpec& host : cluster.hosts) {
    if (host.devices == 0) continue;
    if (device && *device != host.device) return {};
    device = host.device;
  }
  if (!device) return {};
  return {device->gflops, device->memory_bandwidth};
}

std::string sheet_text(const MeasuredDevice& device) {
  std::string text = fmt::format("{} GFLOPS", grouped(std::llround(device.gflops)));
  if (device.memory_bandwidth.value > 0)
    text += fmt::format(", {:.0f} GB/s", device.memory_bandwidth.value / 1e9);
  return text;
}

bool is_measured(const HostSpec& host, const ModelSpec& model) {
  return measured_gradient(host.measured, model.profile_network, 1).has_value();
}

/// Hosts whose device was measured with the network; empty: none is.
std::string measured_note(const ModelSpec& model, const HostsToTry& hosts) {
  std::vector<std::string> names;
  for (const HostSpec& host : hosts.hosts) {
    if (is_measured(host, model)) names.push_back(host.name);
  }
  if (names.empty()) return {};
  return fmt::format("On {} a gradient takes what a device there was measured to train of {}. ",
                     fmt::join(names, ", "), model.profile_network);
}

std::string profile_note(const BudgetBase& base, const HostsToTry& hosts) {
  const ModelSpec& model = base.scenario_case.scenario.model;
  const std::string known = measured_note(model, hosts);
  const MeasuredDevice& measured = model.profile_device;
  if (!measured.described()) {
    return fmt::format(
        "{}Nothing says which device the profile was measured on (model.profile_device: {{gflops: "
        "..., memory_bandwidth: ...}}): its times stand as they are on every {}host, so that hosts "
        "differ in their number of devices, network and price alone.",
        known, known.empty() ? "" : "other ");
  }
  std::vector<std::string> ratios;
  for (const HostSpec& host : hosts.hosts) {
    if (is_measured(host, model)) continue;
    const double ratio = time_ratio(measured, host.device);
    if (ratio != 1) ratios.push_back(fmt::format("{:.2f} on {}", ratio, host.name));
  }
  std::string text =
      fmt::format("The profile's times are of a device of {} ({})", sheet_text(measured),
                  base.own_device ? "that of the scenario's hosts" : "model.profile_device");
  if (!ratios.empty()) {
    text += fmt::format(
        "; elsewhere they are scaled by what the lesser of FLOPs and bandwidth gains: x {}",
        fmt::join(ratios, ", "));
  }
  return known + text + ".";
}

std::string work_note(const BudgetBase& base) {
  const std::string examples = grouped(std::llround(base.examples));
  if (base.target().wanted()) {
    return fmt::format(
        "Each cluster trains until an evaluation finds {}, on {} examples at most, as steps x "
        "workers x batch of the scenario.",
        target_text(base.target()), examples);
  }
  return fmt::format(
      "Each cluster trains on {} examples, as steps x workers x batch of the scenario; {} steps "
      "are simulated, the rest goes on as those after the first {}.",
      examples, kBudgetSteps, kBudgetWarmSteps);
}

std::string compute_note(const BudgetBase& base, const HostsToTry& hosts) {
  const Scenario& scenario = base.scenario_case.scenario;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (!host.compute) continue;
    return fmt::format(
        "A gradient takes {} on every host, as compute: says, so only its batch was tried.",
        to_text(*host.compute));
  }
  if (scenario.model.profiled()) return profile_note(base, hosts);
  return "Gradients are counted by FLOPs and bytes of data sheets, which trainings reach 30 to 50 "
         "% "
         "of: uncalibrated.";
}

/// Of hosts that nobody rents; empty: all are rented.
std::string bought_note(const HostsToTry& hosts) {
  std::vector<std::string> names;
  for (const HostSpec& host : hosts.hosts) {
    if (host.bought) names.push_back(host.name);
  }
  if (names.empty()) return {};
  return fmt::format(
      "Bought, not rented: {}. The price of an hour is what it cost new over the hours of the "
      "years "
      "that it is kept (three in foretrain's own library, without power).",
      fmt::join(names, ", "));
}

}  // namespace

BudgetBase base_of(const Case& scenario_case) {
  check_whole(scenario_case);
  BudgetBase base{scenario_case};
  Scenario& scenario = base.scenario_case.scenario;
  const auto training = prepare(scenario_case, Need::shape).training;
  base.examples = planned_examples(*training);
  base.sparse = training->network->input().sparse();
  base.shortened = scenario.checkpoint.every.wanted();
  scenario.checkpoint.every = {};
  if (!base.target().wanted()) {
    scenario.numerics = scenario.numerics && base.sparse;
    base.shortened = base.shortened || scenario.training.evaluate_every > 0;
    scenario.training.evaluate_every = 0;
  }
  MeasuredDevice& measured = scenario.model.profile_device;
  if (scenario.model.profiled() && !measured.described()) {
    measured = own_device(scenario.cluster);
    base.own_device = measured.described();
  }
  return base;
}

std::vector<std::string> assumptions(const BudgetBase& base, const HostsToTry& hosts) {
  const Scenario& scenario = base.scenario_case.scenario;
  const bool aims = base.target().wanted();
  std::vector<std::string> notes{work_note(base), compute_note(base, hosts)};
  if (const FrameworkSpec& framework = scenario.framework;
      framework.step.ns > 0 || framework.example.ns > 0) {
    notes.push_back(fmt::format(
        "What a step takes beside its layers (framework.step, {}; framework.example, {}) is the "
        "same on every host.",
        to_text(framework.step), to_text(framework.example)));
  }
  if (base.shortened) {
    notes.emplace_back(aims ? "Checkpoints do not count."
                            : "Evaluations and checkpoints do not count.");
  }
  notes.emplace_back(
      "Hosts cost their price for the time of the training alone, to the second. Whether a batch "
      "fits into a device is not looked at.");
  if (std::string note = bought_note(hosts); !note.empty()) notes.push_back(std::move(note));
  notes.emplace_back(
      aims ? "The learning rate is the scenario's, whatever the batch, the number of workers."
           : "Another batch, strategy, number of workers learns something else from as many "
             "examples.");
  if (!hosts.left_out.empty()) {
    notes.push_back(fmt::format("Not tried: {}.", fmt::join(hosts.left_out, "; ")));
  }
  return notes;
}

}  // namespace foretrain
