// Which operator ran within which, on each thread of the host.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/trace_steps.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace foretrain {

/// Operators of a thread are nested: one that begins within another ends within it. Where a trace's
/// clock makes the inner one end later by a tick, it counts as within.
class OperatorTree {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// `trace` outlives it.
  explicit OperatorTree(const ChromeTrace& trace);

  /// The innermost operator of the thread that runs at that time: its place in `trace.events`.
  [[nodiscard]] std::size_t innermost(std::int64_t thread, double us) const;
  /// Around that one; kNone: nobody.
  [[nodiscard]] std::size_t parent(std::size_t event) const { return parents_[event]; }
  /// Of a thread, by their begin.
  [[nodiscard]] const std::vector<std::size_t>& of_thread(std::int64_t thread) const;
  /// Those of them that begin within the span.
  [[nodiscard]] std::span<const std::size_t> of_thread(std::int64_t thread,
                                                       const TraceSpan& span) const;

 private:
  const ChromeTrace& trace_;
  std::vector<std::size_t> parents_;  // by event
  std::unordered_map<std::int64_t, std::vector<std::size_t>> threads_;
};

}  // namespace foretrain
