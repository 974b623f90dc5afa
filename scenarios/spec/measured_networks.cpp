#include "scenarios/spec/measured_networks.h"

#include "scenarios/spec/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace foretrain {
namespace {

/// The rows of `network`, in ascending order of batch size.
std::vector<MeasuredNetwork> rows_of_network(const std::vector<MeasuredNetwork>& measured,
                                             const std::string& network) {
  std::vector<MeasuredNetwork> rows = measured;
  keep_network(rows, network);
  std::ranges::sort(rows, {}, &MeasuredNetwork::batch_size);
  return rows;
}

}  // namespace

std::optional<Duration> measured_gradient(const std::vector<MeasuredNetwork>& measured,
                                          const std::string& network, int batch_size) {
  const std::vector<MeasuredNetwork> rows = rows_of_network(measured, network);
  if (rows.empty()) return std::nullopt;
  std::vector<BatchTime> times;
  times.reserve(rows.size());
  for (const MeasuredNetwork& row : rows) {
    times.push_back({row.batch_size, Duration::from_seconds(row.batch_size / row.examples_per_s)});
  }
  return interpolated(times, batch_size);
}

void keep_network(std::vector<MeasuredNetwork>& measured, const std::string& network) {
  std::erase_if(measured, [&](const MeasuredNetwork& row) {
    return network.empty() || row.network != network;
  });
}

std::string measured_text(const std::vector<MeasuredNetwork>& measured,
                          const std::string& network) {
  std::string text;
  for (const MeasuredNetwork& row : rows_of_network(measured, network)) {
    text += text.empty() ? fmt::format("{}, {:.4g} examples/s at a batch of {}", network,
                                       row.examples_per_s, row.batch_size)
                         : fmt::format(", {:.4g} at {}", row.examples_per_s, row.batch_size);
  }
  return text;
}

std::vector<std::string> networks_in(const std::vector<MeasuredNetwork>& measured) {
  std::set<std::string> names;
  for (const MeasuredNetwork& row : measured) names.insert(row.network);
  return {names.begin(), names.end()};
}

double time_ratio(const MeasuredDevice& measured, const Roofline& device) {
  if (!measured.described() || !device.described()) return 1;
  const double computing = measured.gflops / device.gflops;
  const bool both = measured.memory_bandwidth.value > 0 && device.memory_bandwidth.value > 0;
  if (!both) return computing;
  return std::max(computing, measured.memory_bandwidth.value / device.memory_bandwidth.value);
}

}  // namespace foretrain
