// Conversion of a job's counted cost to seconds on a machine, in one place.
#pragma once

#include "models/networks/network.h"
#include "models/protocol/node.h"
#include "scenarios/spec/framework.h"
#include "scenarios/spec/machine.h"

#include <algorithm>
#include <optional>
#include <string>

namespace foretrain::sim {

/// The time that jobs of one model take on the core of one host. The first available source counts:
///
///     gradient  a fixed time, divided over its stages by their shares | the profile's times of the
///               stage's layers | a table over batch sizes (measured for the model)
///     evaluate  the profile's times of its layers
///     gradient  overhead + examples x per_example, plus moving the values that are added to the
///               gradients of other batches
///     evaluate  overhead + examples x per_example     (both measured for the model)
///     apply     overhead + bytes x per_byte           (measured for the model's dense updates or
///                                                     sparse pushes, else for any model)
///     all       overhead + max(FLOPs / peak, bytes / bandwidth)     (described: Roofline)
///     apply     bytes / bandwidth of the device          (HostSpec::device_updates, the profile's)
///
/// and for the work of a node that handles a message (`SpentCost`):
///
///     any               the time given by the scenario              (training.compression.encode)
///     sparse messages   overhead + message bytes x per_byte         (measured for the model)
///     other bytes       bytes x per_byte | bytes / bandwidth        (any update | described)
///
/// The time that another framework spends on a step (scenarios/spec/framework.h) comes on top of a
/// gradient and is reported separately: `step` and `example` with each of its batches, `update` and
/// `round` once. An evaluation that blocks nobody takes no time.
///
/// Realism: measured costs are calibrated at three batch sizes and linear between and beyond them.
/// A profile is as good as its measurement. Its times belong to the measured device, whatever the
/// host, unless model.profile_device describes that device or a device of the host was measured
/// with the network (scenarios/spec/measured_networks.h); they assume a device that computes while
/// its core does nothing else. A roofline is a bound: kernels stay below it, often by half, and
/// caches let them exceed it. It ranks machines and does not predict times. Every stage of a
/// gradient pays its overhead. A device's update pays none, since one kernel handles many buckets:
/// it reads and writes parameters, gradients and optimizer state, with a few FLOPs per byte.
class JobTime {
 public:
  /// `machine`: null if nothing takes time except fixed times and those of a profile. `model`: a
  /// key of the machine's models; empty for a profile, whose jobs carry their times.
  /// `fixed_gradient`: every gradient takes this long instead. `device`: the accelerator that
  /// computes gradients and evaluations; null if the core does.
  /// @throws InputError if the machine knows nothing about the model
  JobTime(const Machine* machine, const std::string& model, std::optional<Duration> fixed_gradient,
          const Roofline* device = nullptr);

  /// Scales the times of a profile, which was measured on another device, by `ratio`
  /// (scenarios/spec/measured_networks.h, scenarios/spec/measured_networks.h).
  void scale_profile(double ratio) { profile_ratio_ = ratio; }
  /// Adds what a framework spends on a step with this number of workers.
  void add(const FrameworkSpec& framework, int workers);

  /// The device applies updates at this rate, for whatever it reads or writes.
  void update_on_device(BytesPerSecond rate) {
    if (of_device()) update_rate_ = rate;
  }

  /// Undisturbed, at full speed; for a gradient the median.
  [[nodiscard]] Duration of(const Job& job) const;
  /// Time of work that a node did itself.
  [[nodiscard]] Duration of(const SpentCost& spent) const;
  /// Time that a framework adds to the job. Stragglers do not lengthen it.
  [[nodiscard]] Duration overhead(const Job& job) const {
    if (job.kind != JobKind::gradient || job.stage > 0) return {};
    const Duration of_batch = batch_overhead_ + example_overhead_ * job.examples;
    return job.batch == 0 ? of_batch + update_overhead_ : of_batch;
  }
  /// A device of the host computes the gradients.
  [[nodiscard]] bool on_device() const { return on_device_; }
  /// A device of the host applies the updates.
  [[nodiscard]] bool updates_on_device() const { return update_rate_.value > 0; }
  /// Any device computes the gradients (also that of a profile); the core waits.
  [[nodiscard]] bool of_device() const { return on_device_ || compute_ == Source::profiled; }
  /// Whether a cache-miss penalty (models/cost/caches.h) is added to the job: only for calibrated
  /// times.
  [[nodiscard]] bool refills(JobKind kind) const {
    if (kind == JobKind::evaluate) return false;  // the measurement includes its misses
    if (kind == JobKind::apply && updates_on_device()) return false;
    if (kind != JobKind::gradient) return apply_from_ == Source::measured;
    return !fixed_gradient_ && compute_ == Source::measured;
  }
  /// Warm-up time of a job that begins after messages (Machine::resume).
  [[nodiscard]] Duration resumed(const Job& job) const {
    return refills(job.kind) ? std::min(resume_, of(job)) : Duration{};
  }
  /// Additional time of a job on another thread than the loop (Machine::thread_change); none for a
  /// gradient of a device.
  [[nodiscard]] Duration handed_over(const Job& job) const {
    const bool of_device = job.kind == JobKind::gradient && on_device_;
    return refills(job.kind) && !of_device ? thread_handoff_ : Duration{};
  }
  /// Standard deviation of the logarithm of a gradient's time: lognormal around the median. Without
  /// jitter two workers of equal speed would meet at the server in one fixed pattern.
  [[nodiscard]] double gradient_jitter() const {
    return fixed_gradient_ ? 0 : model_.gradient_jitter;
  }
  /// Gradients are timed by a described machine, not by a measurement.
  [[nodiscard]] bool uncalibrated() const { return gradients_by() == Source::described; }
  /// Source of the gradients' times.
  enum class Source : std::uint8_t { measured, profiled, described, given };
  [[nodiscard]] Source gradients_by() const { return fixed_gradient_ ? Source::given : compute_; }

 private:
  [[nodiscard]] Duration gradient(const Job& job) const;
  [[nodiscard]] Duration apply(const Job& job) const;
  /// Time in which the core moves these bytes.
  [[nodiscard]] Duration moving(Bytes bytes) const;
  [[nodiscard]] Duration profiled(const TotalCost& cost) const;
  [[nodiscard]] static Duration described(const Roofline& roofline, const TotalCost& cost);

  Source compute_ = Source::measured;  // of evaluations, and of gradients without a fixed time
  Source apply_from_ = Source::measured;
  ModelCost model_;
  AffineCost apply_;
  Roofline roofline_;             // of the core
  Roofline computing_;            // of the core or the device that computes
  BytesPerSecond update_rate_{};  // of the device that updates; 0 if a core does
  std::optional<Duration> fixed_gradient_;
  double profile_ratio_ = 1;
  Duration batch_overhead_;
  Duration example_overhead_;
  Duration update_overhead_;
  Duration resume_;
  Duration thread_handoff_;
  bool evaluates_ = true;
  bool on_device_ = false;
};

}  // namespace foretrain::sim
