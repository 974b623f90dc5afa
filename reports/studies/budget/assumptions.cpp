// The assumptions of a search over clusters.
#include "reports/record/summary.h"
#include "reports/record/wrapped_text.h"
#include "reports/studies/budget/budget.h"
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
    return "Nothing says which device the profile was measured on (model.profile_device: {gflops: "
           "..., memory_bandwidth: ...}): its times stand as they are on every host where nobody "
           "measured the network, so that these differ in their number of devices, network and "
           "price alone.";
  }
  const double bandwidth = device.memory_bandwidth.value;
  return fmt::format(
      "The profile's times are of a device of {} GFLOPS{} ({}); where nobody measured "
      "the network they are scaled by what the lesser of FLOPs and bandwidth gains.",
      grouped(std::llround(device.gflops)),
      bandwidth > 0 ? fmt::format(", {:.0f} GB/s", bandwidth / 1e9) : "",
      base.own_device ? "that of the scenario's hosts" : "model.profile_device");
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

std::string compute_note(const BudgetBase& base) {
  const Scenario& scenario = base.scenario_case.scenario;
  for (const HostSpec& host : scenario.cluster.hosts) {
    if (!host.compute) continue;
    return fmt::format(
        "A gradient takes {} on every host, as compute: says, so only its batch was tried.",
        to_text(*host.compute));
  }
  if (scenario.model.profiled()) return profile_note(base);
  return "Gradients are counted by FLOPs and bytes of data sheets, which trainings reach 30 to 50 "
         "% of: uncalibrated.";
}

/// How clusters were searched for a target.
std::string search_note(const BudgetAnswer& answer) {
  return fmt::format(
      "What all steps take and cost, of which {} were simulated, put the clusters in order. "
      "Gradients were then carried out for {} of {} kinds that learn alike (strategy, workers, "
      "batch; each cluster by itself where time decides the order of gradients), those nearest to "
      "both bounds first: so {} clusters were timed, {} of which do not come to {}.",
      kBudgetSteps, grouped(answer.learned), grouped(answer.kinds), grouped(answer.timed),
      grouped(std::ssize(answer.not_reached)), target_text(answer.base.target()));
}

}  // namespace

BudgetBase base_of(const Case& scenario_case) {
  check_whole(scenario_case);
  BudgetBase base;
  base.scenario_case = scenario_case;
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

std::vector<std::string> assumptions(const BudgetAnswer& answer) {
  const BudgetBase& base = answer.base;
  const FrameworkSpec& framework = base.scenario_case.scenario.framework;
  const bool aims = base.target().wanted();
  std::vector<std::string> notes{work_note(base), compute_note(base)};
  if (aims) notes.push_back(search_note(answer));
  if (framework.step.ns > 0 || framework.example.ns > 0) {
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
      "Hosts cost their price for the time of the training alone, to the second; of a bought one "
      "the price of an hour is what it cost new over the hours of the years that it is kept (three "
      "in foretrain's own library, without power). Whether a batch fits into a device is not "
      "looked at.");
  notes.emplace_back(
      aims ? "The learning rate is the scenario's, whatever the batch, the number of workers."
           : "Another batch, strategy, number of workers learns something else from as many "
             "examples.");
  if (!answer.refused.empty()) {
    const Offer& first = answer.refused.front();
    notes.push_back(fmt::format("{} of {} clusters could not be simulated; {}, {}, batch {}: {}",
                                grouped(std::ssize(answer.refused)), grouped(answer.clusters),
                                name_of(first.cluster), way_of(first.cluster),
                                first.cluster.batch_size, first.refused));
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
