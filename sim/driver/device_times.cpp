#include "sim/driver/device_times.h"

#include "models/cost/work.h"
#include "models/graph/node_memory.h"
#include "models/graph/step_graph.h"
#include "models/protocol/registry.h"

#include <algorithm>
#include <cstddef>
#include <span>

namespace foretrain::sim {

bool is_fitted(const HostSpec& spec, const std::string& precision) {
  const PrecisionSpec* figures = spec.device.precision(precision);
  return figures != nullptr && figures->fitted;
}

double slowed_together(const HostSpec& spec, const Prepared& prepared) {
  const Training& training = *prepared.training;
  const auto workers = std::span(prepared.places).first(static_cast<std::size_t>(training.workers));
  std::ptrdiff_t beside = 0;
  for (const NodePlace& place : workers) {
    if (&prepared.scenario_case.scenario.cluster.hosts[place.spec] != &spec) continue;
    beside = std::ranges::count(workers, place.host, &NodePlace::host);
    break;
  }
  return spec.device.slowed(training.protocol->synchronous ? training.workers : 1,
                            static_cast<int>(beside));
}

double profile_ratio(const HostSpec& spec, const Prepared& prepared) {
  const ModelSpec& model = prepared.scenario_case.scenario.model;
  const Training& training = *prepared.training;
  const int batch = training.batch_size;
  const auto measured = measured_gradient(spec.measured, model.profile_network, batch);
  if (!measured && prepared.counted == nullptr)
    return time_ratio(model.profile_device, spec.device);
  const double profile_s = gradient_cost(*training.network, batch).measured.seconds();
  if (measured) return measured->seconds() / profile_s;
  return prepared.counted->gradient_s(rates_of(spec, prepared.counted->precision)) / profile_s;
}

BytesPerSecond update_rate(const HostSpec& spec, const Prepared& prepared) {
  const Training& training = *prepared.training;
  // With servers, the servers apply updates; they have no device.
  if (training.servers > 0) return {};
  const Scenario& scenario = prepared.scenario_case.scenario;
  // With `shard: none` a device updates all, but its job here a share: so the job's rate is lower.
  const double share =
      scenario.training.shard == "none" ? worker_share(training, training.worker(0)).updated : 1;
  const double update_s = training.network->update_s();
  // Measured rates include the update.
  if (update_s > 0 &&
      !measured_gradient(spec.measured, scenario.model.profile_network, training.batch_size)) {
    Bytes moved;
    for (const Bucket& each : training.layout->buckets) {
      moved += bucket_cost(training, each).apply.bytes();
    }
    const double takes_s = update_s * profile_ratio(spec, prepared);
    return {static_cast<double>(moved.value) * share / takes_s};
  }
  if (spec.devices == 0) return {};
  if (prepared.counted == nullptr)
    return {spec.device_updates ? spec.device.memory_bandwidth.value * share : 0};
  const DeviceNeeds needs = device_needs(*prepared.counted, scenario);
  return {spec.device.memory_bandwidth.value * kBandwidthShare * share /
          update_bytes_ratio(training, needs)};
}

}  // namespace foretrain::sim
