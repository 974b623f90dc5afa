// The nesting of operators on each thread of the host.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/trace_steps.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// Operators of a thread are nested: one that begins within another ends within it. An inner
/// operator that ends a clock tick later still counts as nested.
class OperatorTree {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// `trace` has to outlive the tree.
  explicit OperatorTree(const ChromeTrace& trace);

  /// The innermost operator that runs on the thread at that time, as an index in `trace.events`.
  [[nodiscard]] std::size_t innermost(std::int64_t thread, double us) const;
  /// The operator around this one; kNone if there is none.
  [[nodiscard]] std::size_t parent(std::size_t event) const { return parents_[event]; }
  /// The operators of a thread, sorted by begin.
  [[nodiscard]] const std::vector<std::size_t>& of_thread(std::int64_t thread) const;
  /// Those that begin within the span.
  [[nodiscard]] std::span<const std::size_t> of_thread(std::int64_t thread,
                                                       const TraceSpan& span) const;

 private:
  const ChromeTrace& trace_;
  std::vector<std::size_t> parents_;  // by event
  std::unordered_map<std::int64_t, std::vector<std::size_t>> threads_;
};

}  // namespace foretrain
