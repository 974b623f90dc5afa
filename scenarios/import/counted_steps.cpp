#include "scenarios/import/counted_steps.h"

#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>

namespace foretrain {

CountedSteps::CountedSteps(const ChromeTrace& trace, const TraceWork& work)
    : of_profiler_(trace.passed_over == 0) {
  if (trace.events.empty()) return;
  find_marks(trace);
  if (marks_.empty()) take_whole_trace(trace);
  find_updates(trace);
  count(work);
}

namespace {

// Whether a mark is around others of its thread: the next one ends, the one after begins within it.
bool is_around(std::span<const TraceEvent* const> marks) {
  if (marks.size() < 3 || marks[0]->thread != marks[2]->thread) return false;
  const double slack_us = 0.01 * marks[0]->duration_us;
  return marks[1]->end_us() <= marks[0]->end_us() + slack_us &&
         marks[2]->start_us < marks[0]->end_us() - slack_us;
}

}  // namespace

void CountedSteps::find_marks(const ChromeTrace& trace) {
  std::vector<const TraceEvent*> all;
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::op && trace.name_of(event).starts_with(kStepName)) {
      all.push_back(&event);
    }
  }
  const auto begin = [](const TraceEvent* e) { return std::pair(e->start_us, -e->duration_us); };
  std::ranges::stable_sort(all, {},
                           [&](const TraceEvent* e) { return std::pair(e->thread, begin(e)); });
  std::vector<const TraceEvent*> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_around(std::span(all).subspan(i))) found.push_back(all[i]);
  }
  around_ = all.size() - found.size();
  std::ranges::stable_sort(found, {}, begin);
  const TraceEvent* before = nullptr;
  for (const TraceEvent* event : found) {
    const TraceSpan span{event->start_us, event->end_us()};
    // Tolerance for the clock's resolution.
    const double slack = 0.01 * event->duration_us;
    if (before != nullptr && span.start_us < marks_.back().end_us - slack) {
      if (before->thread != event->thread || before->name == event->name) {
        throw InputError(fmt::format(
            "{}: steps of threads {} and {} overlap, so it contains several trainings or merged "
            "ranks; give the trace of one of them",
            trace.source, before->thread, event->thread));
      }
      ++overlapping_;
      if (span.end_us <= marks_.back().end_us + slack) continue;
      marks_.back().end_us = span.start_us;
    }
    marks_.push_back(span);
    before = event;
    thread_ = event->thread;
  }
}

void CountedSteps::take_whole_trace(const ChromeTrace& trace) {
  TraceSpan whole{trace.events.front().start_us, 0};
  whole.end_us = whole.start_us;
  std::map<std::int64_t, double> forward;  // by thread
  for (const TraceEvent& event : trace.events) {
    whole.start_us = std::min(whole.start_us, event.start_us);
    whole.end_us = std::max(whole.end_us, event.end_us());
    if (event.kind == TraceKind::op && !is_backward(trace.name_of(event))) {
      forward[event.thread] += event.duration_us;
    }
  }
  const auto most = std::ranges::max_element(forward, {}, [](const auto& f) { return f.second; });
  if (most != forward.end()) thread_ = most->first;
  whole.end_us += 1;
  counted_ = {whole};
}

std::ptrdiff_t CountedSteps::updates_in(const TraceSpan& step) const {
  const auto first = std::ranges::lower_bound(updates_us_, step.start_us);
  return std::ranges::lower_bound(first, updates_us_.end(), step.end_us) - first;
}

void CountedSteps::find_updates(const ChromeTrace& trace) {
  for (const TraceEvent& event : trace.events) {
    if (event.kind == TraceKind::op && trace.name_of(event).starts_with("Optimizer.step")) {
      updates_us_.push_back(event.start_us);
    }
  }
  std::ranges::sort(updates_us_);
  std::vector<int> places;  // indices of steps that end in an update
  const int steps = static_cast<int>(marks_.size());
  for (int i = 0; i < steps; ++i) {
    if (updates(marks_[static_cast<std::size_t>(i)])) places.push_back(i);
  }
  if (places.empty() || std::ssize(places) == steps) return;
  const int outer = std::max(places.front() + 1, steps - places.back());
  least_known_ = places.size() == 1;
  const int apart = least_known_ ? outer : places[1] - places[0];
  in_turn_ = outer <= apart;
  for (std::size_t i = 1; i < places.size(); ++i) {
    in_turn_ = in_turn_ && places[i] - places[i - 1] == apart;
  }
  if (in_turn_) accumulate_ = apart;
}

void CountedSteps::count(const TraceWork& work) {
  constexpr double kNearly = 0.02;
  if (marks_.empty()) {
    lost_share_ = work.lost_in(counted_.front());
    return;
  }
  std::vector<double> lost;
  for (const TraceSpan& mark : marks_) lost.push_back(work.lost_in(mark));
  lost_share_ = std::ranges::min(lost);
  std::vector<TraceSpan> whole;
  for (std::size_t i = 0; i < marks_.size(); ++i) {
    if (lost[i] <= lost_share_ + kNearly) whole.push_back(marks_[i]);
  }
  lost_ = marks_.size() - whole.size();
  for (const TraceSpan& step : measured_steps(marks_)) {
    if (std::ranges::find(whole, step.start_us, &TraceSpan::start_us) != whole.end()) {
      counted_.push_back(step);
    }
  }
  leave_out_short(work, whole);
  none_usual_ = counted_.empty();
  if (none_usual_) counted_ = whole;
}

// Finds steps in which launches were lost with their kernels, by comparison with most steps.
void CountedSteps::leave_out_short(const TraceWork& work, std::vector<TraceSpan>& whole) {
  constexpr double kClearly = 0.95;
  for (const bool updating : {false, true}) {
    std::vector<double> counts;
    std::vector<double> times_us;
    for (const TraceSpan& step : whole) {
      if (updates(step) != updating) continue;
      counts.push_back(work.kernels_in(step).count);
      times_us.push_back(work.kernels_in(step).time_us);
    }
    if (counts.size() < 3) continue;
    std::ranges::sort(counts);
    std::ranges::sort(times_us);
    // The lower median, because first steps may run more kernels to choose among them.
    const std::size_t middle = (counts.size() - 1) / 2;
    const double count = counts[middle];
    const auto alike = std::ranges::count_if(
        counts, [&](double c) { return c >= kClearly * count && kClearly * c <= count; });
    if (2 * alike < std::ssize(counts)) continue;  // every step is different
    const auto is_short = [&](const TraceSpan& step) {
      const KernelSum kernels = work.kernels_in(step);
      return updates(step) == updating && kernels.count < count &&
             (kernels.count < kClearly * count || kernels.time_us < kClearly * times_us[middle]);
    };
    short_ += std::erase_if(counted_, is_short);
    std::erase_if(whole, is_short);
  }
}

const TraceSpan& CountedSteps::last() const {
  if (accumulate_ > 1) {
    for (auto step = counted_.rbegin(); step != counted_.rend(); ++step) {
      if (updates(*step)) return *step;
    }
  }
  return counted_.back();
}

// The selection by measured_steps(), in words.
std::string CountedSteps::taken(int alike) const {
  const std::size_t seen = marks_.size();
  if (seen == 0) {
    return "No step is marked, so the whole trace counts as one step; call step() of "
           "torch.profiler.profile.";
  }
  if (seen == 1) {
    return "The trace has only one step, which contains the start and end of the profiler.";
  }
  constexpr std::size_t kBothEnds = 3;  // with more steps the second is left out, too
  const std::string_view left_out = seen < kBothEnds    ? "first is"
                                    : seen == kBothEnds ? "first and the last are"
                                                        : "first two and the last are";
  const std::string count =
      fmt::format("{} of {} steps count{}", alike, seen, alike == 1 ? "s" : "");
  if (none_usual_) return count + ".";
  // A long trace was cut to its middle.
  return fmt::format("{}: the {} left out{}.", count, left_out,
                     of_profiler_ ? ", since the profiler starts or ends in them" : "");
}

std::vector<std::string> CountedSteps::notes(int alike) const {
  constexpr double kFew = 0.02;
  std::vector<std::string> notes{taken(alike)};
  if (lost_ > 0) {
    notes.push_back(fmt::format(
        "{} of {} steps lack kernels that they launched, which the profiler lost; these steps are "
        "left out.",
        lost_, marks_.size()));
  }
  if (short_ > 0) {
    notes.push_back(
        fmt::format("{} of {} steps have clearly fewer kernels than the others, as if the profiler "
                    "lost launches; these steps are left out.",
                    short_, marks_.size()));
  }
  if (lost_share_ > kFew && lost_share_ < 1) {
    notes.push_back(fmt::format(
        "{:.0f} % of the launches of a step have no kernel in the trace, so its times are too "
        "short.",
        100 * lost_share_));
  }
  if (around_ > 0) {
    notes.push_back(fmt::format("{} step marks contain other steps: they are ignored.", around_));
  }
  if (overlapping_ > 0) {
    notes.push_back(fmt::format("{} steps overlap the step before: overlapping time counts once.",
                                overlapping_));
  }
  if (accumulate_ > 1) {
    notes.push_back(fmt::format(
        "The optimizer runs once after {} marked steps{}, so they are micro-batches: job.yaml has "
        "accumulate: {}.",
        accumulate_, least_known_ ? " or more (the trace has it only once)" : "", accumulate_));
  }
  if (!in_turn_) {
    notes.emplace_back(
        "The optimizer runs irregularly in some of the steps: its time is the mean over all.");
  }
  if (updates_us_.empty()) {
    notes.emplace_back(
        "No Optimizer.step is marked: the time of updates counts as forward or backward.");
  }
  return notes;
}

}  // namespace foretrain
