// The work of a device in one step, by who asked for it.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/operator_tree.h"
#include "scenarios/import/trace_steps.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace foretrain {

enum class WorkPhase : std::uint8_t { forward, backward, optimizer, communication };

struct DeviceWork {
  std::size_t event = 0;                 ///< in the trace
  std::size_t launch = 0;                ///< likewise
  std::size_t op = OperatorTree::kNone;  ///< innermost around the launch
  /// The event with a collective's arguments: the kernel or an operator around it; kNone: no such.
  std::size_t collective = OperatorTree::kNone;
  WorkPhase phase = WorkPhase::forward;
};

struct KernelSum {
  double count = 0;
  double time_us = 0;  ///< without collectives, which wait for other workers
};

/// Finds what was launched in a step.
class TraceWork {
 public:
  /// Both outlive it.
  TraceWork(const ChromeTrace& trace, const OperatorTree& tree);

  /// In the order of launches. `thread`: the step's own.
  [[nodiscard]] std::vector<DeviceWork> launched_in(const TraceSpan& step,
                                                    std::int64_t thread) const;
  /// Of all device work whatever launched it: when it runs at all. Joined, in the order of time.
  [[nodiscard]] std::vector<TraceSpan> busy(bool with_communication) const;
  /// The share of a step's launches whose kernels are not in the trace, of those that have some
  /// elsewhere; 1: nothing was launched.
  [[nodiscard]] double lost_in(const TraceSpan& step) const;
  /// Kernels that a step launched, and the time of those that compute.
  [[nodiscard]] KernelSum kernels_in(const TraceSpan& step) const;
  /// Most kernels share their launch with others.
  [[nodiscard]] bool launches_graphs() const;

 private:
  [[nodiscard]] WorkPhase phase_of(const DeviceWork& work, std::int64_t thread) const;
  [[nodiscard]] std::size_t collective_of(const DeviceWork& work) const;
  [[nodiscard]] std::span<const DeviceWork> all_in(const TraceSpan& step) const;

  const ChromeTrace& trace_;
  const OperatorTree& tree_;
  std::vector<DeviceWork> work_;       // in the order of launches
  std::vector<double> lost_us_;        // launches without a kernel, in order
  std::vector<std::uint8_t> reduces_;  // by event: whether it is a collective's
};

/// Whether an operator of that name is, or has around it, all that is meant by the phase.
bool is_optimizer(std::string_view op);
bool is_backward(std::string_view op);

/// What of `spans`, joined, in the order of time, lies within `step`.
double within(const std::vector<TraceSpan>& spans, const TraceSpan& step);

}  // namespace foretrain
