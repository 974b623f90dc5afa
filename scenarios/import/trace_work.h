// The device work of a step, by the operator that launched it.
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
  std::size_t event = 0;                 ///< index in the trace's events
  std::size_t launch = 0;                ///< index of its launch
  std::size_t op = OperatorTree::kNone;  ///< innermost one around the launch
  /// The event with a collective's arguments: the kernel or an operator around it; kNone: none.
  std::size_t collective = OperatorTree::kNone;
  WorkPhase phase = WorkPhase::forward;
};

struct KernelSum {
  double count = 0;
  double time_us = 0;  ///< without collectives, which include waiting for other workers
};

/// Finds the work that a step launched.
class TraceWork {
 public:
  /// Both have to outlive it.
  TraceWork(const ChromeTrace& trace, const OperatorTree& tree);

  /// The work in the order of launches. `thread`: the step's own.
  [[nodiscard]] std::vector<DeviceWork> launched_in(const TraceSpan& step,
                                                    std::int64_t thread) const;
  /// The times when any device work runs, merged and in time order.
  [[nodiscard]] std::vector<TraceSpan> busy(bool with_communication) const;
  /// The share of a step's launches whose kernels are missing in the trace, among launches that
  /// have kernels elsewhere; 1 if the step has no kernels.
  [[nodiscard]] double lost_in(const TraceSpan& step) const;
  /// The number of kernels that a step launched, with the time of those that compute.
  [[nodiscard]] KernelSum kernels_in(const TraceSpan& step) const;
  /// Whether most kernels share their launch with others.
  [[nodiscard]] bool launches_graphs() const;

 private:
  [[nodiscard]] WorkPhase phase_of(const DeviceWork& work, std::int64_t thread) const;
  [[nodiscard]] std::size_t collective_of(const DeviceWork& work) const;
  [[nodiscard]] std::span<const DeviceWork> all_in(const TraceSpan& step) const;

  const ChromeTrace& trace_;
  const OperatorTree& tree_;
  std::vector<DeviceWork> work_;       // in the order of launches
  std::vector<double> lost_us_;        // times of launches without a kernel, in order
  std::vector<std::uint8_t> reduces_;  // by event: whether it belongs to a collective
};

/// Whether an operator with this name marks the phase for itself and everything inside it.
bool is_optimizer(std::string_view op);
bool is_backward(std::string_view op);

/// The time of `spans`, which are merged and in time order, within `step`.
double within(const std::vector<TraceSpan>& spans, const TraceSpan& step);

}  // namespace foretrain
