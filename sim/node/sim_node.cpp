#include "sim/node/sim_node.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
SimNode::SimNode(World& world, Mailbox::Peers& mailboxes, const Observer& observer, NodeParts parts)
    : world_(world),
      observer_(observer),
      id_(parts.id),
      program_(std::move(parts.program)),
      job_time_(*parts.job_time),
      process_(world, parts.place,
               NodeHistory(world.history, parts.id, parts.serves, parts.colocated_job,
                           parts.job_time->of_device()),
               std::move(parts.input)),
      polling_(process_.host(), parts.place.core),
      cache_use_(CacheUse::of(process_, parts.training, parts.id)),
      mailbox_(world, parts.id, mailboxes, process_, polling_, *this, parts.framework,
               parts.protocol->brings_update, cache_use_.get()),
      jobs_(world, process_, polling_, *this,
            JobCosts(
                world.time_factors, *parts.job_time, std::move(parts.recorded),
                std::move(parts.times), parts.jitter, process_.history(), cache_use_.get(),
                parts.serves ? parts.framework.push != ServerCost{} : parts.job_time->of_device())),
      disk_(parts.disk) {
  if (index_of(id_) < mailboxes.size()) {
    mailboxes[index_of(id_)] = &mailbox_;
  } else {
    mailboxes.push_back(&mailbox_);
  }
}

void SimNode::start() {
  const Callback started = at_stage(Stage::start, 0);
  process_.history().go_on_from(0);
  // The first work of the loop when a stopped process resumes.
  if (process_.stands_still()) return process_.wake_loop(started);
  world_.engine.schedule(world_.engine.now(), started);
}

// The process stays stopped.
void SimNode::die() {
  mailbox_.close();
  jobs_.drop();
  if (!ended_) ended_ = world_.engine.now();
  polling_.end();
  process_.stop(Resource::straggling);
}

void SimNode::die_for_good() {
  die();
  program_.reset();
}

void SimNode::mark_lost(NodeId peer) {
  if (!mailbox_.mark_lost(peer)) return;
  process_.wake_loop(at_stage(Stage::lost, index_of(peer)), Cpu::Entry::woken);
}

void SimNode::take_back(NodeId peer, std::int64_t incarnation) {
  const auto slot = (static_cast<std::size_t>(incarnation) << kPeerBits) | index_of(peer);
  process_.wake_loop(at_stage(Stage::back, slot), Cpu::Entry::woken);
}

Duration SimNode::used(Work work) const {
  const Duration used = process_.used(work);
  return work == Work::transport ? used + polling_.polled() : used;
}

Duration SimNode::waited() const {
  if (!begun_) return {};
  return ended_.value_or(world_.engine.now()) - *begun_ - process_.computed_on_first_core();
}

void SimNode::wake(Instant now, std::uint64_t token) {
  if (!program_) return;
  const std::size_t slot = token >> kStageBits;
  const auto stage = static_cast<Stage>(token & ((1U << kStageBits) - 1));
  // The timer fired while the process was stopped.
  if (stage == Stage::timer && process_.stands_still()) return process_.wake_loop({this, token});
  if (stage == Stage::written) return written(now, slot);
  polling_.active(now);
  switch (stage) {
    case Stage::start:
      begin(now);
      break;
    case Stage::timer:
      ring(now, timers_.take(slot));
      break;
    case Stage::lost:
      feed(now, PeerLost{NodeId(static_cast<std::uint32_t>(slot))});
      break;
    case Stage::back: {
      const NodeId peer{static_cast<std::uint32_t>(slot)};
      mailbox_.take_back(peer);
      feed(now, PeerBack{peer, static_cast<std::int64_t>(slot >> kPeerBits)});
      break;
    }
    case Stage::kept:
      feed(now, Computed{keeping_.take(slot).job, {}});
      break;
    case Stage::spent:
    case Stage::written:
      break;
  }
  mailbox_.read_all(now);
}

void SimNode::begin(Instant now) {
  begun_ = now;
  polling_.begin();
  if (InputFeed* input = process_.input()) input->start();
  feed(now, Started{});
}

void SimNode::feed(Instant now, Input input) {
  if (!program_) return;
  if (std::holds_alternative<Received>(input)) jobs_.message();
  Effects effects = std::move(world_.effects);
  program_->handle(now, std::move(input), effects);
  for (Effect& effect : effects) perform(now, effect);
  if (worked_.ns > 0) {
    const CostBreakdown rest(process_.history().messages(), std::exchange(worked_, {}));
    process_.run(process_.loop(), rest, Work::transport, at_stage(Stage::spent, 0));
  }
  effects.clear();
  world_.effects = std::move(effects);
}

void SimNode::arm(Instant now, const ArmTimer& timer) {
  const std::size_t slot =
      timers_.keep({timer.timer, timer.of_framework, now, process_.history().current()});
  const Duration after = timer.of_framework
                             ? world_.time_factors.scaled(Resource::framework, timer.after)
                             : timer.after;
  world_.engine.schedule(now + after, at_stage(Stage::timer, slot));
}

void SimNode::ring(Instant now, const Armed& armed) {
  if (armed.of_framework) {
    const NodeHistory& history = process_.history();
    history.go_on_from(history.waited(Resource::framework, armed.since, now, armed.cause));
  }
  feed(now, TimerFired{armed.timer});
}

void SimNode::begin_keep(Instant now, const SaveState& keep) {
  if (observer_.keeping) observer_.keeping(id_, keep);
  Instant& disk_free = world_.hosts[process_.place().host].disk_free;
  const Duration takes = disk_.of(keep.size);
  disk_free = std::max(now, disk_free) + world_.time_factors.scaled(Resource::checkpoints, takes);
  const std::size_t slot =
      keeping_.keep({keep.job, keep.cut, keep.size, now, process_.history().current()});
  world_.engine.schedule(disk_free, at_stage(Stage::written, slot));
}

// Notifies the loop when it is free.
void SimNode::written(Instant now, std::size_t slot) {
  const Keeping& done = keeping_[slot];
  const NodeHistory& history = process_.history();
  history.go_on_from(history.waited(Resource::checkpoints, done.since, now, done.cause));
  if (observer_.kept) observer_.kept(id_, done.cut, done.size, now - done.since);
  process_.wake_loop(at_stage(Stage::kept, slot), Cpu::Entry::woken);
}

void SimNode::perform(Instant now, Effect& effect) {
  if (auto* send = std::get_if<Send>(&effect)) {
    mailbox_.send(now, *send, std::exchange(worked_, {}));
  } else if (auto* compute = std::get_if<Compute>(&effect)) {
    jobs_.ask_for(std::move(compute->job));
  } else if (auto* spent = std::get_if<SpentCost>(&effect)) {
    worked_ += world_.time_factors.scaled(process_.history().messages(), job_time_.of(*spent));
  } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
    arm(now, *timer);
  } else if (auto* keep = std::get_if<SaveState>(&effect)) {
    begin_keep(now, *keep);
  } else if (auto* report = std::get_if<Report>(&effect)) {
    observer_.report(id_, *report);
  } else if (auto* finished = std::get_if<Finished>(&effect)) {
    polling_.active(now);
    polling_.end();
    ended_ = now;
    observer_.finished(id_, *finished);
  } else {
    observer_.fault(id_, std::get<Fault>(effect));
  }
}

}  // namespace foretrain::sim
