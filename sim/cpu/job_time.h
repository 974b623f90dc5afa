// From a job's counted cost to seconds on a machine: the only place that does this.
#pragma once

#include "models/networks/network.h"
#include "models/protocol/node.h"
#include "scenarios/spec/framework.h"
#include "scenarios/spec/machine.h"

#include <algorithm>
#include <optional>
#include <string>

namespace foretrain::sim {

/// What the jobs of one model cost on the core of one host. Of several ways to know it the first
/// that there is counts:
///
///     gradient  a fixed time, by shares of its stages | the profile's times of their layers
///               | a table over batch sizes            (measured for the model)
///     evaluate  the profile's times of its layers
///     gradient  overhead + examples x per_example, and, added to those of other batches, as values
///     evaluate  overhead + examples x per_example     (both measured for the model)
///     apply     overhead + bytes x per_byte           (of the model's updates: dense, or of sparse
///                                                     pushes; or of any)
///     all       overhead + max(FLOPs / peak, bytes / bandwidth)     (described: Roofline)
///     apply     bytes / bandwidth of the device                     (HostSpec::device_updates)
///
/// and what a node does as it handles a message (`Worked`):
///
///     any               the time that the scenario gives            (training.compression.encode)
///     sparse messages   overhead + bytes of them x per_byte         (of the model)
///     values, or else   bytes x per_byte | bytes / bandwidth        (of any update | described)
///
/// What another program spends on a step (scenarios/spec/framework.h) comes on top of a gradient,
/// told apart: `step`, `example` with each of its batches, `update`, `round` once. An evaluation
/// that blocks nobody takes no time.
///
/// Realism: what was measured is calibrated at three batch sizes and straight between and beyond
/// them. A profile is as good as its measurement; its times are of the device that was measured,
/// whatever the host, unless model.profile_device says what that can do, or a device of the host
/// was measured with the network (scenarios/spec/measured_networks.h); they stand for a device that
/// computes while its core does nothing else. A roofline is a bound that kernels stay below, often
/// by half, and that caches let them exceed: it orders machines, it does not time them. Its
/// overhead is paid by every stage of a gradient. A device's update has none, since one kernel
/// takes many buckets: it reads, writes parameters, gradients, what the optimizer keeps, with a few
/// FLOPs a byte.
class JobTime {
 public:
  /// Of `machine`; `model` is a key of its models, empty for a profile, whose jobs carry their
  /// times. Null: nothing costs time but what is fixed, or in the profile.
  /// `fixed_gradient`: every gradient takes this long instead. `device`: gradients and evaluations
  /// are an accelerator's; null: the core's.
  /// @throws InputError where nothing is known of the model
  JobTime(const Machine* machine, const std::string& model, std::optional<Duration> fixed_gradient,
          const Roofline* device = nullptr);

  /// A profile's times are of another device: on this one they are so many times as long
  /// (scenarios/spec/measured_device.h, scenarios/spec/measured_networks.h).
  void scale_profile(double ratio) { profile_ratio_ = ratio; }
  /// Of trainings by a program that spends so much on a step, with so many workers.
  void add(const FrameworkSpec& framework, int workers);

  /// Updates are the device's, whose memory has this bandwidth.
  void update_on_device(BytesPerSecond rate) {
    if (on_device_) update_rate_ = rate;
  }

  /// Undisturbed, at full speed; of a gradient the median.
  [[nodiscard]] Duration of(const Job& job) const;
  /// What a node did itself.
  [[nodiscard]] Duration of(const Worked& worked) const;
  /// What another program spends on the job beside it: no straggler makes that longer.
  [[nodiscard]] Duration overhead(const Job& job) const {
    if (job.kind != JobKind::gradient || job.stage > 0) return {};
    const Duration of_batch = batch_overhead_ + example_overhead_ * job.examples;
    return job.batch == 0 ? of_batch + update_overhead_ : of_batch;
  }
  /// Gradients are those of one of the host's devices.
  [[nodiscard]] bool on_device() const { return on_device_; }
  /// So are updates.
  [[nodiscard]] bool updates_on_device() const { return update_rate_.value > 0; }
  /// Gradients are a device's, whosoever; the core waits.
  [[nodiscard]] bool of_device() const { return on_device_ || compute_ == Source::profiled; }
  /// It is calibrated: what it waits for its bytes comes on top (models/cost/caches.h).
  [[nodiscard]] bool refills(JobKind kind) const {
    if (kind == JobKind::evaluate) return false;  // measured with all that it waits for
    if (kind == JobKind::apply && updates_on_device()) return false;
    if (kind != JobKind::gradient) return apply_from_ == Source::measured;
    return !fixed_gradient_ && compute_ == Source::measured;
  }
  /// What it takes longer where messages came before it (Machine::resume).
  [[nodiscard]] Duration resumed(const Job& job) const {
    return refills(job.kind) ? std::min(resume_, of(job)) : Duration{};
  }
  /// What it takes longer on a thread beside the loop (Machine::thread_change); a device's gradient
  /// is on none.
  [[nodiscard]] Duration handed_over(const Job& job) const {
    const bool of_device = job.kind == JobKind::gradient && on_device_;
    return refills(job.kind) && !of_device ? thread_change_ : Duration{};
  }
  /// Standard deviation of the logarithm of a gradient's time: lognormal around the median. Without
  /// it two workers of equal speed would meet at the server in one pattern for good.
  [[nodiscard]] double gradient_jitter() const {
    return fixed_gradient_ ? 0 : model_.gradient_jitter;
  }
  /// Gradients are timed by what a machine is described as, not by what somebody measured.
  [[nodiscard]] bool uncalibrated() const { return gradients_by() == Source::described; }
  /// What gradients are timed by.
  enum class Source : std::uint8_t { measured, profiled, described, given };
  [[nodiscard]] Source gradients_by() const { return fixed_gradient_ ? Source::given : compute_; }

 private:
  [[nodiscard]] Duration gradient(const Job& job) const;
  [[nodiscard]] Duration apply(const Job& job) const;
  /// Values that the core moves.
  [[nodiscard]] Duration moving(Bytes bytes) const;
  [[nodiscard]] Duration profiled(const TotalCost& cost) const;
  [[nodiscard]] static Duration described(const Roofline& roofline, const TotalCost& cost);

  Source compute_ = Source::measured;  // of gradients that are not fixed, of evaluations
  Source apply_from_ = Source::measured;
  ModelCost model_;
  AffineCost apply_;
  Roofline roofline_;             // of the core
  Roofline computing_;            // of what computes: that, or a device
  BytesPerSecond update_rate_{};  // of the device, that updates; 0: a core does
  std::optional<Duration> fixed_gradient_;
  double profile_ratio_ = 1;
  Duration batch_overhead_;
  Duration example_overhead_;
  Duration update_overhead_;
  Duration resume_;
  Duration thread_change_;
  bool evaluates_ = true;
  bool on_device_ = false;
};

}  // namespace foretrain::sim
