#include "scenarios/import/torch_trace.h"

#include "scenarios/import/parameter_evidence.h"
#include "scenarios/import/trace_layers.h"
#include "scenarios/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr double kMicro_s = 1e-6;
constexpr std::string_view kHook =
    "or write layers.csv by foretrain_profile.py, which asks the program itself";

class TraceJob {
 public:
  explicit TraceJob(const ChromeTrace& trace)
      : trace_(trace),
        tree_(trace),
        work_(trace, tree_),
        all_busy_(work_.busy(true)),
        own_busy_(work_.busy(false)) {
    check_device();
    find_steps();
    job_.source = trace.source;
    job_.device = trace.device;
    job_.workers = static_cast<int>(std::clamp<std::int64_t>(trace.workers, 1, 1'000'000));
  }

  ImportedJob take() {
    const std::vector<DeviceWork> last = work_.launched_in(steps_.back(), thread_);
    const auto layers = TraceLayers::of(trace_, tree_, last, steps_.back(), thread_);
    if (!layers) fail_sizes();
    job_.layers = layers->layers();
    job_.batch = layers->batch();
    job_.type = layers->type();
    job_.parameters = layers->parameters();
    job_.reduced = reduced_by(trace_, last);
    int counted = 0;
    for (const TraceSpan& step : steps_) counted += add_step(step) ? 1 : 0;
    note(counted);
    divide_by(counted);
    if (auto doubt = doubt_about_parameters(trace_, last, steps_.back(), *layers)) {
      job_.notes.push_back(std::move(*doubt));
    }
    return std::move(job_);
  }

 private:
  [[noreturn]] void fail(std::string_view what) const {
    throw InputError(fmt::format("{}: {}", trace_.source, what));
  }
  [[noreturn]] void fail_sizes() const {
    fail(fmt::format(
        "no operator has the shapes of its parameters, no collective says how much it reduces, so "
        "nothing says how large the layers are; profile with record_shapes=True, {}",
        kHook));
  }

  void check_device() const {
    const auto is = [](TraceKind kind) {
      return [kind](const TraceEvent& event) { return event.kind == kind; };
    };
    if (std::ranges::none_of(trace_.events, is(TraceKind::device))) {
      fail(
          fmt::format("no kernel of a device is in it, only what the host did; profile with "
                      "ProfilerActivity.CUDA, {}",
                      kHook));
    }
    for (const TraceEvent& event : trace_.events) {
      if (event.kind != TraceKind::launch || trace_.name_of(event) != "cudaGraphLaunch") continue;
      fail(
          fmt::format("a CUDA graph is launched: its kernels name no operator, so no layer; "
                      "profile without graphs, {}",
                      kHook));
    }
  }

  // And the thread that takes them.
  void find_steps() {
    std::vector<TraceSpan> steps;
    for (const TraceEvent& event : trace_.events) {
      if (event.kind != TraceKind::op || !trace_.name_of(event).starts_with(kStepName)) continue;
      steps.push_back({event.start_us, event.end_us()});
      thread_ = event.thread;
    }
    steps_seen_ = steps.size();
    steps_ = measured_steps(std::move(steps));
    if (!steps_.empty()) return;
    TraceSpan whole{trace_.events.front().start_us, 0};
    std::map<std::int64_t, double> forward;  // by thread
    for (const TraceEvent& event : trace_.events) {
      whole.start_us = std::min(whole.start_us, event.start_us);
      whole.end_us = std::max(whole.end_us, event.end_us());
      if (event.kind == TraceKind::op && !is_backward(trace_.name_of(event))) {
        forward[event.thread] += event.duration_us;
      }
    }
    const auto most = std::ranges::max_element(forward, {}, [](const auto& f) { return f.second; });
    if (most != forward.end()) thread_ = most->first;
    whole.end_us += 1;
    steps_ = {whole};
  }

  // False: it does something else than the last one.
  bool add_step(const TraceSpan& step) {
    const std::vector<DeviceWork> work = work_.launched_in(step, thread_);
    const auto layers = TraceLayers::of(trace_, tree_, work, step, thread_);
    if (!layers || layers->layers().size() != job_.layers.size()) return false;
    for (std::size_t i = 0; i < job_.layers.size(); ++i) {
      if (layers->layers()[i].parameters != job_.layers[i].parameters) return false;
    }
    layers->add_times(work, job_.layers);
    for (const DeviceWork& each : work) {
      const double time_s = trace_.events[each.event].duration_us * kMicro_s;
      if (each.phase == WorkPhase::forward) job_.forward_s += time_s;
      if (each.phase == WorkPhase::backward) job_.backward_s += time_s;
      if (each.phase == WorkPhase::optimizer) job_.optimizer_s += time_s;
    }
    const double busy = within(all_busy_, step);
    job_.step_s += (step.end_us - step.start_us) * kMicro_s;
    job_.communication_s += (busy - within(own_busy_, step)) * kMicro_s;
    job_.input_wait_s += input_wait_us(step) * kMicro_s;
    return true;
  }

  /// While the step's thread waits for its batch, the device does nothing.
  [[nodiscard]] double input_wait_us(const TraceSpan& step) const {
    double waited = 0;
    for (const std::size_t event : tree_.of_thread(thread_)) {
      const TraceEvent& op = trace_.events[event];
      if (!step.has(op.start_us) || !trace_.name_of(op).starts_with("enumerate(DataLoader)")) {
        continue;
      }
      const TraceSpan span{op.start_us, std::min(op.end_us(), step.end_us)};
      waited += span.end_us - span.start_us - within(all_busy_, span);
    }
    return waited;
  }

  void divide_by(int steps) {
    for (double* each : {&job_.step_s, &job_.forward_s, &job_.backward_s, &job_.optimizer_s,
                         &job_.communication_s, &job_.input_wait_s}) {
      *each /= steps;
    }
    for (ImportedLayer& layer : job_.layers) {
      layer.forward_s /= steps;
      layer.backward_s /= steps;
    }
    const double rest = job_.step_s - job_.forward_s - job_.backward_s - job_.optimizer_s -
                        job_.communication_s - job_.input_wait_s;
    job_.launch_gap_s = std::max(0.0, rest);
    if (rest < 0) lengthen_step(-rest);
  }

  // Kernels that run beside each other, or on beyond the step's end, add up to more than it took.
  void lengthen_step(double by_s) {
    constexpr double kSeen_s = 0.5e-6;  // times are told to the microsecond
    const double took_s = job_.step_s;
    job_.step_s += by_s;
    if (by_s < kSeen_s) return;
    const auto ms = [](double time_s) { return 1e3 * time_s; };
    job_.notes.push_back(
        fmt::format("A step took {:.3f} ms, its parts add up to {:.3f} ms more: kernels ran beside "
                    "each other, or beyond its end. It counts as the sum, {:.3f} ms.",
                    ms(took_s), ms(by_s), ms(job_.step_s)));
  }

  // What measured_steps() does, in words.
  [[nodiscard]] std::string steps_note(int counted) const {
    if (steps_seen_ == 0) {
      return "No step is marked, so the whole trace counts as one; call step() of "
             "torch.profiler.profile.";
    }
    if (steps_seen_ == 1) {
      return "The only step counts, with the profiler's own start and end in it.";
    }
    constexpr std::size_t kBothEnds = 3;  // of more steps the second is left out, too
    const std::string_view left_out = steps_seen_ < kBothEnds    ? "first is"
                                      : steps_seen_ == kBothEnds ? "first and the last are"
                                                                 : "first two and the last are";
    // Of a long trace they are from its middle.
    const bool of_profiler = trace_.passed_over == 0;
    return fmt::format("{} of {} steps count{}: the {} left out{}.", counted, steps_seen_,
                       counted == 1 ? "s" : "", left_out,
                       of_profiler ? ", for the profiler's own start and end" : "");
  }

  void note(int counted) {
    std::vector<std::string>& notes = job_.notes;
    notes.push_back(steps_note(counted));
    const auto different = static_cast<int>(steps_.size()) - counted;
    if (different > 0) {
      notes.push_back(fmt::format("{} steps had other layers than the last.", different));
    }
    if (trace_.passed_over > 0) {
      notes.push_back(fmt::format("{} events of other steps were passed over: the trace is long.",
                                  trace_.passed_over));
    }
    if (job_.type == "c10::Half" || job_.type == "c10::BFloat16") {
      notes.emplace_back(
          fmt::format("Parameters are {} where they are used; under autocast what is "
                      "learned is float, and so are gradients: double parameter_bytes.",
                      job_.type));
    }
    if (!job_.reduced.empty()) {
      notes.emplace_back(
          "Collectives count by their bytes: their times have the wait for others in "
          "them.");
    }
  }

  const ChromeTrace& trace_;
  OperatorTree tree_;
  TraceWork work_;
  std::vector<TraceSpan> all_busy_;
  std::vector<TraceSpan> own_busy_;
  std::vector<TraceSpan> steps_;
  std::size_t steps_seen_ = 0;
  std::int64_t thread_ = 0;
  ImportedJob job_;
};

}  // namespace

ImportedJob job_of(const ChromeTrace& trace) { return TraceJob(trace).take(); }

}  // namespace foretrain
