// What a training spends its time on, told apart so that each can be made faster by itself.
#pragma once

#include "models/base/time.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace foretrain::sim {

/// Every piece of work, of a way over the network, of a delay is one of these and no other. So
/// where all of them take half as long, the training does.
enum class Resource : std::uint8_t {
  worker_cpu,      ///< gradients undisturbed; what messages cost the cores of workers
  device,          ///< gradients that a device computes
  server_cpu,      ///< what messages cost the cores of servers
  apply,           ///< gradients added up, parameters updated, wherever that is done
  server_nic_in,   ///< bytes into a host that has a server
  server_nic_out,  ///< bytes out of it
  worker_nic,      ///< bytes into, out of a host that has none
  switches,        ///< bytes over any other link
  connection,      ///< bytes over a TCP connection that carries less than its wires
  device_link,     ///< bytes between the devices of a host
  latency,         ///< of wires; until a window of TCP is acknowledged; until a loop looks
  straggling,      ///< what stragglers add to gradients; pauses
  evaluation,      ///< the chief evaluates, others may have to stand still for it
  input,           ///< batches read, shipped, parsed
  framework,       ///< what another program spends beside the work
  checkpoints,     ///< states on their way to a disk
  neighbours,      ///< cores that other trainings have
  waiting,         ///< nothing of all that
};
inline constexpr std::size_t kResources = 18;

/// What people call it: `server NIC in`.
std::string_view label_of(Resource resource);

/// By how much each resource takes longer than the scenario says: 0.5 is twice as fast, 0 is free.
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

/// What a piece of work of a core is made of; each part in the time that it takes at some
/// time factors.
class Effort {
 public:
  struct Part {
    Resource resource = Resource::waiting;
    Duration time;
  };

  explicit Effort(Resource resource, Duration time = {}) : parts_{{{resource, time}}} {}

  /// At most three parts. A time below zero shortens the first one.
  Effort& add(Resource resource, Duration time) {
    if (time.ns > 0) parts_[count_++] = {resource, time};
    if (time.ns < 0) parts_[0].time += time;
    return *this;
  }
  [[nodiscard]] Duration total() const { return parts_[0].time + parts_[1].time + parts_[2].time; }
  [[nodiscard]] const std::array<Part, 3>& parts() const { return parts_; }
  /// Of its first part.
  [[nodiscard]] Resource resource() const { return parts_[0].resource; }

 private:
  std::array<Part, 3> parts_{};
  std::size_t count_ = 1;
};

}  // namespace foretrain::sim
