#include "scenarios/import/trace_work.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

namespace foretrain {

bool is_optimizer(std::string_view op) {
  return op.starts_with("Optimizer.step") || op.starts_with("Optimizer.zero_grad");
}

// `autograd::engine::evaluate_function: ConvolutionBackward0`, `NllLossBackward`.
bool is_backward(std::string_view op) {
  if (op.starts_with("autograd::engine")) return true;
  const std::size_t place = op.rfind("Backward");
  if (place == std::string_view::npos || op.starts_with("aten::")) return false;
  return op.substr(place + 8).find_first_not_of("0123456789") == std::string_view::npos;
}

TraceWork::TraceWork(const ChromeTrace& trace, const OperatorTree& tree)
    : trace_(trace), tree_(tree) {
  std::unordered_map<std::int64_t, std::size_t> launches;  // by correlation
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind == TraceKind::launch && event.correlation >= 0) {
      launches.emplace(event.correlation, i);
    }
  }
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const TraceEvent& event = trace.events[i];
    if (event.kind != TraceKind::device) continue;
    const auto launch = launches.find(event.correlation);
    if (launch == launches.end()) continue;
    const TraceEvent& by = trace.events[launch->second];
    work_.push_back({i, launch->second, tree.innermost(by.thread, by.start_us)});
  }
  std::ranges::stable_sort(work_, {},
                           [&](const DeviceWork& w) { return trace.events[w.launch].start_us; });
}

std::vector<DeviceWork> TraceWork::launched_in(const TraceSpan& step, std::int64_t thread) const {
  std::vector<DeviceWork> found;
  for (DeviceWork work : work_) {
    if (!step.has(trace_.events[work.launch].start_us)) continue;
    work.phase = phase_of(work, thread);
    found.push_back(work);
  }
  return found;
}

bool TraceWork::communicates(const TraceEvent& event) const {
  const std::string_view name = trace_.name_of(event);
  return name.starts_with("nccl") || name.starts_with("rccl");
}

WorkPhase TraceWork::phase_of(const DeviceWork& work, std::int64_t thread) const {
  if (communicates(trace_.events[work.event])) return WorkPhase::communication;
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
  for (const TraceEvent& event : trace_.events) {
    if (event.kind != TraceKind::device) continue;
    if (!with_communication && communicates(event)) continue;
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
  for (const TraceSpan& span : spans) {
    if (!step.overlaps(span)) continue;
    sum += std::min(step.end_us, span.end_us) - std::max(step.start_us, span.start_us);
  }
  return sum;
}

}  // namespace foretrain
