#include "scenarios/import/trace_layers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain {
namespace {

constexpr int kUsualWidth = 4;
constexpr std::int64_t kMostNumbers = 1'000'000'000'000;  // per tensor

// Numbers in a tensor; 0 if it is not a tensor or unreasonably large.
std::int64_t numbers_of(const TraceTensor& tensor) {
  if (tensor.shape.empty()) return 0;
  std::int64_t product = 1;
  for (const std::int64_t size : tensor.shape) {
    if (size <= 0 || product > kMostNumbers / size) return 0;
    product *= size;
  }
  return product;
}

}  // namespace

std::vector<Reduced> reduced_by(const ChromeTrace& trace, const std::vector<DeviceWork>& work) {
  std::vector<Reduced> all;
  std::size_t last = OperatorTree::kNone;  // several kernels may serve one operator
  for (const DeviceWork& each : work) {
    if (each.collective == OperatorTree::kNone || each.collective == last) continue;
    last = each.collective;
    const TraceEvent& said = trace.events[last];
    if (said.collective != TraceCollective::all_reduce) continue;
    if (said.numbers <= 0 || said.numbers > kMostNumbers) continue;
    const int width = said.width > 0 ? said.width : kUsualWidth;
    all.push_back({trace.events[each.launch].start_us, said.numbers, {said.numbers * width}});
  }
  return all;
}

std::optional<TraceLayers> TraceLayers::of(const ChromeTrace& trace, const OperatorTree& tree,
                                           const std::vector<DeviceWork>& work,
                                           const TraceSpan& step, std::int64_t thread) {
  TraceLayers found(trace, tree);
  found.find_owners(step, thread);
  if (found.layers_.empty()) found.find_reduced(work);
  if (found.layers_.empty()) return std::nullopt;
  if (found.by_shapes()) found.find_passes(work);
  return found;
}

// Whether a forward operator owns parameters and none around it owns the same ones.
bool TraceLayers::is_owner(std::size_t event) const {
  const TraceEvent& op = trace_.events[event];
  if (op.arguments == 0) return false;
  for (std::size_t around = tree_.parent(event); around != OperatorTree::kNone;
       around = tree_.parent(around)) {
    const std::string_view name = trace_.name_of(trace_.events[around]);
    if (!weight_arguments(name).empty() || is_backward(name) || is_optimizer(name)) return false;
  }
  return true;
}

void TraceLayers::find_owners(const TraceSpan& step, std::int64_t thread) {
  const std::span<const std::size_t> ops = tree_.of_thread(thread, step);
  for (const std::size_t event : ops) {
    if (is_owner(event)) add_owner(event);
  }
  if (layers_.empty()) return;
  for (const std::size_t event : ops) {
    const TraceEvent& op = trace_.events[event];
    if (op.sequence < 0) continue;
    // Operators that need no gradient have the number of the next one that does.
    by_sequence_[op.sequence] = begun_by(op.start_us);
  }
}

void TraceLayers::add_owner(std::size_t event) {
  const TraceEvent& op = trace_.events[event];
  const std::vector<TraceTensor>& arguments = trace_.arguments[op.arguments - 1];
  ImportedLayer layer;
  const TraceTensor* first = nullptr;
  for (const int place : weight_arguments(trace_.name_of(op))) {
    const auto i = static_cast<std::size_t>(place);
    if (i >= arguments.size()) continue;
    const std::int64_t numbers = numbers_of(arguments[i]);
    if (numbers == 0) continue;
    const int width = width_of_type(arguments[i].type).value_or(kUsualWidth);
    layer.parameters += Bytes{numbers * width};
    parameters_ += numbers;
    ++tensors_;
    if (first == nullptr || numbers > numbers_of(*first)) first = &arguments[i];
  }
  if (first == nullptr) return;
  std::string_view name = trace_.name_of(op);
  name.remove_prefix(std::string_view("aten::").size());
  layer.name = fmt::format("{} {} {}", layers_.size() + 1, name, fmt::join(first->shape, "x"));
  if (type_.empty()) type_ = first->type;
  if (batch_ == 0) {
    const std::size_t input = name.starts_with("embedding") ? 1 : 0;
    const std::vector<std::int64_t>& shape = arguments[std::min(input, arguments.size() - 1)].shape;
    if (name != "addmm" && shape.size() > 1) batch_ = shape.front();
  }
  layers_.push_back(std::move(layer));
  begins_.push_back(op.start_us);
}

// The layer that began last, in any pass; the first layer if none has begun.
std::size_t TraceLayers::begun_by(double us) const {
  const auto after = std::ranges::upper_bound(begins_, us);
  if (after == begins_.begin()) return 0;
  return (static_cast<std::size_t>(after - begins_.begin()) - 1) % layers_.size();
}

void TraceLayers::find_reduced(const std::vector<DeviceWork>& work) {
  for (const Reduced& each : reduced_by(trace_, work)) {
    reduced_.push_back(each.launch_us);
    layers_.push_back({fmt::format("reduced {}", reduced_.size()), each.size, 0, 0});
    parameters_ += each.numbers;
  }
  if (layers_.empty()) return;
  std::ranges::reverse(layers_);
  for (const DeviceWork& each : work) {
    if (each.phase != WorkPhase::backward) continue;
    for (std::size_t op = each.op; op != OperatorTree::kNone; op = tree_.parent(op)) {
      const std::int64_t sequence = trace_.events[op].sequence;
      if (sequence >= 0) by_sequence_.emplace(sequence, reduced_after(each));
    }
  }
}

// The layer of the next all-reduce launched after the work, or of the last one.
std::size_t TraceLayers::reduced_after(const DeviceWork& work) const {
  const auto next = std::ranges::lower_bound(reduced_, trace_.events[work.launch].start_us);
  const auto place = static_cast<std::size_t>(next - reduced_.begin());
  return layers_.size() - 1 - std::min(place, layers_.size() - 1);
}

std::optional<std::size_t> TraceLayers::by_sequence(std::size_t op) const {
  for (; op != OperatorTree::kNone; op = tree_.parent(op)) {
    const std::int64_t sequence = trace_.events[op].sequence;
    if (sequence < 0) continue;
    const auto found = by_sequence_.find(sequence);
    if (found != by_sequence_.end()) return found->second;
  }
  return std::nullopt;
}

void TraceLayers::add_times(const std::vector<DeviceWork>& work,
                            std::vector<ImportedLayer>& to) const {
  constexpr double kMicro = 1e-6;
  const bool by_reduced = begins_.empty();
  std::size_t forward = 0;
  std::size_t backward = layers_.size() - 1;
  for (const DeviceWork& each : work) {
    const double time_s = trace_.events[each.event].duration_us * kMicro;
    if (each.phase == WorkPhase::forward) {
      forward = by_reduced ? by_sequence(each.op).value_or(forward)
                           : begun_by(trace_.events[each.launch].start_us);
      to[forward].forward_s += time_s;
    } else if (each.phase == WorkPhase::backward) {
      backward = by_reduced ? reduced_after(each) : by_sequence(each.op).value_or(backward);
      to[backward].backward_s += time_s;
    }
  }
}

}  // namespace foretrain
