#include "reports/serve/controls.h"

#include "models/protocol/registry.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace foretrain::serve {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kBytesAGigabit = 1.25e8;
constexpr double kNanosecondsAMicrosecond = 1e3;
constexpr int kMostNodes = 100'000;  // more is a typing error

[[noreturn]] void refuse_control(const char* key, const std::string& what) {
  throw InputError(fmt::format("controls: {}: {}", key, what));
}

/// Null if the key is missing or null.
const Json* value_of(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() || found->is_null() ? nullptr : &*found;
}

std::optional<int> count_in(const Json& json, const char* key) {
  const Json* value = value_of(json, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number_integer() || *value < 1 || *value > kMostNodes) {
    refuse_control(key, fmt::format("write a whole number from 1 to {}", kMostNodes));
  }
  return value->get<int>();
}

std::optional<double> figure_in(const Json& json, const char* key, double most) {
  const Json* value = value_of(json, key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number() || *value < 0 || *value > most) {
    refuse_control(key, fmt::format("write a number from 0 to {}", most));
  }
  return value->get<double>();
}

std::string word_in(const Json& json, const char* key) {
  const Json* value = value_of(json, key);
  if (value == nullptr) return {};
  if (!value->is_string()) refuse_control(key, "write a name");
  return value->get<std::string>();
}

/// Collects the overrides for the controls.
class Laying {
 public:
  Laying(const Controls& controls, const Case& base) : controls_(controls), base_(base) {}

  std::vector<std::string> all() {
    lay_strategy();
    lay_nodes();
    lay_batch();
    lay_cluster();
    lay_straggling();
    overrides_.insert(overrides_.end(), controls_.set.begin(), controls_.set.end());
    return std::move(overrides_);
  }

 private:
  [[nodiscard]] const Scenario& scenario() const { return base_.scenario; }
  [[nodiscard]] bool given(const std::string& key) const { return base_.places.contains(key); }
  void take_away(const std::string& key) {
    if (given(key)) overrides_.push_back(key + "=null");
  }
  void lay(const char* key, int value) { overrides_.push_back(fmt::format("{}={}", key, value)); }

  /// Removes the placement, which lists the previous nodes.
  void take_placement_away() {
    if (!std::exchange(placement_gone_, true)) take_away("cluster.placement");
  }

  void lay_strategy() {
    protocol_ = &protocol_called(scenario().training.strategy);
    const std::string& wanted = controls_.strategy;
    if (wanted.empty() || wanted == protocol_->name) return;
    protocol_ = find_protocol(wanted);
    if (protocol_ == nullptr)
      refuse_control("strategy", fmt::format("there is no control '{}'", wanted));
    overrides_.push_back("training.strategy=" + wanted);
    if (!protocol_->several_workers) take_away("training.workers");
    if (!protocol_->servers) take_away("training.servers");
    for (const Option* option : protocol_options()) {
      if (!reads(*protocol_, *option)) take_away("training." + option->path());
    }
    take_placement_away();
  }

  void lay_nodes() {
    const TrainingSpec& training = scenario().training;
    workers_ = protocol_->several_workers ? training.workers : 1;
    if (protocol_->several_workers && controls_.workers && *controls_.workers != workers_) {
      workers_ = *controls_.workers;
      lay("training.workers", workers_);
      take_placement_away();
    }
    if (protocol_->servers && controls_.servers && *controls_.servers != training.servers) {
      lay("training.servers", *controls_.servers);
      take_placement_away();
    }
  }

  void lay_batch() {
    const int before = scenario().training.batch_size;
    if (!controls_.batch_size || *controls_.batch_size == before) return;
    // The times of a profile remain those of the batch that was measured.
    const ModelSpec& model = scenario().model;
    if (model.profiled() && model.profile_batch == 0) lay("model.profile_batch", before);
    lay("training.batch_size", *controls_.batch_size);
  }

  void lay_cluster() {
    std::string nic;
    std::string latency;
    if (controls_.nic_gbps) nic = fmt::format("{} Gbps", *controls_.nic_gbps);
    if (controls_.latency_us) latency = fmt::format("{} us", *controls_.latency_us);
    if (!controls_.host.empty()) return lay_library_hosts(nic, latency);
    lay_host_count();
    for (std::size_t i = 0; i < scenario().cluster.hosts.size(); ++i) {
      if (!nic.empty()) overrides_.push_back(fmt::format("cluster.hosts[{}].nic={}", i, nic));
      if (latency.empty()) continue;
      overrides_.push_back(fmt::format("cluster.hosts[{}].latency={}", i, latency));
    }
  }

  /// For a scenario with one kind of hosts: at least as many hosts as its workers need devices.
  void lay_host_count() {
    if (scenario().cluster.hosts.size() != 1) return;
    const HostSpec& host = scenario().cluster.hosts.front();
    const int taken = host.devices > 0 ? hosts_for(host) : 1;
    const int count = controls_.hosts.value_or(std::max(host.count, taken));
    if (count == host.count) return;
    take_placement_away();  // it may name hosts that no longer exist
    lay("cluster.hosts[0].count", count);
  }

  /// Number of hosts for the workers: one worker per device, or per host without devices.
  [[nodiscard]] int hosts_for(const HostSpec& host) const {
    const int seats = std::max(1, host.devices);
    return (workers_ + seats - 1) / seats;
  }

  void lay_library_hosts(const std::string& nic, const std::string& latency) {
    const std::vector<HostSpec> library = library_hosts();
    const auto found = std::ranges::find(library, controls_.host, &HostSpec::name);
    if (found == library.end()) {
      refuse_control("host", fmt::format("the library has no '{}'", controls_.host));
    }
    const int count = controls_.hosts.value_or(hosts_for(*found));
    std::string item = fmt::format("like: {}, count: {}", found->name, count);
    if (!nic.empty()) item += ", nic: " + nic;
    if (!latency.empty()) item += ", latency: " + latency;
    overrides_.push_back(fmt::format("cluster={{hosts: [{{{}}}]}}", item));
  }

  void lay_straggling() {
    if (!controls_.straggling) return;
    take_away("stragglers");
    if (*controls_.straggling == 0) return;
    overrides_.push_back(
        fmt::format("stragglers=[{{workers: all, distribution: lognormal, sigma: {}}}]",
                    *controls_.straggling));
  }

  const Controls& controls_;
  const Case& base_;
  const Protocol* protocol_ = nullptr;
  int workers_ = 1;
  bool placement_gone_ = false;
  std::vector<std::string> overrides_;
};

/// Sigma of the scenario's straggler if the control can express it; 0 without stragglers.
std::optional<double> straggling_of(const Scenario& scenario) {
  if (scenario.stragglers.empty()) return 0;
  const StragglerSpec& only = scenario.stragglers.front();
  StragglerSpec alike;
  alike.distribution = "lognormal";
  alike.sigma = only.sigma;
  return scenario.stragglers.size() == 1 && only == alike ? std::optional(only.sigma)
                                                          : std::nullopt;
}

}  // namespace

Controls read_controls(const Json& json) {
  constexpr double kMostGbps = 1e5;
  constexpr double kMostMicroseconds = 1e7;
  constexpr double kMostSigma = 10;
  if (!json.is_object()) throw InputError("controls: is no object; write one");
  Controls controls;
  controls.workers = count_in(json, "workers");
  controls.servers = count_in(json, "servers");
  controls.batch_size = count_in(json, "batch_size");
  controls.strategy = word_in(json, "strategy");
  controls.host = word_in(json, "host");
  controls.hosts = count_in(json, "hosts");
  controls.nic_gbps = figure_in(json, "nic_gbps", kMostGbps);
  controls.latency_us = figure_in(json, "latency_us", kMostMicroseconds);
  controls.straggling = figure_in(json, "straggling", kMostSigma);
  if (const Json* set = value_of(json, "set")) {
    if (!set->is_array()) refuse_control("set", "write a list of KEY=VALUE");
    for (const Json& each : *set) {
      if (!each.is_string()) refuse_control("set", "write a list of KEY=VALUE");
      controls.set.push_back(each.get<std::string>());
    }
  }
  return controls;
}

std::vector<std::string> overrides_of(const Controls& controls, const Case& base) {
  return Laying(controls, base).all();
}

Json controls_of(const Case& scenario_case) {
  const Scenario& scenario = scenario_case.scenario;
  const Protocol& protocol = protocol_called(scenario.training.strategy);
  const NodeCounts nodes = node_counts(scenario);
  Json json{{"strategy", scenario.training.strategy},
            {"several_workers", protocol.several_workers},
            {"has_servers", protocol.servers},
            {"workers", nodes.workers},
            {"servers", nodes.servers},
            {"batch_size", scenario.training.batch_size},
            {"numerics", scenario.numerics}};
  int hosts = 0;
  for (const HostSpec& host : scenario.cluster.hosts) hosts += host.count;
  json["hosts"] = hosts;
  json["kinds_of_hosts"] = scenario.cluster.hosts.size();
  json["nic_gbps"] = Json();
  json["latency_us"] = Json();
  if (!scenario.cluster.hosts.empty()) {
    const HostSpec& first = scenario.cluster.hosts.front();
    json["nic_gbps"] = first.nic.value / kBytesAGigabit;
    json["latency_us"] = static_cast<double>(first.latency.ns) / kNanosecondsAMicrosecond;
  }
  const auto straggling = straggling_of(scenario);
  json["straggling"] = straggling ? Json(*straggling) : Json();
  return json;
}

}  // namespace foretrain::serve
