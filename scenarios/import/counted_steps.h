// Which steps of a trace count, how many of them an update is made of.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/import/trace_work.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// Steps by the profiler's marks, no two of which overlap; without any the whole trace is one. A
/// mark around other steps' marks is no step. Of `measured_steps` those count whose kernels are all
/// there:
///
///     launches   have their kernels as often as in the best step, within 2 %
///     kernels    are as many as in the median step with, or without, an update, within 5 %; if
///                fewer at all, they compute as long, within 5 %
///
/// If none of these does, all marked steps count that have their kernels.
class CountedSteps {
 public:
  /// @throws InputError: steps of two threads overlap
  CountedSteps(const ChromeTrace& trace, const TraceWork& work);

  /// Not empty, in the order of time.
  [[nodiscard]] const std::vector<TraceSpan>& all() const { return counted_; }
  /// The last one that ends in an update where only some do.
  [[nodiscard]] const TraceSpan& last() const;
  /// The host's, of which steps are.
  [[nodiscard]] std::int64_t thread() const { return thread_; }
  /// How often the optimizer steps within it.
  [[nodiscard]] std::ptrdiff_t updates_in(const TraceSpan& step) const;
  [[nodiscard]] bool updates(const TraceSpan& step) const { return updates_in(step) > 0; }
  /// Steps that an update is made of: micro-batches.
  [[nodiscard]] int accumulate() const { return accumulate_; }

  /// Says which steps were taken, if several are alike; then what else people should know.
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
  std::vector<double> updates_us_;  // when the optimizer steps, in order
  std::int64_t thread_ = 0;
  std::size_t overlapping_ = 0;  // marks that were left out, or cut short
  std::size_t around_ = 0;       // marks around those of steps
  std::size_t lost_ = 0;         // steps without all of their kernels
  std::size_t short_ = 0;        // steps with fewer kernels than others
  double lost_share_ = 0;        // of the launches of those that count
  int accumulate_ = 1;
  bool least_known_ = false;  // accumulate_ may be more
  bool in_turn_ = true;       // updates follow equally many steps
  bool none_usual_ = false;   // of measured_steps none counts
  bool of_profiler_;          // steps are left out for its start and end alone
};

}  // namespace foretrain
