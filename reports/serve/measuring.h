// Calibration of this machine for questions that need it.
#pragma once

#include "reports/serve/latest_wins_worker.h"
#include "scenarios/spec/scenario.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace foretrain::serve {

/// Receives a line of progress.
using Tell = std::function<void(const std::string& line)>;

/// Measures what forecasts of the case need of this machine, with progress to `tell`; throws to end
/// early if `stopped` returns true. main.cpp provides it.
using Measure = std::function<void(const Case& scenario_case, const Tell& tell,
                                   const std::function<bool()>& stopped)>;

/// Runs one calibration at a time on its own thread. It continues if its question is cancelled,
/// since the next question probably needs it.
class Measuring {
 public:
  explicit Measuring(Measure measure) : measure_(std::move(measure)) {}
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;
  /// Stops the calibration, waits for its end.
  ~Measuring();

  /// Starts a calibration for this case, or waits for the current one, which may be sufficient: the
  /// caller repeats its forecast to find out. Passes the latest line, then new ones, to `told`.
  /// False if `dropped` became true first. From one thread only. @throws what Measure throws
  bool measure_for(const Case& scenario_case, const Tell& told,
                   const LatestWinsWorker::Dropped& dropped);
  /// Likewise waits until no calibration is running, however it ends.
  bool wait_for_quiet(const Tell& told, const LatestWinsWorker::Dropped& dropped);
  /// Requests an early end; those who wait get the exception of Measure. Thread-safe.
  void stop();

 private:
  void begin(const Case& scenario_case);
  void measure(const Case& scenario_case);

  Measure measure_;
  std::mutex mutex_;  // guards the members below, except the thread
  std::condition_variable changed_;
  bool under_way_ = false;
  bool stopped_ = false;
  int lines_ = 0;     // number of lines so far
  std::string line_;  // the latest line
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace foretrain::serve
