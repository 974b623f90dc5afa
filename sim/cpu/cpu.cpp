#include "sim/cpu/cpu.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain::sim {
namespace {
// An event's token: the core with the number of its plan.
constexpr std::uint64_t kCoreBits = 12;
}  // namespace

Cpu::Cpu(Engine& engine, int cores, const Sharing& sharing, Recorder history)
    : engine_(engine),
      history_(history),
      sharing_(sharing),
      cores_(static_cast<std::size_t>(cores)) {
  FT_CHECK_OP(cores, >, 0);
  FT_CHECK_OP(cores, <, 1 << kCoreBits);
  FT_CHECK_OP(sharing.slice.ns, >, 0);
  FT_CHECK_OP(sharing.contention, >=, 1.0);
  for (Core& core : cores_) core.recorded = history_.add_core();
}

Cpu::ThreadId Cpu::add_thread(int core, ProcessId process) {
  FT_CHECK_OP(static_cast<std::size_t>(core), <, cores_.size());
  threads_.push_back({core, {}, {}, {}, false});
  threads_.back().process = process;
  threads_.back().recorded = history_.add_thread();
  return threads_.size() - 1;
}

void Cpu::run(ThreadId thread, Duration amount, Work work, Callback done, Entry entry,
              History::TaskId task, ShareMode share_mode) {
  FT_CHECK_OP(amount.ns, >=, 0);
  Thread& owner = threads_[thread];
  owner.items.push_back({static_cast<double>(amount.ns), work, task, done, share_mode});
  if (owner.items.size() > 1 || owner.stopped) return;  // queued already, or stopped
  enter(thread, entry);
}

void Cpu::stop(ThreadId thread) {
  const auto index = static_cast<std::size_t>(threads_[thread].core);
  Core& core = cores_[index];
  FT_CHECK(!core.calling);
  FT_CHECK(!threads_[thread].stopped);
  threads_[thread].stopped = true;
  const auto place = std::ranges::find(core.line, thread);
  if (place == core.line.end()) return;
  const Instant now = engine_.now();
  const bool slowed_others = slows_others(core);
  settle(core, now);
  if (place == core.line.begin()) core.slice_start = now;  // the next thread's slice begins now
  core.line.erase(place);
  core.since = now;
  plan(index, now);
  if (slows_others(core) != slowed_others) contention_changed(index, now);
}

void Cpu::go_on(ThreadId thread) {
  FT_CHECK(threads_[thread].stopped);
  threads_[thread].stopped = false;
  if (!threads_[thread].items.empty()) enter(thread, Entry::woken);
}

void Cpu::preempt_others(ThreadId thread) {
  const auto index = static_cast<std::size_t>(threads_[thread].core);
  Core& core = cores_[index];
  FT_CHECK(!core.calling);
  const auto place = std::ranges::find(core.line, thread);
  if (place == core.line.end() || place == core.line.begin()) return;
  const Instant now = engine_.now();
  const bool slowed_others = slows_others(core);
  settle(core, now);
  core.line.erase(place);
  enqueue(core, thread, Entry::woken);
  if (core.line.front() == thread) core.slice_start = now;
  plan(index, now);
  if (slows_others(core) != slowed_others) contention_changed(index, now);
}

// Queues a thread that has work again.
void Cpu::enter(ThreadId thread, Entry entry) {
  const auto index = static_cast<std::size_t>(threads_[thread].core);
  Core& core = cores_[index];
  const Instant now = engine_.now();
  if (core.calling) {
    // The thread whose callback runs keeps its place.
    if (std::ranges::find(core.line, thread) == core.line.end()) enqueue(core, thread, entry);
    return;
  }
  const bool slowed_others = slows_others(core);
  settle(core, now);
  // A thread alone on its core begins one slice after the other.
  core.slice_start = now + Duration{-((now - core.slice_start).ns % sharing_.slice.ns)};
  if (core.line.empty()) core.busy_since = now;
  enqueue(core, thread, entry);
  if (core.line.front() == thread) core.slice_start = now;
  core.since = now;
  plan(index, now);
  if (slows_others(core) != slowed_others) contention_changed(index, now);
}

void Cpu::enqueue(Core& core, ThreadId thread, Entry entry) {
  auto place = core.line.end();
  Thread& entering = threads_[thread];
  if (!core.line.empty()) {
    Duration least = threads_[core.line.front()].had;
    for (const ThreadId other : core.line) least = std::min(least, threads_[other].had);
    core.least = std::max(core.least, least);
  }
  entering.had = std::max(entering.had, core.least - sharing_.slice);
  if (entry == Entry::woken) {
    place = std::ranges::find_if(core.line, [&](ThreadId other) {
      return !threads_[other].items.empty() && entering.had <= threads_[other].had;
    });
  }
  core.line.insert(place, thread);
}

bool Cpu::computes(const Core& core) const {
  if (core.line.empty()) return false;
  const Thread& running = threads_[core.line.front()];
  return !running.items.empty() && running.items.front().work == Work::compute;
}

// Asked around each change of a core; costs no time if cores do not slow each other down.
bool Cpu::slows_others(const Core& core) const {
  return sharing_.contention != 1 && computes(core);
}

double Cpu::slowness(std::size_t index) const {
  const Core& core = cores_[index];
  const double slow = core.transfers > 0 ? sharing_.transferring : 1;
  if ((slow == 1 && sharing_.contention == 1) || !computes(core)) return 1;
  if (threads_[core.line.front()].items.front().share_mode == ShareMode::recorded) return 1;
  if (sharing_.contention == 1) return slow;
  for (std::size_t other = 0; other < cores_.size(); ++other) {
    if (other != index && computes(cores_[other])) return slow * sharing_.contention;
  }
  return slow;
}

void Cpu::count_transfer(int core, int change) {
  if (sharing_.transferring == 1) return;
  Core& device = cores_[static_cast<std::size_t>(core)];
  const bool before = device.transfers > 0;
  device.transfers += change;
  // During a callback the next item is planned after it.
  if (before == (device.transfers > 0) || device.calling || device.line.empty()) return;
  settle(device, engine_.now());
  plan(static_cast<std::size_t>(core), engine_.now());
}

int Cpu::computing() const {
  return static_cast<int>(
      std::ranges::count_if(cores_, [this](const Core& core) { return computes(core); }));
}

// Accounts for the work of the running thread since the last change.
void Cpu::settle(Core& core, Instant now) {
  if (core.line.empty() || core.calling) return;
  Thread& running = threads_[core.line.front()];
  const Duration passed = now - core.since;
  core.since = now;
  if (running.items.empty()) return;
  core.busy += passed;
  Item& item = running.items.front();
  item.left = std::max(0.0, item.left - static_cast<double>(passed.ns) / core.slowness);
  running.used[static_cast<int>(item.work)] += passed;
  running.had += passed;
  history_.ran(core.recorded, item.task, now + Duration{-passed.ns}, now);
}

Duration Cpu::used(ThreadId thread, Work work) const {
  const Thread& asked = threads_[thread];
  const Duration used = asked.used[static_cast<int>(work)];
  const Core& core = cores_[static_cast<std::size_t>(asked.core)];
  const bool runs = !core.line.empty() && core.line.front() == thread && !core.calling &&
                    !asked.items.empty() && asked.items.front().work == work;
  return runs ? used + (engine_.now() - core.since) : used;
}

Duration Cpu::busy(int core) const {
  const Core& place = cores_[static_cast<std::size_t>(core)];
  const bool runs =
      !place.line.empty() && !place.calling && !threads_[place.line.front()].items.empty();
  return runs ? place.busy + (engine_.now() - place.since) : place.busy;
}

// Lengthens the next work item if the core ran another process before.
void Cpu::change_process(Core& core) {
  Thread& running = threads_[core.line.front()];
  if (running.process == 0 || running.process == core.process) return;
  Item& item = running.items.front();
  const bool counts = core.process != 0 && item.share_mode != ShareMode::recorded;
  if (counts) item.left += static_cast<double>(sharing_.change.ns);
  core.process = running.process;
}

// Schedules the end of the running item, or of its slice if another thread waits.
void Cpu::plan(std::size_t index, Instant now) {
  Core& core = cores_[index];
  ++core.plan_number;
  if (core.line.empty()) return;
  change_process(core);
  core.slowness = slowness(index);
  const Item& item = threads_[core.line.front()].items.front();
  Instant next = now + Duration{static_cast<std::int64_t>(std::ceil(item.left * core.slowness))};
  if (core.line.size() > 1) next = std::min(next, std::max(now, core.slice_start + sharing_.slice));
  engine_.schedule(next, {this, (core.plan_number << kCoreBits) | index});
}

void Cpu::wake(Instant now, std::uint64_t token) {
  const std::size_t index = token & ((1U << kCoreBits) - 1);
  Core& core = cores_[index];
  if (core.plan_number != token >> kCoreBits) return;  // the plan has changed since
  const bool slowed_others = slows_others(core);
  settle(core, now);
  const ThreadId runner = core.line.front();
  if (threads_[runner].items.front().left < 0.5) {
    finish_item(index, now);
    // A thread that the callback woke may run before it.
    if (!core.line.empty() && core.line.front() != runner) core.slice_start = now;
  }
  const bool expired = now - core.slice_start >= sharing_.slice;
  if (core.line.size() > 1 && expired) {
    core.line.push_back(core.line.pop_front());
    core.slice_start = now;
  }
  core.since = now;
  plan(index, now);
  if (slows_others(core) != slowed_others) contention_changed(index, now);
}

void Cpu::finish_item(std::size_t index, Instant now) {
  Core& core = cores_[index];
  const ThreadId thread = core.line.front();
  Thread& owner = threads_[thread];
  history_.ended(core.recorded, owner.recorded, owner.items.front().task, now);
  const Callback done = owner.items.pop_front().done;
  core.calling = true;
  done.actor->wake(now, done.token);
  core.calling = false;
  if (!threads_[thread].items.empty()) return;
  core.line.pop_front();
  core.slice_start = now;
  if (core.line.empty()) core.least = std::max(core.least, threads_[thread].had);
  if (core.line.empty()) history_.idle(core.recorded);
}

void Cpu::contention_changed(std::size_t except, Instant now) {
  for (std::size_t index = 0; index < cores_.size(); ++index) {
    if (index == except || !computes(cores_[index]) || cores_[index].calling) continue;
    settle(cores_[index], now);
    plan(index, now);
  }
}

}  // namespace foretrain::sim
