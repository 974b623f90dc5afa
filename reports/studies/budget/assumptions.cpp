// The assumptions of a search over clusters.
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/budget/budget.h"
#include "reports/studies/budget/first_steps.h"
#include "scenarios/language/units.h"
#include "scenarios/resolve/check_case.h"
#include "scenarios/resolve/equal_work.h"
#include "scenarios/resolve/prepared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain {
namespace {

constexpr const char* kNotRented =
    ": not possible with whatif --budget, which tries hosts of the library; remove it";

void check_whole(const Case& c) {
  const Scenario& s = c.scenario;
  const auto refuse = [&](bool wrong, const std::string& key, const std::string& what) {
    if (wrong) fail(c, key, what + kNotRented);
  };
  refuse(s.cluster.topology != "star", "cluster.topology", "this cluster has switches or links");
  refuse(!s.faults.empty(), "faults", "they name nodes of this cluster");
  refuse(!s.colocated_jobs.empty(), "neighbours", "other trainings share this cluster");
  refuse(!s.dataset.input.served_by.empty(), "dataset.served_by",
         "it names a host of this cluster");
  refuse(!s.framework.session_host.empty(), "framework.session_host",
         "it names a host of this cluster");
  for (std::size_t i = 0; i < s.stragglers.size(); ++i) {
    refuse(!s.stragglers[i].workers.empty(), fmt::format("stragglers[{}].workers", i),
           "they name workers of this cluster");
  }
  const auto& hosts = s.cluster.hosts;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    refuse(hosts[i].mtbf.ns > 0, fmt::format("cluster.hosts[{}].mtbf", i),
           "hosts of this cluster fail");
    refuse(hosts[i].compute != hosts.front().compute, fmt::format("cluster.hosts[{}].compute", i),
           "it differs from compute: of the first host");
  }
}

/// The device of the scenario's hosts; not described if they differ, or if there is none.
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

std::string profile_note(const BudgetBase& base) {
  const MeasuredDevice& device = base.scenario_case.scenario.model.profile_device;
  if (!device.described()) {
    return "The profile does not say which device it was measured on (model.profile_device: "
           "{gflops: ..., memory_bandwidth: ...}). Hosts without a measurement of this network are "
           "given "
           "its times unchanged, so they differ only in number of devices, network and price.";
  }
  const double bandwidth = device.memory_bandwidth.value;
  return fmt::format(
      "The profile's times are those of a device with {} GFLOPS{} ({}). For hosts without a "
      "measurement of this network they are scaled by the ratio of FLOPs or of bandwidth, "
      "whichever gains less.",
      grouped(std::llround(device.gflops)),
      bandwidth > 0 ? fmt::format(", {:.0f} GB/s", bandwidth / 1e9) : "",
      base.own_device ? "that of the scenario's hosts" : "model.profile_device");
}

std::string work_note(const BudgetBase& base) {
  const std::string examples = grouped(std::llround(base.examples));
  if (base.target().wanted()) {
    return fmt::format(
        "Each cluster trains until an evaluation finds {}, on at most {} examples (steps x workers "
        "x batch of the scenario).",
        target_text(base.target()), examples);
  }
  return fmt::format(
      "Each cluster trains on {} examples (steps x workers x batch of the scenario). The first {} "
      "steps are simulated ({} if they are equal), and the total is extrapolated from the later "
      "ones.",
      examples, kBudgetSteps, kBudgetEvenSteps);
}

std::string compute_note(const BudgetBase& base) {
  const Scenario& scenario = base.scenario_case.scenario;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (!host.compute) continue;
    return fmt::format(
        "A gradient takes {} on every host (compute: in the scenario), so only this batch size was "
        "tried.",
        to_text(*host.compute));
  }
  if (scenario.model.by_shape()) {
    return "Compute times are counted: operations and bytes of each layer, at the shares of each "
           "device's peak that measured trainings reach, or at assumed ones (scenarios/devices).";
  }
  if (scenario.model.profiled()) return profile_note(base);
  return "Compute times are from data sheets (FLOPs and bytes), of which trainings reach 30 to 50 "
         "%: uncalibrated.";
}

/// How clusters were searched for a target.
std::string search_note(const BudgetAnswer& answer) {
  return fmt::format(
      "Clusters were first ordered by the time and cost of all steps, of which at most {} were "
      "simulated. Then {} of {} groups of clusters that learn alike (same strategy, workers and "
      "batch; each cluster alone if time decides the order of gradients) were trained with real "
      "gradients, those nearest to both bounds first. So {} clusters were timed; {} of them do not "
      "reach {}.",
      kBudgetSteps, grouped(answer.learned), grouped(answer.kinds), grouped(answer.timed),
      grouped(std::ssize(answer.not_reached)), target_text(answer.base.target()));
}

}  // namespace

BudgetBase base_of(const Case& scenario_case) {
  check_whole(scenario_case);
  BudgetBase base;
  base.scenario_case = scenario_case;
  Scenario& scenario = base.scenario_case.scenario;
  const Prepared prepared = prepare(scenario_case, Need::shape);
  const auto& training = prepared.training;
  base.examples = planned_examples(*training);
  base.gradient = {training->layout->parameters * 4};
  if (scenario.training.tokens > 0) {
    const auto tokens = static_cast<double>(prepared.counted->tokens);
    base.examples =
        static_cast<double>(scenario.training.tokens) / tokens * scenario.training.batch_size;
  }
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

std::vector<std::string> assumptions(const BudgetAnswer& answer) {
  const BudgetBase& base = answer.base;
  const FrameworkSpec& framework = base.scenario_case.scenario.framework;
  const bool aims = base.target().wanted();
  std::vector<std::string> notes{work_note(base), compute_note(base)};
  if (aims) notes.push_back(search_note(answer));
  if (framework.step.ns > 0 || framework.example.ns > 0) {
    notes.push_back(fmt::format(
        "The overhead of a step (framework.step, {}; framework.example, {}) is the same on every "
        "host.",
        to_text(framework.step), to_text(framework.example)));
  }
  if (base.shortened) {
    notes.emplace_back(aims ? "Times are without checkpoints."
                            : "Times are without evaluations and checkpoints.");
  }
  const bool checked = answer.base.scenario_case.scenario.model.by_shape();
  notes.push_back(fmt::format(
      "Hosts are paid for the time of the training, to the second. The hourly price of a bought "
      "host is its price when new divided by its hours of use (three years in foretrain's library, "
      "without power). {}",
      checked ? "What does not fit into a device's memory is passed over."
              : "Whether a batch fits into a device's memory is not checked."));
  notes.emplace_back(
      aims ? "The learning rate is the scenario's for every batch size and number of workers."
           : "Another batch size, strategy or number of workers learns differently from the same "
             "number of examples.");
  if (!answer.refused.empty()) {
    const Offer& first = answer.refused.front();
    notes.insert(
        notes.begin() + 2,
        fmt::format("{} of {} clusters could not be simulated; for example {}, {}, batch {}: {}.",
                    grouped(std::ssize(answer.refused)), grouped(answer.clusters),
                    name_of(first.cluster), way_of(first.cluster), first.cluster.batch_size,
                    first.refused));
  }
  if (answer.simulated < answer.clusters) {
    notes.push_back(fmt::format(
        "{} of {} clusters were simulated. Each of the others is slower and dearer than one of "
        "these even if only its computation, or only its messages, are counted.",
        grouped(answer.simulated), grouped(answer.clusters)));
  }
  std::vector<std::string> left_out;
  for (const auto& [host, why_not] : answer.hosts) {
    if (!why_not.empty()) left_out.push_back(fmt::format("{}: {}", host.name, why_not));
  }
  if (!left_out.empty()) {
    notes.push_back(fmt::format("Not tried: {}.", fmt::join(left_out, "; ")));
  }
  return notes;
}

}  // namespace foretrain
