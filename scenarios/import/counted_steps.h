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

/// Steps by the profiler's marks, no two of which overlap; without any the whole trace is one. Of
/// `measured_steps` those count whose kernels are all there: a launch in them has its kernel as
/// often as in the best step, within 2 %. Where none of these does, all marked steps that have
/// theirs.
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
  /// Whether the optimizer steps within it.
  [[nodiscard]] bool updates(const TraceSpan& step) const;
  /// Steps that an update is made of: micro-batches.
  [[nodiscard]] int accumulate() const { return accumulate_; }

  /// Says which steps were taken, if several are alike; then what else people should know.
  [[nodiscard]] std::vector<std::string> notes(int alike) const;

 private:
  void find_marks(const ChromeTrace& trace);
  void take_whole_trace(const ChromeTrace& trace);
  void find_updates(const ChromeTrace& trace);
  void count(const TraceWork& work);
  [[nodiscard]] std::string taken(int alike) const;

  std::vector<TraceSpan> marks_;
  std::vector<TraceSpan> counted_;
  std::vector<double> updates_us_;  // when the optimizer steps, in order
  std::int64_t thread_ = 0;
  std::size_t overlapping_ = 0;  // marks that were left out, or cut short
  std::size_t lost_ = 0;         // steps without all of their kernels
  double lost_share_ = 0;        // of the launches of those that count
  int accumulate_ = 1;
  bool least_known_ = false;  // accumulate_ may be more
  bool in_turn_ = true;       // updates follow equally many steps
  bool none_usual_ = false;   // of measured_steps none counts
  bool of_profiler_;          // steps are left out for its start and end alone
};

}  // namespace foretrain
