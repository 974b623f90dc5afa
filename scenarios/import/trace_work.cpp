#include "scenarios/import/trace_work.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace foretrain {

bool is_optimizer(std::string_view op) {
  return op.starts_with("Optimizer.step") || op.starts_with("Optimizer.zero_grad");
}

// Backward operators: `autograd::engine::evaluate_function: ConvolutionBackward0`,
// `NllLossBackward`.
bool is_backward(std::string_view op) {
  if (op.starts_with("autograd::engine")) return true;
  const std::size_t place = op.rfind("Backward");
  if (place == std::string_view::npos || op.starts_with("aten::")) return false;
  return op.substr(place + 8).find_first_not_of("0123456789") == std::string_view::npos;
}

TraceWork::TraceWork(const ChromeTrace& trace, const OperatorTree& tree)
    : trace_(trace), tree_(tree), reduces_(trace.events.size()) {
  std::unordered_map<std::int64_t, std::size_t> launches;  // by correlation
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind == TraceKind::launch && event.correlation >= 0) {
      launches.emplace(event.correlation, i);
    }
  }
  std::vector<std::uint8_t> has_kernel(trace.events.size());
  std::vector<std::uint8_t> launches_kernels(trace.names.size());  // by name
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != TraceKind::device) continue;
    reduces_[i] = event.collective != TraceCollective::none ? 1 : 0;
    const auto launch = launches.find(event.correlation);
    if (launch == launches.end()) continue;
    const TraceEvent& by = trace.events[launch->second];
    has_kernel[launch->second] = launches_kernels[by.name] = 1;
    DeviceWork work{i, launch->second, tree.innermost(by.thread, by.start_us)};
    work.collective = collective_of(work);
    reduces_[i] = work.collective != OperatorTree::kNone ? 1 : 0;
    work_.push_back(work);
  }
  std::ranges::stable_sort(work_, {},
                           [&](const DeviceWork& w) { return trace.events[w.launch].start_us; });
  for (const auto& [correlation, launch] : launches) {
    const TraceEvent& event = trace.events[launch];
    if (has_kernel[launch] == 0 && launches_kernels[event.name] != 0) {
      lost_us_.push_back(event.start_us);
    }
  }
  std::ranges::sort(lost_us_);
}

// Prefers an event that gives the collective's size.
std::size_t TraceWork::collective_of(const DeviceWork& work) const {
  std::size_t found = OperatorTree::kNone;
  for (std::size_t event = work.event; event != OperatorTree::kNone;
       event = event == work.event ? work.op : tree_.parent(event)) {
    if (trace_.events[event].collective == TraceCollective::none) continue;
    if (trace_.events[event].numbers > 0) return event;
    if (found == OperatorTree::kNone) found = event;
  }
  return found;
}

std::span<const DeviceWork> TraceWork::all_in(const TraceSpan& step) const {
  const auto launched = [&](const DeviceWork& w) { return trace_.events[w.launch].start_us; };
  const auto first = std::ranges::lower_bound(work_, step.start_us, {}, launched);
  return {first, std::ranges::lower_bound(first, work_.end(), step.end_us, {}, launched)};
}

double TraceWork::lost_in(const TraceSpan& step) const {
  const auto first = std::ranges::lower_bound(lost_us_, step.start_us);
  const auto last = std::ranges::lower_bound(first, lost_us_.end(), step.end_us);
  const auto lost = static_cast<double>(last - first);
  const auto found = static_cast<double>(all_in(step).size());
  return found > 0 ? lost / (lost + found) : 1;
}

KernelSum TraceWork::kernels_in(const TraceSpan& step) const {
  const std::span<const DeviceWork> launched = all_in(step);
  KernelSum sum{static_cast<double>(launched.size()), 0};
  for (const DeviceWork& each : launched) {
    if (each.collective == OperatorTree::kNone)
      sum.time_us += trace_.events[each.event].duration_us;
  }
  return sum;
}

bool TraceWork::launches_graphs() const {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < work_.size(); ++i) {
    const bool as_before = i > 0 && work_[i].launch == work_[i - 1].launch;
    const bool as_behind = i + 1 < work_.size() && work_[i].launch == work_[i + 1].launch;
    shared += as_before || as_behind ? 1 : 0;
  }
  return 2 * shared > work_.size();
}

std::vector<DeviceWork> TraceWork::launched_in(const TraceSpan& step, std::int64_t thread) const {
  std::vector<DeviceWork> found;
  for (DeviceWork work : all_in(step)) {
    work.phase = phase_of(work, thread);
    found.push_back(work);
  }
  return found;
}

WorkPhase TraceWork::phase_of(const DeviceWork& work, std::int64_t thread) const {
  if (work.collective != OperatorTree::kNone) return WorkPhase::communication;
  bool backward = trace_.events[work.launch].thread != thread;
  for (std::size_t op = work.op; op != OperatorTree::kNone; op = tree_.parent(op)) {
    const std::string_view name = trace_.name_of(trace_.events[op]);
    if (is_optimizer(name)) return WorkPhase::optimizer;
    backward = backward || is_backward(name);
  }
  return backward ? WorkPhase::backward : WorkPhase::forward;
}

std::vector<TraceSpan> TraceWork::busy(bool with_communication) const {
  std::vector<TraceSpan> spans;
  for (std::size_t i = 0; i < trace_.events.size(); ++i) {
    const TraceEvent& event = trace_.events[i];
    if (event.kind != TraceKind::device) continue;
    if (!with_communication && reduces_[i] != 0) continue;
    spans.push_back({event.start_us, event.end_us()});
  }
  std::ranges::sort(spans, {}, &TraceSpan::start_us);
  std::vector<TraceSpan> joined;
  for (const TraceSpan& span : spans) {
    if (!joined.empty() && span.start_us <= joined.back().end_us) {
      joined.back().end_us = std::max(joined.back().end_us, span.end_us);
    } else {
      joined.push_back(span);
    }
  }
  return joined;
}

double within(const std::vector<TraceSpan>& spans, const TraceSpan& step) {
  double sum = 0;
  for (auto span = std::ranges::upper_bound(spans, step.start_us, {}, &TraceSpan::end_us);
       span != spans.end() && span->start_us < step.end_us; ++span) {
    sum += std::min(step.end_us, span->end_us) - std::max(step.start_us, span->start_us);
  }
  return sum;
}

}  // namespace foretrain
