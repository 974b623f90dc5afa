#include "scenarios/import/torch_trace.h"

#include "scenarios/import/counted_steps.h"
#include "scenarios/import/trace_layers.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr double kMicro_s = 1e-6;
constexpr std::string_view kHook =
    "or make layers.csv with foretrain_profile.py, which measures the program itself";

class TraceJob {
 public:
  explicit TraceJob(const ChromeTrace& trace)
      : trace_(trace),
        tree_(trace),
        work_(trace, tree_),
        all_busy_(work_.busy(true)),
        own_busy_(work_.busy(false)),
        steps_(trace, work_) {
    check_device();
    job_.source = trace.source;
    job_.device = trace.device;
    job_.workers = static_cast<int>(std::clamp<std::int64_t>(trace.workers, 1, 1'000'000));
    job_.accumulate = steps_.accumulate();
  }

  ImportedJob take() {
    const TraceSpan& last = steps_.last();
    const std::vector<DeviceWork> work = work_.launched_in(last, steps_.thread());
    auto layers = TraceLayers::of(trace_, tree_, work, last, steps_.thread());
    if (!layers) fail_sizes();
    if (steps_.updates_in(last) == 1) passes_ = layers->fold();
    job_.layers = layers->layers();
    job_.batch = layers->batch();
    job_.type = layers->type();
    job_.parameters = layers->parameters();
    for (const Reduced& each : reduced_by(trace_, work)) job_.reduced.push_back(each.size);
    for (Sum& sum : sums_) sum.job.layers = job_.layers;
    for (const TraceSpan& step : steps_.all()) add_step(step);
    add_up();
    take_one_pass();
    check_whole();
    note();
    if (auto doubt = doubt_about_parameters(trace_, work, last, *layers, passes_)) {
      job_.notes.push_back(std::move(*doubt));
    }
    return std::move(job_);
  }

 private:
  /// Sums over steps with an update, or over the others.
  struct Sum {
    ImportedJob job;
    int steps = 0;
  };
  static constexpr std::array kParts{&ImportedJob::step_s,          &ImportedJob::forward_s,
                                     &ImportedJob::backward_s,      &ImportedJob::optimizer_s,
                                     &ImportedJob::communication_s, &ImportedJob::input_wait_s};

  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {}", trace_.source, what));
  }
  [[noreturn]] void fail_sizes() const {
    fail(fmt::format(
        "no operator has shapes of parameters and no collective its size, so the size of layers is "
        "not known; profile with record_shapes=True, {}",
        kHook));
  }

  void check_device() const {
    const auto is = [](TraceKind kind) {
      return [kind](const TraceEvent& event) { return event.kind == kind; };
    };
    if (std::ranges::none_of(trace_.events, is(TraceKind::device))) {
      fail(
          fmt::format("it has no kernels of a device, only events of the host; profile with "
                      "ProfilerActivity.CUDA, or that of your device, {}",
                      kHook));
    }
    const bool launches_graph = std::ranges::any_of(trace_.events, [&](const TraceEvent& event) {
      return event.kind == TraceKind::launch && is_graph_launch(trace_.name_of(event));
    });
    if (launches_graph || work_.launches_graphs()) {
      fail(fmt::format(
          "it launches a CUDA graph (or another vendor's), whose kernels name no operator; profile "
          "without graphs, {}",
          kHook));
    }
  }

  // Rejects traces that cannot be of a training.
  void check_whole() const {
    if (job_.forward_s + job_.backward_s == 0) {
      fail(fmt::format(
          "no kernel of its steps has its launch in the trace (an event of category *_runtime or "
          "*_driver with the same correlation), so its operator is not known; {}",
          kHook));
    }
    const bool goes_back =
        job_.backward_s > 0 || std::ranges::any_of(trace_.events, [&](const TraceEvent& event) {
          return event.kind == TraceKind::op && is_backward(trace_.name_of(event));
        });
    if (!goes_back) {
      fail(
          "it has no backward pass, so it is an inference, not a training; profile whole steps, "
          "from the batch to optimizer.step()");
    }
    constexpr double kMost_s = 3600;
    if (job_.step_s > kMost_s) {
      fail(fmt::format(
          "a step takes {:.4g} s by its time stamps, more than an hour; check ts and dur, which "
          "are in microseconds",
          job_.step_s));
    }
  }

  // Adds a step; skips it if its work differs from the last step's.
  void add_step(const TraceSpan& step) {
    const std::vector<DeviceWork> work = work_.launched_in(step, steps_.thread());
    auto layers = TraceLayers::of(trace_, tree_, work, step, steps_.thread());
    const bool folds = passes_ > 1 && steps_.updates_in(step) <= 1;
    if (!layers || (folds ? layers->fold() : 1) != passes_ ||
        !std::ranges::equal(layers->layers(), job_.layers, {}, &ImportedLayer::parameters,
                            &ImportedLayer::parameters)) {
      ++different_;
      return;
    }
    Sum& sum = sums_[steps_.updates(step) ? 1 : 0];
    ++sum.steps;
    layers->add_times(work, sum.job.layers);
    for (const DeviceWork& each : work) {
      const double time_s = trace_.events[each.event].duration_us * kMicro_s;
      if (each.phase == WorkPhase::forward) sum.job.forward_s += time_s;
      if (each.phase == WorkPhase::backward) sum.job.backward_s += time_s;
      if (each.phase == WorkPhase::optimizer) sum.job.optimizer_s += time_s;
    }
    const double busy = within(all_busy_, step);
    sum.job.step_s += (step.end_us - step.start_us) * kMicro_s;
    sum.job.communication_s += (busy - within(own_busy_, step)) * kMicro_s;
    sum.job.input_wait_s += input_wait_us(step) * kMicro_s;
  }

  // The mean, with one update per `accumulate` steps, whatever the numbers of both kinds in the
  // trace.
  void add_up() {
    const int apart = job_.accumulate;
    for (const Sum& sum : sums_) {
      if (sum.steps == 0) continue;
      const bool alone = apart == 1 || sum.steps == counted();
      const double share = alone                  ? 1.0 / counted()
                           : &sum == sums_.data() ? (1 - 1.0 / apart) / sum.steps
                                                  : 1.0 / apart / sum.steps;
      for (const auto part : kParts) job_.*part += share * (sum.job.*part);
      for (std::size_t i = 0; i < job_.layers.size(); ++i) {
        job_.layers[i].forward_s += share * sum.job.layers[i].forward_s;
        job_.layers[i].backward_s += share * sum.job.layers[i].backward_s;
      }
    }
    const double rest = job_.step_s - job_.forward_s - job_.backward_s - job_.optimizer_s -
                        job_.communication_s - job_.input_wait_s;
    job_.launch_gap_s = std::max(0.0, rest);
    if (rest < 0) lengthen_step(-rest);
    if (apart == 1) return;
    // If only steps with an update are complete, each of them has the whole update.
    if (sums_[0].steps > 0) {
      job_.optimizer_s *= apart;
    } else {
      job_.step_s -= job_.optimizer_s * (1 - 1.0 / apart);
    }
  }

  // For steps of several micro-batches: everything except the optimizer is divided equally.
  void take_one_pass() {
    if (passes_ == 1) return;
    job_.accumulate *= passes_;
    for (const auto part : kParts) {
      if (part != &ImportedJob::optimizer_s) job_.*part /= passes_;
    }
    job_.launch_gap_s /= passes_;
    for (ImportedLayer& layer : job_.layers) {
      layer.forward_s /= passes_;
      layer.backward_s /= passes_;
    }
  }

  [[nodiscard]] int counted() const { return sums_[0].steps + sums_[1].steps; }

  /// The time in which the step's thread waits for its batch, while the device is idle.
  [[nodiscard]] double input_wait_us(const TraceSpan& step) const {
    double waited = 0;
    for (const std::size_t event : tree_.of_thread(steps_.thread(), step)) {
      const TraceEvent& op = trace_.events[event];
      if (!trace_.name_of(op).starts_with("enumerate(DataLoader)")) continue;
      const TraceSpan span{op.start_us, std::min(op.end_us(), step.end_us)};
      waited += span.end_us - span.start_us - within(all_busy_, span);
    }
    return waited;
  }

  // Kernels that overlap, or run past the step's end, add up to more than the step.
  void lengthen_step(double by_s) {
    constexpr double kSeen_s = 0.5e-6;  // times are printed in microseconds
    const double took_s = job_.step_s;
    job_.step_s += by_s;
    if (by_s < kSeen_s) return;
    const auto ms = [](double time_s) { return 1e3 * time_s; };
    job_.notes.push_back(
        fmt::format("A step took {:.3f} ms, but its parts add up to {:.3f} ms more: kernels ran in "
                    "parallel, or beyond its end. The sum is used, {:.3f} ms.",
                    ms(took_s), ms(by_s), ms(job_.step_s)));
  }

  void note() {
    std::vector<std::string>& notes = job_.notes;
    const std::vector<std::string> of_steps = steps_.notes(counted());
    notes.insert(notes.begin(), of_steps.begin(), of_steps.end());
    notes.insert(notes.end(), trace_.notes.begin(), trace_.notes.end());
    if (different_ > 0) {
      notes.push_back(fmt::format("{} steps had other layers than the last one.", different_));
    }
    if (trace_.passed_over > 0) {
      notes.push_back(fmt::format("{} events of other steps were skipped: the trace is long.",
                                  trace_.passed_over));
    }
    if (passes_ > 1) {
      notes.push_back(fmt::format(
          "A step has {} equal forward and backward passes but one optimizer step, so they are "
          "micro-batches: parameters and times are of one, and job.yaml has accumulate: {}.",
          passes_, job_.accumulate));
    }
    note_idle();
    if (job_.type == "c10::Half" || job_.type == "c10::BFloat16") {
      notes.emplace_back(fmt::format(
          "Parameters are {} when used; under autocast the trained weights and gradients are "
          "float: double parameter_bytes.",
          job_.type));
    }
    if (!job_.reduced.empty()) {
      notes.emplace_back(
          "Collectives are forecast from their bytes: their recorded times include waiting for "
          "others.");
    }
  }

  // Notes that work seems to be missing.
  void note_idle() {
    constexpr double kMuch = 0.95;
    if (job_.launch_gap_s > kMuch * job_.step_s) {
      job_.notes.push_back(
          fmt::format("The device is idle for {:.1f} % of a step; is all of its work in the trace?",
                      100 * job_.launch_gap_s / job_.step_s));
    }
    Bytes idle;
    for (const ImportedLayer& layer : job_.layers) {
      if (layer.backward_s == 0) idle += layer.parameters;
    }
    const double share =
        static_cast<double>(idle.value) /
        static_cast<double>(std::max<std::int64_t>(1, job_.parameter_bytes().value));
    if (share > 1 - kMuch) {
      job_.notes.push_back(fmt::format(
          "Layers with {:.0f} % of the parameters have no backward work. If they are not trained, "
          "set their parameter_bytes in layers.csv to 0; else kernels are missing.",
          100 * share));
    }
  }

  const ChromeTrace& trace_;
  OperatorTree tree_;
  TraceWork work_;
  std::vector<TraceSpan> all_busy_;
  std::vector<TraceSpan> own_busy_;
  CountedSteps steps_;
  std::array<Sum, 2> sums_;  // of steps without, with an update
  int passes_ = 1;           // micro-batches per step
  int different_ = 0;
  ImportedJob job_;
};

}  // namespace

ImportedJob job_of(const ChromeTrace& trace) { return TraceJob(trace).take(); }

}  // namespace foretrain
