#include "sim/driver/sim_node.h"

#include "models/base/check.h"
#include "scenarios/input_error.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace foretrain::sim {
namespace {
std::vector<Cpu::ThreadId> compute_threads(Cpu& cpu, const Place& place) {
  std::vector<Cpu::ThreadId> threads;
  threads.reserve(static_cast<std::size_t>(place.threads));
  for (int i = 0; i < place.threads; ++i) {
    threads.push_back(cpu.add_thread((place.core + i) % cpu.cores()));
  }
  return threads;
}
}  // namespace

SimNode::SimNode(World& world, const Peers& peers, const Observer& observer, NodeParts parts)
    : world_(world),
      peers_(peers),
      observer_(observer),
      id_(parts.id),
      place_(parts.place),
      program_(std::move(parts.program)),
      job_time_(*parts.job_time),
      stragglers_(std::move(parts.stragglers)),
      jitter_(parts.jitter),
      tensor_(parts.tensor),
      serves_(parts.serves),
      neighbour_(parts.neighbour),
      messages_(parts.neighbour ? Resource::neighbours
                                : (parts.serves ? Resource::server_cpu : Resource::worker_cpu)),
      input_(std::move(parts.input)),
      loop_(world.hosts[place_.host].cpu->add_thread(place_.core)),
      compute_(compute_threads(*world.hosts[place_.host].cpu, place_)) {}

void SimNode::start() {
  const Callback started = at_stage(Stage::start, 0);
  world_.history.go_on_from(0);
  if (stops_ == 0) return world_.engine.schedule(world_.engine.now(), started);
  // The first of all that its loop does when it goes on.
  spend(loop_, Effort(messages_), Work::transport, started);
}

void SimNode::stop(Resource why) {
  if (stops_++ > 0) return;
  if (!neighbour_) world_.history.stopped(id_, why);
  Cpu& cpu = *world_.hosts[place_.host].cpu;
  cpu.stop(loop_);
  if (input_) input_->stop();
  for (const Cpu::ThreadId thread : compute_) cpu.stop(thread);
}

void SimNode::go_on() {
  FT_CHECK_OP(stops_, >, 0);
  if (--stops_ > 0) return;
  Cpu& cpu = *world_.hosts[place_.host].cpu;
  cpu.go_on(loop_);
  if (input_) input_->go_on();
  for (const Cpu::ThreadId thread : compute_) cpu.go_on(thread);
}

// It stands still for good.
void SimNode::die() {
  dead_ = true;
  if (!ended_) ended_ = world_.engine.now();
  stop(Resource::straggling);
}

void SimNode::lose(NodeId peer) {
  lost_.push_back(peer);
  spend(loop_, Effort(messages_), Work::transport, at_stage(Stage::lost, index_of(peer)),
        Cpu::Entry::woken);
}

bool SimNode::has_lost(NodeId peer) const { return std::ranges::find(lost_, peer) != lost_.end(); }

Duration SimNode::used(Work work) const {
  const Cpu& cpu = *world_.hosts[place_.host].cpu;
  Duration used = cpu.used(loop_, work);
  for (const Cpu::ThreadId thread : compute_) used = used + cpu.used(thread, work);
  if (input_ && work == Work::compute) used = used + input_->used();
  if (work == Work::transport) used = used + polled_;
  return used;
}

// The loop and the first thread that computes share a core, so they are busy one at a time.
Duration SimNode::waited() const {
  if (!begun_) return {};
  const Cpu& cpu = *world_.hosts[place_.host].cpu;
  const Duration busy = cpu.used(loop_, Work::compute) + cpu.used(compute_.front(), Work::compute);
  return ended_.value_or(world_.engine.now()) - *begun_ - busy;
}

void SimNode::wake(Instant now, std::uint64_t token) {
  const std::size_t slot = token >> kStageBits;
  const auto stage = static_cast<Stage>(token & ((1U << kStageBits) - 1));
  if (stage == Stage::arrived) return arrive(now, slot);
  if (stage == Stage::noticed) return notice_mail(now);
  if (stage == Stage::timer && stops_ > 0) {
    // It rang unheard.
    return spend(loop_, Effort(messages_), Work::transport, {this, token});
  }
  count_polling(now);
  switch (stage) {
    case Stage::start:
      begun_ = now;
      polled_ = {};
      if (input_) input_->start();
      feed(now, Started{});
      break;
    case Stage::fed:
      world_.history.go_on_from(note_delay(Resource::input, unfed_since_, now, unfed_cause_));
      for (Job& job : std::exchange(unfed_, {})) begin_job(std::move(job));
      return;
    case Stage::sent:
      depart(now, slot);
      break;
    case Stage::received:
      deliver(now, slot);
      break;
    case Stage::computed:
      return computed(now, slot);
    case Stage::done:
      job_done(now, jobs_.take(slot).job);
      break;
    case Stage::timer:
      feed(now, TimerFired{timers_.take(slot)});
      break;
    case Stage::lost:
      feed(now, PeerLost{NodeId(static_cast<std::uint32_t>(slot))});
      break;
    case Stage::arrived:
    case Stage::noticed:
      break;
  }
  read_all(now);
}

// A thread has done its part of a job.
void SimNode::computed(Instant now, std::size_t slot) {
  if (--jobs_[slot].parts > 0) return;
  if (now < jobs_[slot].not_before) {
    jobs_[slot].parts = 1;
    jobs_[slot].rests = now;
    jobs_[slot].computed = world_.history.current();
    return world_.engine.schedule(jobs_[slot].not_before, at_stage(Stage::computed, slot));
  }
  rest_done(now, jobs_[slot]);
  if (!on_loop(jobs_[slot].job)) {
    // The loop is told; what it sends leaves before the next job begins.
    return spend(loop_, Effort(messages_), Work::transport, at_stage(Stage::done, slot),
                 Cpu::Entry::woken);
  }
  job_done(now, jobs_.take(slot).job);
  read_all(now);
}

void SimNode::spend(Cpu::ThreadId thread, const Effort& effort, Work work, Callback done,
                    Cpu::Entry entry, double contended) {
  const auto task = world_.history.ask(id_, world_.engine.now(), effort);
  world_.hosts[place_.host].cpu->run(thread, effort.total(), work, done, entry, task, contended);
}

ActivityId SimNode::note_delay(Resource resource, Instant since, Instant until, ActivityId cause) {
  return world_.history.add({since, until, cause, 0, index_of(id_), resource, false});
}

// Parameters have changed.
void SimNode::note_update() {
  if (!neighbour_) world_.history.updated();
}

// A job that is given a time has slept what was left of it.
void SimNode::rest_done(Instant now, JobUnderWay& under_way) {
  if (under_way.rests == Instant{}) return;
  const Duration straggling = std::min(under_way.straggling, now - under_way.rests);
  const Instant middle = now + Duration{-straggling.ns};
  const ActivityId usual =
      note_delay(resource_of(under_way.job), under_way.rests, middle, under_way.computed);
  world_.history.go_on_from(note_delay(Resource::straggling, middle, now, usual));
}

// Since it was last active its loop has polled, for as long as it does, or while a message's
// packets came in, but only where nobody else wanted the core and no job of its own ran.
void SimNode::count_polling(Instant now) {
  const Host& host = world_.hosts[place_.host];
  const Duration poll = host.local.poll;
  if (poll.ns > 0) {
    const Duration busy = host.cpu->busy(place_.core);
    const Duration gap = now - active_;
    if (computing_ == 0 && !ended_) {
      const Duration asleep = std::max(Duration{}, coming_ - (active_ + poll));
      const Duration awake = coming_ > active_ ? gap - asleep : std::min(gap, poll);
      polled_ += std::max(Duration{}, std::min(awake, gap - (busy - busy_)));
    }
    busy_ = busy;
  }
  active_ = now;
}

void SimNode::feed(Instant now, Input input) {
  Effects effects = std::move(world_.effects);
  program_->handle(now, std::move(input), effects);
  for (Effect& effect : effects) perform(now, effect);
  effects.clear();
  world_.effects = std::move(effects);
}

void SimNode::perform(Instant now, Effect& effect) {
  if (auto* send = std::get_if<Send>(&effect)) {
    begin_send(now, *send);
  } else if (auto* compute = std::get_if<Compute>(&effect)) {
    ask_for(std::move(compute->job));
  } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
    world_.engine.schedule(now + timer->after, at_stage(Stage::timer, timers_.keep(timer->timer)));
  } else if (auto* report = std::get_if<Report>(&effect)) {
    observer_.report(id_, *report);
  } else if (auto* finished = std::get_if<Finished>(&effect)) {
    count_polling(now);
    ended_ = now;
    observer_.finished(id_, *finished);
  } else {
    observer_.fault(id_, std::get<Fault>(effect));
  }
}

// By how much the gradient that begins is slower than usual.
void SimNode::draw_factor() {
  const double jitter = job_time_.gradient_jitter();
  double straggling = stragglers_.next();
  const double pace = neighbour_ ? 1 : world_.pace.of(Resource::straggling);
  if (pace != 1) straggling = 1 + (straggling - 1) * pace;
  // A run on this machine can make compute longer, never shorter: neither does its forecast.
  if (world_.real_cores) straggling = std::max(1.0, straggling);
  jitter_factor_ = jitter > 0 ? portable_exp(jitter * jitter_.normal()) : 1;
  factor_ = straggling * jitter_factor_;
}

// A gradient begins when its batch is here.
void SimNode::ask_for(Job job) {
  const bool gradient = job.kind == JobKind::gradient;
  if (gradient && !unfed_.empty()) return unfed_.push_back(std::move(job));
  if (gradient && job.stage == 0 && input_ && !input_->take(at_stage(Stage::fed, 0))) {
    unfed_since_ = world_.engine.now();
    unfed_cause_ = world_.history.current();
    return unfed_.push_back(std::move(job));
  }
  if (job.kind == JobKind::evaluate) observer_.evaluating(id_, true);
  begin_job(std::move(job));
}

// As in a run: what sleeps would stop the loop.
bool SimNode::on_loop(const Job& job) const {
  return runs_inline(job.cost) && !job_time_.given(job);
}

Resource SimNode::resource_of(const Job& job) const {
  if (neighbour_) return Resource::neighbours;
  if (job.kind == JobKind::gradient) return Resource::worker_cpu;
  return job.kind == JobKind::evaluate ? Resource::evaluation : Resource::apply;
}

void SimNode::begin_job(Job job) {
  const Resource resource = resource_of(job);
  const Pace& pace = world_.pace;
  Effort effort(resource, pace.scaled(resource, job_time_.of(job)));
  Instant not_before;
  Duration straggling;
  if (job.kind == JobKind::gradient && job.stage == 0) draw_factor();
  if (job.kind == JobKind::gradient) {
    const auto given = job_time_.given(job);
    const Duration usual = given ? pace.scaled(resource, *given) : effort.total();
    const double stretched = static_cast<double>(usual.ns) * factor_;
    if (stretched > 1e18) throw InputError("stragglers: a gradient takes longer than 30 years");
    const Duration length{std::llround(stretched)};
    const Duration steady{std::llround(static_cast<double>(usual.ns) * jitter_factor_)};
    straggling = std::max(Duration{}, length - steady);
    if (given) {
      not_before = world_.engine.now() + length;
    } else {
      effort = Effort(resource, steady);
      effort.add(neighbour_ ? resource : Resource::straggling, length - steady);
    }
    effort.add(Resource::framework, pace.scaled(Resource::framework, job_time_.overhead(job)));
  }
  const double contended = job_time_.contended(job);
  const bool small = on_loop(job);
  if (!small) ++computing_;
  // Measured with as many threads: each of them is busy until the job is done.
  const auto threads = small ? std::span(&loop_, 1) : std::span(compute_);
  const std::size_t slot =
      jobs_.keep({std::move(job), static_cast<int>(threads.size()), not_before, straggling});
  for (const Cpu::ThreadId thread : threads) {
    spend(thread, effort, Work::compute, at_stage(Stage::computed, slot), Cpu::Entry::woken,
          contended);
  }
}

void SimNode::job_done(Instant now, Job job) {
  JobResult result;
  Serial serial;
  if (job.work) result = job.work(serial);
  if (job.prefetch) job.prefetch();
  if (!on_loop(job)) --computing_;
  if (job.kind == JobKind::evaluate) observer_.evaluating(id_, false);
  if (job.kind == JobKind::apply) note_update();
  const JobId id = job.id;
  job = {};  // what it holds is let go before the program goes on
  feed(now, Computed{id, result});
}

}  // namespace foretrain::sim
