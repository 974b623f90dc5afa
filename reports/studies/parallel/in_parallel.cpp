#include "reports/studies/parallel/in_parallel.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace foretrain {

void in_parallel(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work) {
  std::atomic<std::int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr broken;
  const auto go_on = [&] {
    for (std::int64_t i = next++; i < count; i = next++) {
      try {
        work(i);
      } catch (...) {
        const std::lock_guard lock(mutex);
        if (!broken) broken = std::current_exception();
        next = count;
      }
    }
  };
  std::vector<std::jthread> helpers;
  try {
    for (std::int64_t i = 1; i < std::min<std::int64_t>(threads, count); ++i) {
      helpers.emplace_back(go_on);
    }
  } catch (const std::system_error&) {
    // Fewer threads, at least this one, do all the work.
  }
  go_on();
  helpers.clear();  // joins them
  if (broken) std::rethrow_exception(broken);
}

}  // namespace foretrain
