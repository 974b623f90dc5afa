#include "reports/serve/latest_wins_worker.h"

namespace foretrain::serve {

LatestWinsWorker::LatestWinsWorker() : thread_([this] { work(); }) {}

void LatestWinsWorker::ask(Answering answering) {
  {
    const std::lock_guard lock(mutex_);
    if (!left_) {
      waiting_.emplace_back(++newest_, std::move(answering));
      changed_.notify_one();
      return;
    }
  }
  answering([] { return true; });
}

void LatestWinsWorker::leave() {
  {
    const std::lock_guard lock(mutex_);
    left_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void LatestWinsWorker::work() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return left_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    const auto [number, answering] = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    answering([this, number = number] { return left_ || newest_ != number; });
  }
}

}  // namespace foretrain::serve
