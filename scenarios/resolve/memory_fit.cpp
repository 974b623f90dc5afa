#include "scenarios/resolve/memory_fit.h"

#include "models/protocol/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/reader.h"
#include "scenarios/resolve/check_case.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// A setting that needs less memory.
struct Saving {
  std::string text;
  std::function<void(Scenario&)> apply;
};

/// The memory with these settings on `times` as many hosts; nothing if this is not possible.
std::optional<DeviceMemory> memory_with(const Prepared& prepared,
                                        const std::vector<Saving>& settings, int times) {
  Case changed = prepared.scenario_case;
  Scenario& scenario = changed.scenario;
  for (const Saving& each : settings) each.apply(scenario);
  if (times > 1) {
    for (HostSpec& host : scenario.cluster.hosts) host.count *= times;
    scenario.cluster.placement = {};
    scenario.training.workers *= times;
  }
  try {
    Reading unheeded({});  // unused keys concern the file alone
    check_case(changed, unheeded);
    return device_memory(prepare(changed, Need::shape));
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool fits_with(const Prepared& prepared, const std::vector<Saving>& settings, int times) {
  const auto memory = memory_with(prepared, settings, times);
  return memory && memory->fits();
}

/// The settings that the scenario does not have, but could have.
std::vector<Saving> settings_for(const Prepared& prepared) {
  const Scenario& scenario = prepared.scenario_case.scenario;
  const TrainingSpec& training = scenario.training;
  std::vector<Saving> settings;
  const auto add = [&](const Saving& saving) {
    if (memory_with(prepared, {saving}, 1)) settings.push_back(saving);
  };
  if (protocol_called(training.strategy).shards && training.shard != "parameters") {
    add({"shard: parameters", [](Scenario& s) { s.training.shard = "parameters"; }});
  }
  if (training.recompute != "full" && scenario.model.by_shape()) {
    add({"recompute: full", [](Scenario& s) { s.training.recompute = "full"; }});
  }
  if (training.batch_size > 1) {
    add({"batch_size: 1", [](Scenario& s) { s.training.batch_size = 1; }});
  }
  return settings;
}

/// The settings, without those that are not needed, joined by commas; empty if all are too few.
std::string needed_of(const Prepared& prepared, std::vector<Saving> settings, int times) {
  if (!fits_with(prepared, settings, times)) return {};
  for (std::size_t i = settings.size(); i-- > 0;) {
    std::vector<Saving> fewer = settings;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (fits_with(prepared, fewer, times)) settings = std::move(fewer);
  }
  std::vector<std::string> texts;
  for (const Saving& each : settings) texts.push_back(each.text);
  if (times > 1) texts.push_back(fmt::format("{} devices", prepared.training->workers * times));
  return fmt::format("{}", fmt::join(texts, ", "));
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
  return fmt::format("it does not fit: {:.0f} of {:.4g} GiB a device", in_gib(memory.total()),
                     in_gib(memory.capacity));
}

std::string what_would_fit(const Prepared& prepared) {
  const std::vector<Saving> settings = settings_for(prepared);
  std::vector<std::string> found;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) found.push_back(text);
    return !text.empty();
  };
  for (const Saving& each : settings) add(needed_of(prepared, {each}, 1));
  if (found.empty()) add(needed_of(prepared, settings, 1));
  // More devices need less memory only for what is sharded among them.
  const std::vector<Saving> besides = found.empty() ? settings : std::vector<Saving>{};
  constexpr int kMostTimes = 64;
  for (int times = 2; times <= kMostTimes; times *= 2) {
    if (add(needed_of(prepared, besides, times))) break;
  }
  return fmt::format("{}", fmt::join(found, ", or "));
}

}  // namespace foretrain
