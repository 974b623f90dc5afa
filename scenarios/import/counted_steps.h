// Selection of a trace's steps, with the number of steps per update.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/import/trace_work.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Steps by the profiler's marks, which do not overlap; without marks the whole trace is one step.
/// A mark around the marks of other steps is not a step. Of `measured_steps` those with all their
/// kernels count:
///
///     launches   the share with kernels is that of the best step, within 2 %
///     kernels    their number is that of the median step with, or without, an update, within 5 %;
///                if it is lower at all, their compute time is equal, within 5 %
///
/// If none of these does, all marked steps with all their kernels count.
class CountedSteps {
 public:
  /// @throws InputError if steps of two threads overlap
  CountedSteps(const ChromeTrace& trace, const TraceWork& work);

  /// The counted steps in time order; not empty.
  [[nodiscard]] const std::vector<TraceSpan>& all() const { return counted_; }
  /// The last counted step; if only some end in an update, the last one of those.
  [[nodiscard]] const TraceSpan& last() const;
  /// The host's thread that runs the steps.
  [[nodiscard]] std::int64_t thread() const { return thread_; }
  /// The number of optimizer steps within the step.
  [[nodiscard]] std::ptrdiff_t updates_in(const TraceSpan& step) const;
  [[nodiscard]] bool updates(const TraceSpan& step) const { return updates_in(step) > 0; }
  /// Steps per update, i.e. micro-batches.
  [[nodiscard]] int accumulate() const { return accumulate_; }

  /// Notes for people: the selection of steps, if several are alike, then other facts.
  [[nodiscard]] std::vector<std::string> notes(int alike) const;

 private:
  void find_marks(const ChromeTrace& trace);
  void take_whole_trace(const ChromeTrace& trace);
  void find_updates(const ChromeTrace& trace);
  void count(const TraceWork& work);
  void leave_out_short(const TraceWork& work, std::vector<TraceSpan>& whole);
  [[nodiscard]] std::string taken(int alike) const;

  std::vector<TraceSpan> marks_;
  std::vector<TraceSpan> counted_;
  std::vector<double> updates_us_;  // times of optimizer steps, in order
  std::int64_t thread_ = 0;
  std::size_t overlapping_ = 0;  // marks that were dropped or shortened
  std::size_t around_ = 0;       // marks around those of steps
  std::size_t lost_ = 0;         // steps without all of their kernels
  std::size_t short_ = 0;        // steps with fewer kernels than others
  double lost_share_ = 0;        // of the launches in counted steps
  int accumulate_ = 1;
  bool least_known_ = false;  // accumulate_ may be larger
  bool in_turn_ = true;       // updates follow equal numbers of steps
  bool none_usual_ = false;   // none of measured_steps counts
  bool of_profiler_;          // steps are left out only for the profiler's start and end
};

}  // namespace foretrain
