// What a look at the cores of a machine says: how fast they compute, how far apart they are.
#pragma once

#include "models/base/time.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// How far apart the cores are that a training uses.
///
///     near    they share a cache: a line that one hands over comes from there
///     far     they do not: it comes through what joins caches, or sockets
///     mixed   some are near and some far, or near at one time and far at another
///
/// On a virtual machine it changes while one looks: the hypervisor moves its cores from one cache
/// to another. On a bare machine it is a matter of which cores were taken, and stays.
enum class CoreDistance { near, far, mixed };

/// near, far, mixed.
std::string_view name_of(CoreDistance distance);

/// What it takes to hand bytes from one core to another, now.
struct PairProbe {
  double handover_s = 0;  ///< a cache line, from a write of one until the other has seen it
  double byte_s = 0;      ///< of 512 KB that the other has just written, read in order

  bool operator==(const PairProbe&) const = default;
};

/// Hand-overs of the machine file: what calibration met, median of each; 0: not met.
struct KnownHandovers {
  Duration near{};
  Duration far{};

  bool operator==(const KnownHandovers&) const = default;
};

/// Which of the two a pair is. No time is near or far by itself: 60 ns is far on one processor and
/// near on another. So a hand-over is held against what the same machine says:
///
///     both are known    the nearer of `known`, by ratio: each machine has its own border
///     near is           far takes kFarAgain times as long at least, and as the next rule says
///     else              `shared_line_s`, what a line of the shared cache takes one core alone, now
///                       (a chain of loads over twice its own cache). A line that two cores hand
///                       over within that cache costs two to four of those, since it is asked back
///                       from the other's own cache; through anything else it crosses two caches
///                       with what joins them, and costs more. The border is kFarRatio.
///
/// The last rule needs no memory of the machine, so a calibration that met one mode only knows
/// which it was; the others take over once it was seen, because a processor may lie closer to the
/// border than the one that the rule was tried on: 2 cores of an AMD EPYC (Zen 4) VM, 270 probes,
/// 12.6 ns a line of the shared cache, 26 to 49 ns a near hand-over, 148 to 174 a far one. On Zen 5
/// a line took 10.6, near ones 31 to 67, far ones 180.
///
/// Bytes say the same less clearly (0.012 to 0.017 ns near, 0.038 to 0.074 far): they are noted,
/// the hand-over decides.
CoreDistance distance_of(const PairProbe& pair, double shared_line_s, const KnownHandovers& known);
inline constexpr double kFarRatio = 4.5;
inline constexpr double kFarAgain = 2;

/// One look at the cores that a training uses.
struct CoreProbe {
  double alone_s = 0;                    ///< the reference kernel on the first of them
                                         ///< (exec/system/reference_kernel.h)
  double together_s = 0;                 ///< on all of them at once, mean; 0: one core
  double shared_line_s = 0;              ///< a line of the cache behind a core's own; 0: one core
  double handover_s = 0;                 ///< of neighbours among the cores, median; 0: one core,
                                         ///< or others kept them too busy to tell
  double byte_s = 0;                     ///< likewise
  std::optional<CoreDistance> distance;  ///< of all those pairs; empty: likewise

  bool operator==(const CoreProbe&) const = default;
};

/// What all of them say together: mixed, unless they agree. Empty: none says anything.
std::optional<CoreDistance> distance_over(std::span<const std::optional<CoreDistance>> distances);
std::optional<CoreDistance> distance_over(std::span<const CoreProbe> probes);

/// A machine that is faster or slower by more than this is not the one that was calibrated.
inline constexpr double kWander = 0.05;

/// What the reference kernel took over the probes of a calibration.
struct ReferenceTimes {
  Duration median{};
  Duration fastest{};  ///< 5th percentile
  Duration slowest{};  ///< 95th percentile

  bool operator==(const ReferenceTimes&) const = default;
};

/// The cores while a machine was calibrated.
struct CoresSeen {
  ReferenceTimes alone{};
  ReferenceTimes together{};  ///< all 0: one core
  KnownHandovers handover{};
  std::string loopback_distance{};  ///< name_of; empty: not known

  [[nodiscard]] bool known() const { return alone.median.ns > 0; }
  bool operator==(const CoresSeen&) const = default;
};

}  // namespace foretrain
