#include "reports/studies/measured/measured_quantity.h"

#include "models/base/check.h"
#include "models/base/ethernet.h"
#include "reports/record/summary.h"
#include "scenarios/resolve/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain {
namespace {

/// A record with the node that a figure is about.
struct Place {
  const Record& record;
  Summary summary;
  std::string host;        // of the node
  const NodeTotals* self;  // the node's worker, or the server
};

double cores_of(const Place& place) {
  for (const HostSpec& spec : place.record.scenario_case.scenario.cluster.hosts) {
    for (int i = 0; i < spec.count; ++i) {
      if (host_name(spec, i) == place.host) return spec.cores;
    }
  }
  FT_CHECK(!"a host of the cluster");
  return 1;
}

/// Sum over the processes on the node's host.
template <class Part>
std::optional<double> on_host(const Place& place, const Part& part) {
  double sum = 0;
  for (const NodeTotals& node : place.record.nodes) {
    if (node.host != place.host) continue;
    const std::optional<double> value = part(node);
    if (!value) return std::nullopt;
    sum += *value;
  }
  return sum;
}

std::optional<double> busy_cores(const Place& place) {
  return on_host(place, [&](const NodeTotals& node) -> std::optional<double> {
    const auto percent = cpu_percent(place.record, node);
    return percent ? std::optional(*percent / 100) : std::nullopt;
  });
}

double bytes(std::optional<Bytes> counted) {
  return static_cast<double>(counted.value_or(Bytes{}).value);
}
double sent(const Place& place) { return bytes(place.self->nic_tx); }
double received(const Place& place) { return bytes(place.self->nic_rx); }

/// Rate of a count over the time of the training.
std::optional<double> a_second(const Place& place, double count) {
  return place.summary.time_s > 0 ? std::optional(count / place.summary.time_s) : std::nullopt;
}

std::optional<double> packets(const Place& place, double carried, double acknowledged) {
  constexpr double kPacket = ethernet::kSegment;  // TCP acknowledges every second packet
  return a_second(place, carried / kPacket + acknowledged / kPacket / 2);
}

const NodeTotals* find(const Record& record, std::string_view role) {
  const auto found = std::ranges::find(record.nodes, role, &NodeTotals::role);
  return found == record.nodes.end() ? nullptr : &*found;
}

std::optional<double> ratio(const Place& place, std::optional<Bytes> NodeTotals::*count) {
  const NodeTotals* other = find(place.record, "worker1");
  if (other == nullptr || other->*count <= Bytes{}) return std::nullopt;
  return bytes(place.self->*count) / bytes(other->*count);
}

std::optional<double> median_step_time(const Place& place) {
  return place.summary.step_time_s_median;
}

std::optional<double> images_shipped(const Place& place) {
  constexpr double kImage = 3176;  // 784 floats, plus ten of a label
  if (!place.summary.examples_per_s) return std::nullopt;
  return *place.summary.examples_per_s * kImage;
}

double after_startup_s(const Place& p) {
  double end = p.summary.time_s;
  for (const EvalReport& e : p.record.evals) {
    end = std::max(end, (e.time - Instant{} + e.took).seconds());
  }
  return end;
}

/// Dimension of a unit; a rate is events or examples per second.
enum class Dimension { time, share, size, traffic, rate, plain };

struct Unit {
  std::string_view name;
  Dimension dimension;
  double base;  ///< size in base units
};
constexpr Unit kUnits[] = {
    {"s", Dimension::time, 1},
    {"ms", Dimension::time, 1e-3},
    {"us", Dimension::time, 1e-6},
    {"min", Dimension::time, 60},
    {"h", Dimension::time, 3600},
    {"percent", Dimension::share, 0.01},
    {"KB", Dimension::size, 1e3},
    {"MB", Dimension::size, 1e6},
    {"M", Dimension::size, 1e6},
    {"GB", Dimension::size, 1e9},
    {"KiB", Dimension::size, 1024},
    {"MiB", Dimension::size, 1024.0 * 1024},
    {"GiB", Dimension::size, 1024.0 * 1024 * 1024},
    {"MB/s", Dimension::traffic, 1e6},
    {"GB/s", Dimension::traffic, 1e9},
    {"kbit/s", Dimension::traffic, 1e3 / 8},
    {"Mbit/s", Dimension::traffic, 1e6 / 8},
    {"Gbit/s", Dimension::traffic, 1e9 / 8},
    {"images/s", Dimension::rate, 1},
    {"samples/s", Dimension::rate, 1},
    {"examples/s", Dimension::rate, 1},
    {"updates/s", Dimension::rate, 1},
    {"packets/s", Dimension::rate, 1},
    {"nats", Dimension::plain, 1},
};

using Known = std::optional<double>;
struct Quantity {
  std::string_view name;
  Dimension dimension;
  Known (*of)(const Place& place);
};

const TrainingSpec& training_of(const Place& p) { return p.record.scenario_case.scenario.training; }

const Quantity kQuantities[] = {
    {"time", Dimension::time,
     [](const Place& p) -> Known { return p.summary.startup_s + p.summary.time_s; }},
    {"time_evaluated", Dimension::time,
     [](const Place& p) -> Known { return p.summary.startup_s + after_startup_s(p); }},
    {"epoch_time", Dimension::time,
     [](const Place& p) -> Known { return p.summary.time_s / training_of(p).epochs; }},
    {"step_time", Dimension::time, median_step_time},
    {"collective_time", Dimension::time, median_step_time},
    {"time_per_1000", Dimension::time,
     [](const Place& p) -> Known {
       return p.summary.time_s * 1000 / static_cast<double>(p.summary.updates);
     }},
    {"throughput", Dimension::rate,
     [](const Place& p) -> Known {
       const auto step_s = p.summary.step_time_s_median;
       if (!step_s) return std::nullopt;
       const TrainingSpec& training = training_of(p);
       const int workers = node_counts(p.record.scenario_case.scenario).workers;
       return static_cast<double>(workers * training.examples_a_gradient()) / *step_s;
     }},
    {"updates_per_s", Dimension::rate,
     [](const Place& p) -> Known { return p.summary.updates_per_s; }},
    {"chief_wait", Dimension::time,
     [](const Place& p) -> Known {
       const FrameworkSpec& framework = p.record.scenario_case.scenario.framework;
       return (p.record.startup - framework.session_start).seconds();
     }},
    {"cpu", Dimension::share,
     [](const Place& p) -> Known {
       const Known busy = busy_cores(p);
       return busy ? Known(*busy / cores_of(p)) : busy;
     }},
    {"cpu_cores", Dimension::plain, busy_cores},
    {"worker_cpu", Dimension::share,
     [](const Place& p) -> Known {
       const Known percent = cpu_percent(p.record, *p.self);
       return percent ? Known(*percent / 100) : percent;
     }},
    {"memory", Dimension::size, [](const Place& p) { return on_host(p, resident_bytes); }},
    {"worker_memory", Dimension::size, [](const Place& p) { return resident_bytes(*p.self); }},
    {"sent", Dimension::traffic, [](const Place& p) { return a_second(p, sent(p)); }},
    {"received", Dimension::traffic, [](const Place& p) { return a_second(p, received(p)); }},
    {"sent_received", Dimension::traffic,
     [](const Place& p) { return a_second(p, sent(p) + received(p)); }},
    {"sent_bytes", Dimension::size, [](const Place& p) -> Known { return sent(p); }},
    {"received_bytes", Dimension::size, [](const Place& p) -> Known { return received(p); }},
    {"sent_packets", Dimension::rate,
     [](const Place& p) { return packets(p, sent(p), received(p)); }},
    {"received_packets", Dimension::rate,
     [](const Place& p) { return packets(p, received(p), sent(p)); }},
    {"sent_ratio", Dimension::plain, [](const Place& p) { return ratio(p, &NodeTotals::nic_tx); }},
    {"received_ratio", Dimension::plain,
     [](const Place& p) { return ratio(p, &NodeTotals::nic_rx); }},
    {"images_shipped", Dimension::traffic, images_shipped},
    {"test_accuracy", Dimension::share, [](const Place& p) { return p.summary.test_accuracy; }},
    {"test_loss", Dimension::plain, [](const Place& p) { return p.summary.final_loss; }},
};

const Quantity* find(std::string_view name) {
  const auto* found = std::ranges::find(kQuantities, name, &Quantity::name);
  return found == std::end(kQuantities) ? nullptr : found;
}

}  // namespace

bool is_quantity(std::string_view name) { return find(name) != nullptr; }

std::vector<std::string_view> quantity_names() {
  std::vector<std::string_view> names;
  for (const Quantity& each : kQuantities) names.push_back(each.name);
  return names;
}

std::vector<std::string_view> units_of(std::string_view quantity) {
  std::vector<std::string_view> units;
  for (const Unit& unit : kUnits) {
    if (unit.dimension == find(quantity)->dimension) units.push_back(unit.name);
  }
  return units;
}

bool is_unit_of(std::string_view unit, std::string_view quantity) {
  return std::ranges::any_of(kUnits, [&](const Unit& each) {
    return each.name == unit && each.dimension == find(quantity)->dimension;
  });
}

std::optional<double> quantity_of(std::string_view quantity, const Record& record,
                                  const std::string& node) {
  const Quantity* found = find(quantity);
  FT_CHECK(found != nullptr);
  const std::string role =
      node == "server" ? std::string("server0") : "worker" + (node.empty() ? "0" : node);
  const NodeTotals* self = find(record, role);
  // If nodes train independently, one simulated node stands for all of them.
  if (self == nullptr && node != "server" && record.nodes.size() == 1) self = &record.nodes.front();
  if (self == nullptr) return std::nullopt;
  return found->of({record, summarize(record), self->host, self});
}

double in_unit(double value, std::string_view unit) {
  const auto* found = std::ranges::find(kUnits, unit, &Unit::name);
  return found == std::end(kUnits) ? value : value / found->base;
}

}  // namespace foretrain
