#include "sim/world/work_pool.h"

#include "models/base/check.h"
#include "reports/record/wait_for_change.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/strand.hpp>

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace foretrain::sim {
namespace {
namespace asio = boost::asio;
using Executor = asio::io_context::executor_type;

JobResult carry_out(const std::function<JobResult(Parallel&)>& work,
                    const std::function<void()>& prefetch) {
  Serial serial;
  JobResult result;
  if (work) result = work(serial);
  if (prefetch) prefetch();
  return result;
}

}  // namespace

struct WorkPool::Threads {
  explicit Threads(int cores) : pending(cores), open(pending.get_executor()) {
    try {
      for (int i = 1; i < cores; ++i) all.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
      // The threads that exist do the work, at least the simulation's own.
    }
  }
  ~Threads() {
    over = true;
    ++told;
    told.notify_all();
    for (std::thread& thread : all) thread.join();
  }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  void work() {
    while (!over) {
      const std::uint32_t seen = told.load();
      if (pending.poll_one() == 0) wait_for_change(told, seen);
    }
  }
  template <class Task>
  void begin(const asio::strand<Executor>& in_order, Task task) {
    asio::post(in_order, std::move(task));
    tell_one();
  }
  // Called by the simulation's thread. Afterwards another thread may take the strand's next task.
  bool help() {
    if (pending.poll_one() == 0) return false;
    tell_one();
    return true;
  }
  void tell_one() {
    ++told;
    told.notify_one();
  }

  asio::io_context pending;
  asio::executor_work_guard<Executor> open;
  std::atomic<std::uint32_t> told{0};  // counts changes: a new task, or the end
  std::atomic<bool> over{false};
  std::vector<std::thread> all;
};

WorkPool::WorkPool(int cores) {
  FT_CHECK_OP(cores, >=, 2);
  threads_ = std::make_unique<Threads>(cores);
}

WorkPool::~WorkPool() = default;

// Only the simulation's thread releases what the work holds, when the job ends. A thread of the
// pool could do it later, and whether a payload is shared must not depend on that.
class WorkAhead::Task {
 public:
  explicit Task(Job& job)
      : work_(std::exchange(job.work, nullptr)), prefetch_(std::exchange(job.prefetch, nullptr)) {}

  void run() {
    std::int32_t expected = kWaiting;
    if (!state_.compare_exchange_strong(expected, kRunning)) return;  // it was dropped
    try {
      result_ = carry_out(work_, prefetch_);
    } catch (...) {
      broken_ = std::current_exception();
    }
    state_.store(kOver);
    state_.notify_one();  // no other change is waited for
  }

  JobResult finish(WorkPool::Threads& threads) {
    for (std::int32_t state = state_.load(); state != kOver; state = state_.load()) {
      if (!threads.help()) wait_for_change(state_, state);
    }
    let_go();
    if (broken_) std::rethrow_exception(std::exchange(broken_, nullptr));
    return result_;
  }

  // Prevents the task from beginning if it has not begun.
  void call_off() {
    std::int32_t expected = kWaiting;
    state_.compare_exchange_strong(expected, kOver);
  }

  // After `call_off`: waits until the task is over.
  void drop() {
    while (state_.load() != kOver) wait_for_change(state_, kRunning);
    let_go();
  }

 private:
  static constexpr std::int32_t kWaiting = 0;
  static constexpr std::int32_t kRunning = 1;
  static constexpr std::int32_t kOver = 2;

  void let_go() {
    work_ = nullptr;
    prefetch_ = nullptr;
  }

  std::function<JobResult(Parallel&)> work_;
  std::function<void()> prefetch_;
  JobResult result_;
  std::exception_ptr broken_;
  std::atomic<std::int32_t> state_{kWaiting};
};

struct WorkAhead::Queue {
  WorkPool::Threads& threads;
  asio::strand<Executor> in_order;
  std::vector<std::shared_ptr<Task>> tasks;  // by job number; null if it has none
};

WorkAhead::WorkAhead(WorkPool* pool) {
  if (pool == nullptr) return;
  WorkPool::Threads& threads = *pool->threads_;
  queue_.reset(new Queue{threads, asio::make_strand(threads.pending), {}});
}

WorkAhead::~WorkAhead() { drop(); }

void WorkAhead::post(std::size_t number, Job& job) {
  auto& tasks = queue_->tasks;
  if (tasks.size() <= number) tasks.resize(number + 1);
  tasks[number] = std::make_shared<Task>(job);
  queue_->threads.begin(queue_->in_order, [task = tasks[number]] { task->run(); });
}

JobResult WorkAhead::finish_work(std::size_t number, Job& job) {
  if (queue_ && number < queue_->tasks.size()) {
    if (const auto task = std::exchange(queue_->tasks[number], nullptr)) {
      return task->finish(queue_->threads);
    }
  }
  const JobResult result = carry_out(job.work, job.prefetch);
  job.work = nullptr;
  job.prefetch = nullptr;
  return result;
}

void WorkAhead::drop() {
  if (!queue_) return;
  for (const auto& task : queue_->tasks) {
    if (task) task->call_off();
  }
  for (auto& task : queue_->tasks) {
    if (task) std::exchange(task, nullptr)->drop();
  }
  queue_ = nullptr;
}

}  // namespace foretrain::sim
