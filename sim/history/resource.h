// Resources on which a training spends its time, each of which can be made faster by itself.
#pragma once

#include "models/base/time.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace foretrain::sim {

/// Every piece of work, every transfer and every delay belongs to exactly one resource. So if all
/// of them take half as long, the training does.
enum class Resource : std::uint8_t {
  worker_cpu,      ///< undisturbed gradients; message costs on workers' cores
  device,          ///< gradients that a device computes
  server_cpu,      ///< message costs on servers' cores
  apply,           ///< adding gradients and updating parameters, wherever that is done
  server_nic_in,   ///< bytes into a host that has a server
  server_nic_out,  ///< bytes out of a host that has a server
  worker_nic,      ///< bytes into and out of a host that has none
  switches,        ///< bytes over any other link
  connection,      ///< bytes over a TCP connection that is slower than its wires
  device_link,     ///< bytes between the devices of a host
  latency,         ///< of wires; waits for a TCP window's acknowledgement; until a loop notices
  straggling,      ///< additional time of stragglers' gradients; pauses
  evaluation,      ///< the chief's evaluation, for which others may have to wait
  input,           ///< batches read, shipped, parsed
  framework,       ///< additional time of another framework
  checkpoints,     ///< writing states to a disk
  colocated_jobs,  ///< cores that co-located trainings occupy
  waiting,         ///< none of the above
};
inline constexpr std::size_t kResources = 18;

/// Name in reports: `server NIC in`.
std::string_view label_of(Resource resource);

/// Factor of each resource's time over the scenario's: 0.5 is twice as fast, 0 is free.
class TimeFactors {
 public:
  TimeFactors() { factors_.fill(1); }

  /// `factor` >= 0.
  TimeFactors& set(Resource resource, double factor) {
    factors_[static_cast<std::size_t>(resource)] = factor;
    return *this;
  }
  [[nodiscard]] double of(Resource resource) const {
    return factors_[static_cast<std::size_t>(resource)];
  }
  [[nodiscard]] Duration scaled(Resource resource, Duration time) const {
    const double factor = of(resource);
    if (factor == 1) return time;
    return {std::llround(static_cast<double>(time.ns) * factor)};
  }

  bool operator==(const TimeFactors&) const = default;

 private:
  std::array<double, kResources> factors_{};
};

/// Cost breakdown of a piece of work on a core; each part is a time, scaled by its time factor.
class CostBreakdown {
 public:
  struct Part {
    Resource resource = Resource::waiting;
    Duration time;
  };

  explicit CostBreakdown(Resource resource, Duration time = {}) : parts_{{{resource, time}}} {}

  /// At most three parts. A time below zero shortens the first part.
  CostBreakdown& add(Resource resource, Duration time) {
    if (time.ns > 0) parts_[count_++] = {resource, time};
    if (time.ns < 0) parts_[0].time += time;
    return *this;
  }
  [[nodiscard]] Duration total() const { return parts_[0].time + parts_[1].time + parts_[2].time; }
  [[nodiscard]] const std::array<Part, 3>& parts() const { return parts_; }
  /// The resource of the first part.
  [[nodiscard]] Resource resource() const { return parts_[0].resource; }

 private:
  std::array<Part, 3> parts_{};
  std::size_t count_ = 1;
};

}  // namespace foretrain::sim
