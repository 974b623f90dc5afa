// The measured or described costs of a machine, the base of every forecast.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/cost/caches.h"
#include "scenarios/spec/disk_cost.h"

#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// A cost that is linear in a count: overhead + count x per_item, in seconds.
struct AffineCost {
  double overhead_s = 0;
  double per_item_s = 0;

  [[nodiscard]] Duration of(double count) const {
    return Duration::from_seconds(overhead_s + count * per_item_s);
  }

  bool operator==(const AffineCost&) const = default;
};

/// The time of a job on a machine that was not measured. Compute and memory traffic overlap; the
/// slower of the two decides (roofline of Williams, Waterman, Patterson 2009: FLOP/s are limited by
/// the peak and by bandwidth times the job's FLOPs per byte).
///
///     overhead + max(FLOPs / (gflops x 10^9), bytes / memory_bandwidth)
struct Roofline {
  double gflops = 0;                  ///< 10^9 operations a second per worker; 0: not described
  BytesPerSecond memory_bandwidth{};  ///< 0: no limit
  Duration overhead{};                ///< per job: a kernel launch, a call

  [[nodiscard]] bool described() const { return gflops > 0; }
  bool operator==(const Roofline&) const = default;
};

/// A row of a table: the time of a batch of this size.
struct BatchTime {
  int examples = 1;
  Duration time;

  bool operator==(const BatchTime&) const = default;
};

/// Interpolates `times` linearly at `examples`. `times` has at least one row, in ascending order of
/// examples. Beyond its ends the nearest two rows are extrapolated; a single row is scaled in
/// proportion.
Duration interpolated(const std::vector<BatchTime>& times, double examples);

/// Compute costs of a model on one core, by the number of examples, with all of its data in the
/// core's own cache; bringing them there costs extra if the machine knows how much
/// (Machine::memory).
struct ModelCost {
  AffineCost gradient;         ///< median, by examples
  AffineCost evaluate;         ///< median
  double gradient_jitter = 0;  ///< standard deviation of the logarithm of a gradient's time
  std::vector<BatchTime> gradient_times{};  ///< if not empty, a table that replaces `gradient`
  AffineCost apply{};                       ///< applying its updates, by bytes; 0: Machine::apply
  AffineCost sparse_apply{};  ///< the same for sparse pushes, which touch scattered parameters
  AffineCost coding{};        ///< encoding or decoding a sparse message, by bytes
                              ///< written or read (SpentCost)
  int checked_batch = 0;      ///< middle one of the measured batch sizes; 0: none
  double residual = 0;        ///< relative error of the fit at checked_batch

  /// The time of the gradient of this many examples.
  [[nodiscard]] Duration gradient_of(double examples) const;

  bool operator==(const ModelCost&) const = default;
};

/// Default polling time of this program's nodes before they sleep. Waking a sleeping process on
/// another core costs 50 to 600 us on a virtual machine, more the longer its core has been idle: on
/// two cores a sync step of two workers (softmax, batch 256) took 0.68 to 0.77 ms without polling,
/// 0.31 ms with 50 us of polling, 0.28 ms with 200 us. The value is 1 ms because nodes fall asleep
/// if a gradient takes as long as the polling: with one worker (batch 160, 0.2 ms) a step took 0.32
/// ms at 200 us, 0.27 ms at 1 ms, 0.25 ms at 5 ms; with three workers 0.75, 0.55, 0.57 ms (medians
/// of nine runs each).
inline constexpr Duration kPoll{1'000'000};

/// Largest piece that a kernel delivers within a machine: the receiver gets nothing of it before
/// all of it is copied (gso_max_size of Linux's loopback).
inline constexpr Bytes kLoopbackSegment{65'536};
/// Bytes that the kernel copies into one piece of its memory (a page fragment of Linux).
inline constexpr Bytes kShortMessageBytes{32'768};

/// Costs of messages: CPU time by bytes on the wire, then the delay until an idle receiver reacts.
struct TransportCost {
  AffineCost send;     ///< on the sender's core, including the copy into the kernel
  AffineCost receive;  ///< on the receiver's core, including the copy out of the kernel
  Duration handoff{};  ///< from the end of a send until a polling receiver begins to receive
  Duration wake{};     ///< the same, for a receiver that sleeps on an idle core
  Duration poll{};     ///< how long a receiver polls before it sleeps
  Duration preempt{};  ///< as wake, for a receiver whose core is computing
  double one_core_byte_s = 0;  ///< send and receive time of a byte, together, between nodes on
                               ///< one core, which has the data in its caches; 0: as between two
  double short_message_factor = 1;  ///< cost of one of the first kShortMessageBytes bytes of a
                                    ///< message, relative to a later byte
  double one_core_short_message_factor = 1;  ///< the same, between nodes on one core

  /// CPU time of a message with this many bytes on the wire.
  [[nodiscard]] Duration sending(Bytes size) const;
  [[nodiscard]] Duration receiving(Bytes size) const;
  /// The costs between two nodes on one core.
  [[nodiscard]] TransportCost on_one_core() const;

  bool operator==(const TransportCost&) const = default;
};

/// The costs that differ from TransportCost::send and receive between emulated networks.
struct EmulatedCost {
  AffineCost send;
  AffineCost receive;

  bool operator==(const EmulatedCost&) const = default;
};

/// The uncertainty of a measured figure.
struct Measurement {
  std::string figure;  ///< what was measured: `loopback.send`, `models.lenet.gradient`
  double spread = 0;   ///< half the interquartile range of its repetitions over their median
  int repetitions = 0;

  bool operator==(const Measurement&) const = default;
};

/// Forecasts of a machine are a range if its speed varies by more than this.
inline constexpr double kWander = 0.05;

/// Times of the reference kernel (exec/system/reference_kernel.h) over a calibration.
struct ReferenceTimes {
  Duration median{};
  Duration fastest{};  ///< 5th percentile
  Duration slowest{};  ///< 95th percentile

  bool operator==(const ReferenceTimes&) const = default;
};

/// The cores while a machine was calibrated.
struct CoresSeen {
  ReferenceTimes alone{};     ///< on one core
  ReferenceTimes together{};  ///< on all cores at once; all 0 if the machine has one core

  [[nodiscard]] bool known() const { return alone.median.ns > 0; }
  bool operator==(const CoresSeen&) const = default;
};

/// A machine file (`foretrain_machine: 1`), written by `foretrain calibrate`, or by hand to
/// describe a machine that is not available.
struct Machine {
  std::string name;
  int cores = 1;
  std::string kernel_set;     ///< the vector instructions that compute was measured with
  Duration slice{3'000'000};  ///< time slice of a thread while another waits for its core
  double contention = 1;      ///< slowdown of compute while another core computes, as a factor
  /// Context switch: the extra time of a core that continues with another process.
  Duration context_switch{};
  /// Thread handoff: extra time of a gradient, a sum or an update that runs on a thread beside the
  /// event loop, on the loop's core (models/cost/job_placement.h), for handing it over and
  /// reporting its end.
  Duration thread_handoff{};
  /// Warm-up after messages: the most that a gradient or an update loses if it begins after
  /// messages. It runs at half speed until this much is lost, because code, branch predictions and
  /// the first-level cache are those of the messages.
  Duration warm_up{};
  /// Resident memory of a node's process without the training: the program, its libraries, its heap
  /// and stacks. The default is that of a release build on Debian 12.
  Bytes memory_base{11'300'000};
  TransportCost loopback;
  EmulatedCost emulated;   ///< between networks emulated by this machine; all 0: as `loopback`
  MemoryHierarchy memory;  ///< memory costs of jobs beyond their compute
  AffineCost apply;        ///< reduce and apply, by bytes of memory moved (Cost::bytes)
  DiskCost disk;           ///< of checkpoints; kAssumedDisk if not known
  std::map<std::string, ModelCost> models;
  Roofline roofline;       ///< for what was not measured: other models; `apply` if it is 0
  CoresSeen cores_seen{};  ///< speed of its cores during the calibration
  double others_used = 0;  ///< share of the machine that other processes used during the
                           ///< calibration, if it was large; 0: idle
  std::string date;        ///< of the measurements, 2026-11-22; empty: written by hand
  std::vector<Measurement> measurements;  ///< uncertainty of each figure
  std::vector<std::string> not_measured;  ///< figures at their defaults, with the reasons

  /// The name in forecasts: `name`, with a note if other processes made its figures noisy.
  [[nodiscard]] std::string title() const;
  bool operator==(const Machine&) const = default;
};

}  // namespace foretrain
