#include "scenarios/import/operator_tree.h"

#include <algorithm>

namespace foretrain {

OperatorTree::OperatorTree(const ChromeTrace& trace)
    : trace_(trace), parents_(trace.events.size(), kNone) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    if (trace.events[i].kind == TraceKind::op) threads_[trace.events[i].thread].push_back(i);
  }
  for (auto& [thread, events] : threads_) {
    std::ranges::stable_sort(events, [&](std::size_t a, std::size_t b) {
      const TraceEvent& one = trace_.events[a];
      const TraceEvent& other = trace_.events[b];
      if (one.start_us != other.start_us) return one.start_us < other.start_us;
      return one.duration_us > other.duration_us;
    });
    std::vector<std::size_t> around;
    for (const std::size_t event : events) {
      const double begin = trace_.events[event].start_us;
      while (!around.empty() && trace_.events[around.back()].end_us() <= begin &&
             trace_.events[around.back()].start_us < begin) {
        around.pop_back();
      }
      if (!around.empty()) parents_[event] = around.back();
      around.push_back(event);
    }
  }
}

std::size_t OperatorTree::innermost(std::int64_t thread, double us) const {
  const std::vector<std::size_t>& events = of_thread(thread);
  const auto after = std::ranges::upper_bound(
      events, us, {}, [&](std::size_t event) { return trace_.events[event].start_us; });
  if (after == events.begin()) return kNone;
  std::size_t event = *(after - 1);
  while (event != kNone && trace_.events[event].end_us() < us) event = parents_[event];
  return event;
}

const std::vector<std::size_t>& OperatorTree::of_thread(std::int64_t thread) const {
  static const std::vector<std::size_t> nobody;
  const auto found = threads_.find(thread);
  return found == threads_.end() ? nobody : found->second;
}

std::span<const std::size_t> OperatorTree::of_thread(std::int64_t thread,
                                                     const TraceSpan& span) const {
  const std::vector<std::size_t>& events = of_thread(thread);
  const auto begin_us = [&](std::size_t event) { return trace_.events[event].start_us; };
  const auto first = std::ranges::lower_bound(events, span.start_us, {}, begin_us);
  return {first, std::ranges::lower_bound(first, events.end(), span.end_us, {}, begin_us)};
}

}  // namespace foretrain
