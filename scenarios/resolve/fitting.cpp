#include "scenarios/resolve/fitting.h"

#include "models/protocol/registry.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace foretrain {
namespace {

using Change = std::function<void(Scenario&)>;

bool fits_with(const Prepared& prepared, const std::vector<Change>& changes) {
  Case changed = prepared.scenario_case;
  for (const Change& change : changes) change(changed.scenario);
  try {
    return device_memory(prepare(changed, Need::shape)).fits();
  } catch (const InputError&) {
    return false;  // this combination is not possible
  }
}

void set_hosts(Scenario& scenario, int times) {
  for (HostSpec& host : scenario.cluster.hosts) host.count *= times;
  scenario.cluster.placement = {};
  scenario.training.workers *= times;
}

/// A setting that needs less memory.
struct Saving {
  std::string text;
  Change apply;
};

std::vector<Saving> settings_for(const Scenario& scenario) {
  std::vector<Saving> settings;
  const TrainingSpec& training = scenario.training;
  const bool shards = protocol_called(training.strategy).shards && training.workers > 1;
  if (shards && training.shard != "parameters") {
    settings.push_back({"shard: parameters", [](Scenario& s) { s.training.shard = "parameters"; }});
  }
  if (training.recompute != "full" && scenario.model.by_shape()) {
    settings.push_back({"recompute: full", [](Scenario& s) { s.training.recompute = "full"; }});
  }
  if (training.batch_size > 1) {
    settings.push_back({"batch_size: 1", [](Scenario& s) { s.training.batch_size = 1; }});
  }
  return settings;
}

}  // namespace

DeviceMemory device_memory(const Prepared& prepared) {
  if (prepared.counted == nullptr) return {};
  const Scenario& scenario = prepared.scenario_case.scenario;
  DeviceMemory memory =
      device_memory(*prepared.training, device_needs(*prepared.counted, scenario));
  for (int worker = 0; worker < prepared.training->workers; ++worker) {
    const NodePlace& place = prepared.places[static_cast<std::size_t>(worker)];
    const HostSpec& host = scenario.cluster.hosts[place.spec];
    const Bytes has = host.devices > 0 ? host.device.memory : Bytes{};
    if (has.value == 0) continue;
    memory.capacity = memory.capacity.value == 0 ? has : std::min(memory.capacity, has);
  }
  return memory;
}

std::string does_not_fit(const Prepared& prepared) {
  const DeviceMemory memory = device_memory(prepared);
  if (memory.fits()) return {};
  constexpr double kGiB = 1 << 30;
  return fmt::format("it does not fit: {:.0f} of {:.4g} GiB a device",
                     static_cast<double>(memory.total().value) / kGiB,
                     static_cast<double>(memory.capacity.value) / kGiB);
}

std::string what_would_fit(const Prepared& prepared) {
  const std::vector<Saving> settings = settings_for(prepared.scenario_case.scenario);
  std::vector<std::string> found;
  // Each alone; if none is enough, the first ones together, until they are.
  for (const Saving& each : settings) {
    if (fits_with(prepared, {each.apply})) found.push_back(each.text);
  }
  std::vector<Change> together;
  std::vector<std::string> texts;
  for (const Saving& each : settings) {
    together.push_back(each.apply);
    texts.push_back(each.text);
    if (found.empty() && texts.size() > 1 && fits_with(prepared, together)) {
      found.push_back(fmt::format("{}", fmt::join(texts, ", ")));
    }
  }
  // More devices help only what is sharded among them.
  if (!together.empty() && found.empty()) texts.push_back("");
  constexpr int kMostTimes = 64;
  for (int times = 2; times <= kMostTimes; times *= 2) {
    const Change more = [times](Scenario& s) { set_hosts(s, times); };
    std::vector<Change> changes = found.empty() ? together : std::vector<Change>{};
    changes.push_back(more);
    if (!fits_with(prepared, changes)) continue;
    const std::string with = found.empty() ? fmt::format("{}", fmt::join(texts, ", ")) : "";
    found.push_back(fmt::format("{}{} devices", with, prepared.training->workers * times));
    break;
  }
  if (found.size() < 2) return found.empty() ? "" : found.front();
  const std::string last = found.back();
  found.pop_back();
  return fmt::format("{}, or {}", fmt::join(found, ", or "), last);
}

}  // namespace foretrain
