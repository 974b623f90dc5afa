// This machine, measured for a question that waits for it while others are answered.
#pragma once

#include "reports/serve/asker.h"
#include "scenarios/spec/scenario.h"

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace foretrain::serve {

/// Told of a line that says what is measured.
using Tell = std::function<void(const std::string& line)>;

/// Measures what forecasts of the case need of this machine; tells what it does; ends early, by an
/// exception, where `stopped` says so. main.cpp fills it.
using Measure = std::function<void(const Case& scenario_case, const Tell& tell,
                                   const std::function<bool()>& stopped)>;

/// One calibration at a time, on a thread of its own. It goes on where its question is dropped: the
/// next one wants it, too.
class Measuring {
 public:
  explicit Measuring(Measure measure) : measure_(std::move(measure)) {}
  Measuring(const Measuring&) = delete;
  Measuring& operator=(const Measuring&) = delete;
  /// Stops it, waits for that.
  ~Measuring();

  /// Measures for this case, or waits for what is measured already: it may be what this one needs,
  /// which a second forecast shows. `told` of the newest line, then of those that come. False:
  /// `dropped` came first. From one thread. @throws what measuring has thrown
  bool measure_for(const Case& scenario_case, const Tell& told, const Asker::Dropped& dropped);
  /// Waits until nothing is measured, however that ends. Otherwise likewise.
  bool wait_for_quiet(const Tell& told, const Asker::Dropped& dropped);
  /// Ends it soon: whoever waits hears of it by what measuring throws. From any thread.
  void stop();

 private:
  void begin(const Case& scenario_case);
  void measure(const Case& scenario_case);

  Measure measure_;
  std::mutex mutex_;  // guards what follows but the thread
  std::condition_variable changed_;
  bool under_way_ = false;
  bool stopped_ = false;
  int lines_ = 0;     // so far
  std::string line_;  // the newest
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace foretrain::serve
