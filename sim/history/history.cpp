#include "sim/history/history.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain::sim {

class History::Sums {
 public:
  void add(Resource resource, Duration time, bool queued) {
    if (time.ns <= 0) return;
    for (Sum& sum : sums_) {
      if (sum.resource == resource && sum.queued == queued) {
        sum.time += time;
        return;
      }
    }
    sums_.push_back({resource, queued, time});
  }

  struct Sum {
    Resource resource = Resource::waiting;
    bool queued = false;
    Duration time;
  };
  [[nodiscard]] const std::vector<Sum>& all() const { return sums_; }

 private:
  std::vector<Sum> sums_;
};

void History::updated() {
  if (!full_) last_ = current_;
}

ActivityId History::add(const Activity& activity) {
  FT_CHECK_OP(activity.begin.ns, <=, activity.end.ns);
  if (activity.begin == activity.end && activity.before == 0) return activity.cause;
  if (activities_.size() == kMost) {
    full_ = true;
    return activity.cause;
  }
  activities_.push_back(activity);
  return static_cast<ActivityId>(activities_.size() - 1);
}

std::uint32_t History::add_core() {
  cores_.emplace_back();
  return static_cast<std::uint32_t>(cores_.size() - 1);
}

std::uint32_t History::add_thread() {
  threads_.emplace_back();
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

History::TaskId History::ask(NodeId node, Instant now, const CostBreakdown& effort) {
  return static_cast<TaskId>(tasks_.keep({now, current_, index_of(node), effort}));
}

void History::ran(std::uint32_t core, TaskId task, Instant from, Instant to) {
  if (from == to) return;
  std::vector<Ran>& all = cores_[core];
  if (!all.empty() && all.back().task == task && all.back().to == from) {
    all.back().to = to;
    return;
  }
  const Resource resource = task == kNoTask ? Resource::input : tasks_[task].effort.resource();
  all.push_back({from, to, task, resource});
}

void History::stopped(NodeId node, Resource why) {
  if (stopped_.size() <= index_of(node)) stopped_.resize(index_of(node) + 1, Resource::waiting);
  stopped_[index_of(node)] = why;
}

Resource History::reason_of(std::uint32_t node) const {
  return node < stopped_.size() ? stopped_[node] : Resource::waiting;
}

void History::ended(std::uint32_t core, std::uint32_t thread, TaskId task, Instant now) {
  if (task == kNoTask) return;
  const Task done = tasks_.take(task);
  Thread& mine = threads_[thread];
  const bool in_line = mine.ended > done.asked;
  Instant at = std::max(done.asked, mine.ended);
  // Work of the core meanwhile, and the gaps in which the thread was stopped.
  Sums sums;
  Duration own;
  const std::vector<Ran>& all = cores_[core];
  auto first = all.end();
  while (first != all.begin() && (first - 1)->to > at) --first;
  Instant seen = at;
  for (; first != all.end(); ++first) {
    const Instant from = std::max(first->from, seen);
    sums.add(reason_of(done.node), from - seen, false);
    if (first->task == task) {
      own += first->to - from;
    } else {
      sums.add(first->resource, first->to - from, true);
    }
    seen = first->to;
  }
  sums.add(reason_of(done.node), now - seen, false);
  // The task's own time, divided by the shares of its parts.
  const double whole = static_cast<double>(done.effort.total().ns);
  Duration left = own;
  for (std::size_t i = done.effort.parts().size(); i-- > 1;) {
    const CostBreakdown::Part& part = done.effort.parts()[i];
    if (whole <= 0 || part.time.ns == 0) continue;
    const Duration share{
        std::llround(static_cast<double>(own.ns) * static_cast<double>(part.time.ns) / whole)};
    sums.add(part.resource, share, false);
    left -= share;
  }
  sums.add(done.effort.resource(), left, false);
  Activity next{at, at, done.cause, in_line ? mine.last : 0, done.node};
  ActivityId last = in_line ? mine.last : done.cause;
  for (const Sums::Sum& sum : sums.all()) {
    next.resource = sum.resource;
    next.queued = sum.queued;
    next.end = next.begin + sum.time;
    last = add(next);
    next = {next.end, next.end, last, 0, done.node};
  }
  mine = {last, now};
  current_ = last;
}

}  // namespace foretrain::sim
