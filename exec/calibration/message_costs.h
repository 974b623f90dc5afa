// What messages cost between the nodes of one machine, from round trips of two of them.
#pragma once

#include "exec/calibration/core_watch.h"
#include "exec/emulation/hosts.h"
#include "scenarios/spec/machine.h"

#include <functional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// Both nodes on one core, where nothing overlaps: a round trip is the CPU time of two messages.
/// The caller has computed, as a worker that pushes a gradient and pulls parameters; without, a
/// round trip of a small model takes half as long as in a training.
struct OneCore {
  double message_s = 0;    ///< send and receive of an empty message: half a round trip
  double byte_s = 0;       ///< what a byte of a large one adds; on emulated hosts, where the link
                           ///< takes time too, what it adds to the CPU time of both
  double first_bytes = 1;  ///< what a byte of one of kFirstBytes adds, in those; there: 1
};

/// Each node on a core of its own.
struct Crossing {
  double message_s = 0;        ///< half a round trip of empty messages, both nodes polling
  double sent_byte_s = 0;      ///< by what the CPU time of who sends grows with a byte
  double received_byte_s = 0;  ///< likewise of who receives
  double first_bytes = 1;  ///< what a byte of one of kFirstBytes adds to half a round trip, both
                           ///< polling, in those together; on emulated hosts: 1
};

/// Of a node that has fallen asleep, on a core of its own: a round trip.
struct Waking {
  double idle_s = 0;  ///< that core is idle
  double busy_s = 0;  ///< another process computes there
};

OneCore measure_one_core(int core, const Hosts& hosts);
Crossing measure_crossing(int core_a, int core_b, const Hosts& hosts);
Waking measure_waking(int core_a, int core_b, const Hosts& hosts);
/// What a byte costs either side more, in the mean of both, where both have walked over so much
/// memory before they send that no cache holds the message, its copies, nor the kernel's pages.
/// They have one core: between two cores the same came to 15 to 75 ps, on one to 20 to 30 (AMD
/// EPYC, Zen 5).
double measure_cold_byte(int core, Bytes walked);

/// All of it together:
///
///     send(0) + receive(0)   a message on one core, split evenly between the two; no more than one
///                            between two cores, who need not be switched to
///     per byte               across: the CPU time of each, though the two overlap in a message of
///                            more than a segment (Mailbox, sim/node), since a node has as much
///                            less for its gradients. A message of 1 MB took 103 ps a byte, its
///                            sender 125, its receiver 85 (2 cores of an AMD EPYC Zen 4 VM)
///     first_bytes            32 KB against 1 MB. On one core a byte of 24 to 48 KB took 64 to 94
///                            ps, of 256 KB and more 109; between near ones of 31 KB 67 to 88 (a
///                            wait of both: none overlaps), of 1 MB both spend 146 (Zen 5)
///     one_core_byte          what a round trip on one core takes longer: each copy finds in the
///                            core's caches what the one before left (Zen 5: 105 ps, where both
///                            sides across took 144 near, 185 or more far)
///     handoff                what half a round trip across takes longer than on one core
///     wake, preempt          a round trip of who sleeps, less two messages and one handoff
///
/// Null: this machine has one core.
TransportCost transport_cost(const OneCore& one, const Crossing* crossing, const Waking* waking);

/// Crossings between two cores, taken all over a calibration: the cores of a virtual machine move
/// every few seconds, from one cache to another.
class Crossings {
 public:
  /// `measure` takes one, a third of a second, or throws. `watch` outlives this.
  Crossings(std::function<Crossing()> measure, CoreWatch& watch);

  /// Takes so many more, each between two looks at the cores.
  void take(int times);
  /// The median of each figure; at least one was taken.
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
