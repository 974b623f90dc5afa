#include "reports/serve/measuring.h"

#include <chrono>
#include <utility>

namespace foretrain::serve {

Measuring::~Measuring() {
  stop();
  if (thread_.joinable()) thread_.join();
}

void Measuring::begin(const Case& scenario_case) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(under_way_, true)) return;
    stopped_ = false;
    lines_ = 0;
    failure_ = nullptr;
  }
  if (thread_.joinable()) thread_.join();  // the previous thread has finished
  thread_ = std::thread([this, scenario_case] { measure(scenario_case); });
}

void Measuring::measure(const Case& scenario_case) {
  std::exception_ptr failure;
  try {
    measure_(
        scenario_case,
        [this](const std::string& line) {
          const std::lock_guard lock(mutex_);
          line_ = line;
          ++lines_;
          changed_.notify_all();
        },
        [this] {
          const std::lock_guard lock(mutex_);
          return stopped_;
        });
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);  // moved, since the waiter may free it before this thread ends
  under_way_ = false;
  changed_.notify_all();
}

bool Measuring::measure_for(const Case& scenario_case, const Tell& told,
                            const LatestWinsWorker::Dropped& dropped) {
  begin(scenario_case);
  if (!wait_for_quiet(told, dropped)) return false;
  const std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
  return true;
}

bool Measuring::wait_for_quiet(const Tell& told, const LatestWinsWorker::Dropped& dropped) {
  constexpr auto kBetweenLooks = std::chrono::milliseconds(50);
  int heard = 0;
  std::unique_lock lock(mutex_);
  while (under_way_) {
    if (heard < lines_) {
      heard = lines_;
      const std::string line = line_;
      lock.unlock();
      told(line);
      lock.lock();
    } else if (dropped()) {
      return false;
    } else {
      changed_.wait_for(lock, kBetweenLooks);
    }
  }
  return true;
}

void Measuring::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

}  // namespace foretrain::serve
