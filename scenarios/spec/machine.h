// What a machine costs: the measured or described figures that a forecast is made from.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/cost/caches.h"
#include "scenarios/spec/cores_seen.h"
#include "scenarios/spec/disk.h"

#include <map>
#include <string>
#include <vector>

namespace foretrain {

/// A cost that grows with a count: overhead + count x per_item, seconds.
struct AffineCost {
  double overhead_s = 0;
  double per_item_s = 0;

  [[nodiscard]] Duration of(double count) const {
    return Duration::from_seconds(overhead_s + count * per_item_s);
  }

  bool operator==(const AffineCost&) const = default;
};

/// What a job takes on a machine that nobody has measured: it computes while it moves memory, and
/// the slower of the two decides (the roofline of Williams, Waterman, Patterson 2009: no more
/// FLOP/s than the peak, nor than bandwidth times the job's FLOPs a byte).
///
///     overhead + max(FLOPs / (gflops x 10^9), bytes / memory_bandwidth)
struct Roofline {
  double gflops = 0;                  ///< 10^9 operations a second, of a worker; 0: not described
  BytesPerSecond memory_bandwidth{};  ///< 0: never the bound
  Duration overhead{};                ///< of every job: a launch, a call

  [[nodiscard]] bool described() const { return gflops > 0; }
  bool operator==(const Roofline&) const = default;
};

/// A row of a table: what a batch of so many examples takes.
struct BatchTime {
  int examples = 1;
  Duration time;

  bool operator==(const BatchTime&) const = default;
};

/// What `examples` take by the table `times`, which has a row or more and ascends in its examples:
/// straight between two rows, and as between the last two beyond them. One row alone: in
/// proportion.
Duration interpolated(const std::vector<BatchTime>& times, double examples);

/// A model's compute on one core, by the number of examples: with all of its bytes in the core's
/// own cache, where the machine says what it takes to bring them there (Machine::memory).
struct ModelCost {
  AffineCost gradient;         ///< median, by examples
  AffineCost evaluate;         ///< median
  double gradient_jitter = 0;  ///< standard deviation of the logarithm of a gradient's time
  std::vector<BatchTime> gradient_times{};  ///< not empty: a table instead of `gradient`
  AffineCost apply{};                       ///< applying its updates, by bytes; 0: as the machine's
  AffineCost sparse_apply{};  ///< likewise of sparse pushes, which lie all over the parameters
  AffineCost coding{};    ///< making, or reading, a message of sparse updates, by its bytes that
                          ///< are written, or read (Worked)
  int checked_batch = 0;  ///< of the batch sizes that were measured, the middle one; 0: none
  double residual = 0;    ///< what the fit says of that one over what was measured, less 1

  /// What the gradient of so many examples takes.
  [[nodiscard]] Duration gradient_of(double examples) const;

  bool operator==(const ModelCost&) const = default;
};

/// How long a node of this program polls before it sleeps, unless the scenario says otherwise.
/// Waking a sleeper on another core costs 50 to 600 us on a virtual machine, more the longer its
/// core has been idle: on two cores a sync step of two workers (softmax, batch 256) took 0.68 to
/// 0.77 ms asleep, 0.31 ms at 50 us of polling, 0.28 ms at 200 us. A millisecond, since a gradient
/// that takes as long as the polling is met by sleepers: with one worker (batch 160, 0.2 ms) a step
/// took 0.32 ms at 200 us, 0.27 ms at 1 ms, 0.25 ms at 5 ms, with three 0.75, 0.55, 0.57 ms
/// (medians of nine runs each).
inline constexpr Duration kPoll{1'000'000};

/// What a kernel hands over at a time within a machine: so much of a message has been copied before
/// its receiver has any of it (gso_max_size of Linux's loopback).
inline constexpr Bytes kLoopbackSegment{65'536};
/// What it copies into one piece of its memory (a page fragment of Linux).
inline constexpr Bytes kFirstBytes{32'768};

/// What messages cost: CPU time by bytes on the wire, then the time until an idle receiver looks.
struct TransportCost {
  AffineCost send;     ///< on the sender's core, the copy into the kernel included
  AffineCost receive;  ///< on the receiver's core, likewise
  Duration handoff{};  ///< from the end of a send until a receiver that polls begins to receive
  Duration wake{};     ///< the same, until one that sleeps on an idle core does
  Duration poll{};     ///< how long a receiver polls before it sleeps
  Duration preempt{};  ///< as wake, on a core that goes on computing
  double one_core_byte_s = 0;  ///< where both have one core, which has what the other left in its
                               ///< caches: of a byte, both sides together; 0: as between two
  double first_bytes = 1;      ///< what a byte of the first kFirstBytes takes, in those of a long
                               ///< message
  double one_core_first_bytes = 1;  ///< likewise, in bytes between nodes of one core

  /// CPU time of a message of so many bytes on the wire.
  [[nodiscard]] Duration sending(Bytes size) const;
  [[nodiscard]] Duration receiving(Bytes size) const;
  /// What they cost between two nodes of one core.
  [[nodiscard]] TransportCost on_one_core() const;

  bool operator==(const TransportCost&) const = default;
};

/// What of a TransportCost is different between networks that the machine emulates.
struct EmulatedCost {
  AffineCost send;
  AffineCost receive;

  bool operator==(const EmulatedCost&) const = default;
};

/// How sure a measured figure is.
struct Measurement {
  std::string figure;  ///< what was measured: `loopback.send`, `models.lenet.gradient`
  double spread = 0;   ///< half the interquartile range of its repetitions over their median
  int repetitions = 0;

  bool operator==(const Measurement&) const = default;
};

/// A machine file (`foretrain_machine: 1`), as `foretrain calibrate` writes it, or as somebody does
/// by hand of a machine that is not there.
struct Machine {
  std::string name;
  int cores = 1;
  std::string kernel_set;     ///< the vector instructions that compute was measured with
  Duration slice{3'000'000};  ///< how long a thread runs while another waits for its core
  double contention = 1;      ///< compute takes this times as long while another core computes
  /// What a core takes to go on with another process than it ran last.
  Duration process_change{};
  /// What a gradient, a sum or an update takes longer that a thread beside the event loop computes,
  /// on the loop's core (models/cost/job_placement.h): to be handed over, to be told of.
  Duration thread_change{};
  /// What a gradient or an update takes longer, at most, that begins after messages: it runs at
  /// half its speed until so much is lost. Code, predictions, the first cache are those of the
  /// messages.
  Duration resume{};
  /// Resident memory of a node's process beside what the training holds: the program, its
  /// libraries, its heap and stacks. The default: a release build on Debian 12.
  Bytes memory_base{11'300'000};
  TransportCost loopback;
  EmulatedCost emulated;   ///< between networks that this machine emulates; all 0: as `loopback`
  MemoryHierarchy memory;  ///< what jobs wait for beside their compute
  AffineCost apply;        ///< reduce and apply, by bytes of memory moved (Cost::bytes)
  DiskCost disk;           ///< of checkpoints; not known: kAssumedDisk counts
  std::map<std::string, ModelCost> models;
  Roofline
      roofline;  ///< what was not measured takes this long: other models; `apply` where it is 0
  CoresSeen cores_seen{};                 ///< what its cores were while it was measured
  double others_used = 0;                 ///< share of the machine that others had meanwhile, where
                                          ///< that was much; 0: it was idle
  std::string date;                       ///< of the measurements, 2026-11-22; empty: by hand
  std::vector<Measurement> measurements;  ///< how sure each of them is
  std::vector<std::string> not_measured;  ///< what stands at its default, and why

  /// What forecasts call it: its name, and that its figures are noisy where others used it.
  [[nodiscard]] std::string title() const;
  bool operator==(const Machine&) const = default;
};

}  // namespace foretrain
