#include "reports/studies/published/quantity.h"

#include "models/base/check.h"
#include "models/base/ethernet.h"
#include "reports/record/summary.h"
#include "scenarios/input_error.h"
#include "scenarios/node_counts.h"
#include "scenarios/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain {
namespace {

/// A record with the node that a figure is of.
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

/// Added up over the processes of the node's host.
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

std::optional<double> rss(const NodeTotals& node) {
  return node.rss.value < 0 ? std::nullopt : std::optional(static_cast<double>(node.rss.value));
}

double bytes(Bytes counted) {
  return static_cast<double>(std::max<std::int64_t>(0, counted.value));
}
double sent(const Place& place) { return bytes(place.self->nic_tx); }
double received(const Place& place) { return bytes(place.self->nic_rx); }

/// Of a second of the training.
std::optional<double> a_second(const Place& place, double count) {
  return place.summary.time_s > 0 ? std::optional(count / place.summary.time_s) : std::nullopt;
}

std::optional<double> packets(const Place& place, double carried, double acknowledged) {
  constexpr double kPacket = ethernet::kSegment;  // TCP acknowledges every second one
  return a_second(place, carried / kPacket + acknowledged / kPacket / 2);
}

const NodeTotals* find(const Record& record, std::string_view role) {
  const auto found = std::ranges::find(record.nodes, role, &NodeTotals::role);
  return found == record.nodes.end() ? nullptr : &*found;
}

std::optional<double> ratio(const Place& place, Bytes NodeTotals::*count) {
  const NodeTotals* other = find(place.record, "worker1");
  if (other == nullptr || (other->*count).value <= 0) return std::nullopt;
  return bytes(place.self->*count) / bytes(other->*count);
}

std::optional<double> median_step_time(const Place& place) {
  return place.summary.step_time_s_median;
}

std::optional<double> images_shipped(const Place& place) {
  constexpr double kImage = 3176;  // 784 floats with ten of a label
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

using Known = std::optional<double>;
struct Quantity {
  std::string_view name;
  Source source;
  Known (*of)(const Place& place);
};

const TrainingSpec& training_of(const Place& p) { return p.record.scenario_case.scenario.training; }

const Quantity kQuantities[] = {
    {"time", Source::simulated,
     [](const Place& p) -> Known { return p.summary.startup_s + p.summary.time_s; }},
    {"time_evaluated", Source::simulated,
     [](const Place& p) -> Known { return p.summary.startup_s + after_startup_s(p); }},
    {"epoch_time", Source::simulated,
     [](const Place& p) -> Known { return p.summary.time_s / training_of(p).epochs; }},
    {"step_time", Source::simulated, median_step_time},
    {"collective_time", Source::simulated, median_step_time},
    {"time_per_1000", Source::simulated,
     [](const Place& p) -> Known {
       return p.summary.time_s * 1000 / static_cast<double>(p.summary.updates);
     }},
    {"throughput", Source::simulated,
     [](const Place& p) -> Known {
       const auto step_s = p.summary.step_time_s_median;
       if (!step_s) return std::nullopt;
       const TrainingSpec& training = training_of(p);
       const int workers = node_counts(p.record.scenario_case.scenario).workers;
       return static_cast<double>(workers * training.examples_a_gradient()) / *step_s;
     }},
    {"updates_per_s", Source::simulated,
     [](const Place& p) -> Known { return p.summary.updates_per_s; }},
    {"chief_wait", Source::simulated,
     [](const Place& p) -> Known {
       const FrameworkSpec& framework = p.record.scenario_case.scenario.framework;
       return (p.record.startup - framework.session_start).seconds();
     }},
    {"cpu", Source::simulated,
     [](const Place& p) -> Known {
       const Known busy = busy_cores(p);
       return busy ? Known(*busy / cores_of(p)) : busy;
     }},
    {"cpu_cores", Source::simulated, busy_cores},
    {"worker_cpu", Source::simulated,
     [](const Place& p) -> Known {
       const Known percent = cpu_percent(p.record, *p.self);
       return percent ? Known(*percent / 100) : percent;
     }},
    {"memory", Source::simulated, [](const Place& p) { return on_host(p, rss); }},
    {"worker_memory", Source::simulated, [](const Place& p) { return rss(*p.self); }},
    {"sent", Source::simulated, [](const Place& p) { return a_second(p, sent(p)); }},
    {"received", Source::simulated, [](const Place& p) { return a_second(p, received(p)); }},
    {"sent_received", Source::simulated,
     [](const Place& p) { return a_second(p, sent(p) + received(p)); }},
    {"sent_bytes", Source::simulated, [](const Place& p) -> Known { return sent(p); }},
    {"received_bytes", Source::simulated, [](const Place& p) -> Known { return received(p); }},
    {"sent_packets", Source::simulated,
     [](const Place& p) { return packets(p, sent(p), received(p)); }},
    {"received_packets", Source::simulated,
     [](const Place& p) { return packets(p, received(p), sent(p)); }},
    {"sent_ratio", Source::simulated, [](const Place& p) { return ratio(p, &NodeTotals::nic_tx); }},
    {"received_ratio", Source::simulated,
     [](const Place& p) { return ratio(p, &NodeTotals::nic_rx); }},
    {"images_shipped", Source::simulated, images_shipped},
    {"test_accuracy", Source::trained, [](const Place& p) { return p.summary.test_accuracy; }},
    {"test_loss", Source::trained, [](const Place& p) { return p.summary.final_loss; }},
    {"tower_sum", Source::formula, nullptr},
    {"tower_mean", Source::formula, nullptr},
    {"zero", Source::formula, nullptr},
};

const Quantity* find(std::string_view name) {
  const auto* found = std::ranges::find(kQuantities, name, &Quantity::name);
  return found == std::end(kQuantities) ? nullptr : found;
}

}  // namespace

bool is_quantity(std::string_view name) { return find(name) != nullptr; }

Source source_of(std::string_view quantity) {
  const Quantity* found = find(quantity);
  FT_CHECK(found != nullptr);
  return found->source;
}

std::optional<double> quantity_of(std::string_view quantity, const Record& record,
                                  const std::string& node) {
  const Quantity* found = find(quantity);
  FT_CHECK(found != nullptr && found->of != nullptr);
  const std::string role =
      node == "server" ? std::string("server0") : "worker" + (node.empty() ? "0" : node);
  const NodeTotals* self = find(record, role);
  // Where each node trains by itself one simulation stands for all of them.
  if (self == nullptr && node != "server" && record.nodes.size() == 1) self = &record.nodes.front();
  if (self == nullptr) return std::nullopt;
  return found->of({record, summarize(record), self->host, self});
}

double formula_of(std::string_view quantity, int workers) {
  // 0.5 x 5e-4 x the sum of squares of the initial parameters, nats: fitted to one node's 1.96.
  constexpr double kPenalty = 1.955;
  if (quantity == "tower_sum") return workers * kPenalty;
  if (quantity == "tower_mean") return (workers + 1) / 2.0 * kPenalty;
  FT_CHECK(quantity == "zero");
  return 0;
}

double in_unit(double value, const std::string& unit) {
  static const std::pair<std::string_view, double> kUnits[] = {
      {"s", 1},
      {"min", 60},
      {"percent", 0.01},
      {"MB", 1e6},
      {"MB/s", 1e6},
      {"M", 1e6},
      {"Mbit/s", 1e6 / 8},
      {"kbit/s", 1e3 / 8},
      {"images/s", 1},
      {"samples/s", 1},
      {"updates/s", 1},
      {"packets/s", 1},
      {"nats", 1},
      {"iterations", 1},
      {"", 1},
  };
  const auto* found = std::ranges::find(kUnits, unit, &std::pair<std::string_view, double>::first);
  if (found != std::end(kUnits)) return value / found->second;
  throw InputError(fmt::format("unit '{}' is not known; add it to quantity.cpp", unit));
}

}  // namespace foretrain
