// Message costs between two nodes of one machine, from round trips.
#pragma once

#include "exec/calibration/core_watch.h"
#include "exec/emulation/hosts.h"
#include "scenarios/spec/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Both nodes on one core, where nothing overlaps: a round trip is the CPU time of two messages.
/// The caller computes before, like a worker that pushes a gradient and pulls parameters; without
/// that a round trip of a small model takes half as long as in a training.
struct OneCore {
  double message_s = 0;  ///< send and receive of an empty message: half a round trip
  double byte_s = 0;  ///< additional time per byte of a large message; with emulated hosts, whose
                      ///< links take time, too, additional CPU time of both nodes
  double short_message_factor = 1;  ///< cost of a byte in a message of kShortMessageBytes, in bytes
                                    ///< of a large one; with emulated hosts 1
};

/// The nodes on two cores.
struct Crossing {
  double message_s = 0;        ///< half a round trip of empty messages, both nodes polling
  double sent_byte_s = 0;      ///< additional CPU time of the sender per byte
  double received_byte_s = 0;  ///< additional CPU time of the receiver per byte
  double short_message_factor =
      1;  ///< half a round trip per byte of kShortMessageBytes, both polling,
          ///< over the sum of both figures above; emulated hosts: 1
};

/// A round trip to a node that sleeps, on another core.
struct Waking {
  double idle_s = 0;  ///< that core is idle
  double busy_s = 0;  ///< another process computes there
};

OneCore measure_one_core(int core, const Hosts& hosts);
Crossing measure_crossing(int core_a, int core_b, const Hosts& hosts);
Waking measure_waking(int core_a, int core_b, const Hosts& hosts);
/// Additional cost per byte, as the mean of both sides, if both walked over enough memory before
/// sending that no cache holds the message, its copies or the kernel's pages. Measured on one core:
/// between two cores it varied from 15 to 75 ps, on one from 20 to 30 (AMD EPYC, Zen 5).
double measure_cold_byte(int core, Bytes walked);

/// Combines the measurements:
///
///     send(0) + receive(0)   a message on one core, split evenly; at most a message between two
///                            cores, which needs no switch of threads
///     per byte               across cores: the CPU time of each side, although both overlap in a
///                            message of more than a segment (Mailbox, sim/node), because that time
///                            is missing for gradients. A message of 1 MB took 103 ps per byte, its
///                            sender 125, its receiver 85 (2 cores of an AMD EPYC Zen 4 VM)
///     first_bytes            32 KB against 1 MB. On one core a byte of 24 to 48 KB took 64 to 94
///                            ps, of 256 KB and more 109; between near cores, of 31 KB 67 to 88 (a
///                            wait of both: none overlaps), of 1 MB both spend 146 (Zen 5)
///     one_core_byte          additional time of a round trip on one core: each copy finds the data
///                            of the one before in the core's caches (Zen 5: 105 ps, while both
///                            sides across took 144 near, 185 or more far)
///     handoff                half a round trip across cores, less one on one core
///     wake, preempt          a round trip to a sleeping node, less two messages and one handoff
///
/// Null pointers: this machine has one core.
TransportCost transport_cost(const OneCore& one, const Crossing* crossing, const Waking* waking);

/// Crossings between two cores, measured throughout a calibration: the cores of a virtual machine
/// move every few seconds, from one cache to another.
class Crossings {
 public:
  /// `measure` takes one, a third of a second, or throws. `watch` outlives this.
  Crossings(std::function<Crossing()> measure, CoreWatch& watch);

  /// Takes this many more, each between two looks at the cores.
  void take(int times);
  /// The median of each figure. At least one crossing has been taken.
  [[nodiscard]] Crossing median_of_all() const;
  /// Adds the spreads of the figures.
  void note(std::vector<Measurement>& measurements) const;

 private:
  [[nodiscard]] std::vector<double> values(double Crossing::*figure) const;

  std::function<Crossing()> measure_;
  CoreWatch& watch_;
  std::vector<Crossing> taken_;
};

}  // namespace foretrain::exec
