#include "exec/driver/compute_threads.h"

#include "reports/record/wait_for_change.h"

#include <system_error>
#include <utility>

namespace foretrain::exec {

ComputeThreads::ComputeThreads(int threads) {
  helpers_.reserve(static_cast<std::size_t>(threads - 1));
  try {
    for (int i = 1; i < threads; ++i) helpers_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    end();
    throw;
  }
}

void ComputeThreads::end() {
  over_ = true;
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

void ComputeThreads::run(int parts, const std::function<void(int)>& part) {
  if (helpers_.empty() || parts < 2) {
    for (int i = 0; i < parts; ++i) part(i);
    return;
  }
  part_ = &part;
  parts_ = parts;
  next_ = 0;
  busy_ = static_cast<int>(helpers_.size());
  round_.fetch_add(1, std::memory_order_release);
  round_.notify_all();
  take_parts();
  for (int left = busy_.load(std::memory_order_acquire); left > 0;
       left = busy_.load(std::memory_order_acquire)) {
    wait_for_change(busy_, left);
  }
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ComputeThreads::help() {
  std::uint32_t seen = 0;
  while (true) {
    wait_for_change(round_, seen);
    ++seen;  // no round begins before every helper has ended the last
    if (over_) return;
    take_parts();
    busy_.fetch_sub(1, std::memory_order_acq_rel);
    busy_.notify_one();
  }
}

void ComputeThreads::take_parts() {
  try {
    for (int i = next_++; i < parts_; i = next_++) (*part_)(i);
  } catch (...) {
    const std::lock_guard lock(error_mutex_);
    error_ = std::current_exception();
  }
}

}  // namespace foretrain::exec
