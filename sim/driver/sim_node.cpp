#include "sim/driver/sim_node.h"

#include "models/base/check.h"
#include "scenarios/input_error.h"

#include <algorithm>
#include <cmath>
#include <limits>
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
      input_(std::move(parts.input)),
      loop_(world.hosts[place_.host].cpu->add_thread(place_.core)),
      compute_(compute_threads(*world.hosts[place_.host].cpu, place_)) {}

void SimNode::start() {
  const Callback started = at_stage(Stage::start, 0);
  if (stops_ == 0) return world_.engine.schedule(world_.engine.now(), started);
  // The first of all that its loop does when it goes on.
  world_.hosts[place_.host].cpu->run(loop_, {}, Work::transport, started);
}

void SimNode::stop() {
  if (stops_++ > 0) return;
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
  stop();
}

void SimNode::lose(NodeId peer) {
  lost_.push_back(peer);
  world_.hosts[place_.host].cpu->run(loop_, {}, Work::transport,
                                     at_stage(Stage::lost, index_of(peer)), Cpu::Entry::woken);
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
  if (stage == Stage::noticed) return receive(now, slot);
  if (stage == Stage::timer && stops_ > 0) {
    // It rang unheard.
    return world_.hosts[place_.host].cpu->run(loop_, {}, Work::transport, {this, token});
  }
  count_polling(now);
  switch (stage) {
    case Stage::start:
      begun_ = now;
      polled_ = {};
      if (input_) input_->start();
      return feed(now, Started{});
    case Stage::fed:
      for (Job& job : std::exchange(unfed_, {})) begin_job(std::move(job));
      return;
    case Stage::sent:
      return depart(now, slot);
    case Stage::received:
      return deliver(now, slot);
    case Stage::computed:
      if (--jobs_[slot].parts > 0) return;
      if (now < jobs_[slot].not_before) {
        jobs_[slot].parts = 1;
        return world_.engine.schedule(jobs_[slot].not_before, at_stage(Stage::computed, slot));
      }
      if (on_loop(jobs_[slot].job)) return job_done(now, jobs_.take(slot).job);
      // The loop is told; what it sends leaves before the next job begins.
      return world_.hosts[place_.host].cpu->run(loop_, {}, Work::transport,
                                                at_stage(Stage::done, slot), Cpu::Entry::woken);
    case Stage::done:
      return job_done(now, jobs_.take(slot).job);
    case Stage::timer:
      return feed(now, TimerFired{timers_.take(slot)});
    case Stage::lost:
      return feed(now, PeerLost{NodeId(static_cast<std::uint32_t>(slot))});
    case Stage::arrived:
    case Stage::noticed:
      break;
  }
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

const TransportCost& SimNode::transport_with(NodeId peer) const {
  const Host& host = world_.hosts[place_.host];
  return peers_[index_of(peer)]->place_.host == place_.host ? host.local : host.remote;
}

void SimNode::begin_send(Instant now, Send& send) {
  Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(send.message);
  const Duration cost = transport_with(send.to).send.of(static_cast<double>(size.value)) + tensor_;
  const std::size_t slot = world_.mail.keep({id_, send.to, std::move(send.message), {}});
  if (cost.ns == 0 && host.cpu->is_free(loop_)) return depart(now, slot);
  host.cpu->run(loop_, cost, Work::transport, at_stage(Stage::sent, slot));
}

// The message has left the sender's hands.
void SimNode::depart(Instant now, std::size_t slot) {
  Mail& mail = world_.mail[slot];
  mail.departed = now;
  SimNode& peer = *peers_[index_of(mail.to)];
  const Bytes size = wire_size(mail.message);
  sent_ += size;
  ++messages_sent_;
  const Callback arrived = peer.at_stage(Stage::arrived, slot);
  if (peer.place_.host == place_.host) {
    local_ += size;
    return world_.engine.schedule(now, arrived);
  }
  world_.network->send(connection_to(mail.to), size, mail.message.bucket, arrived);
}

Network::ConnectionId SimNode::connection_to(NodeId peer) {
  constexpr auto kNone = std::numeric_limits<Network::ConnectionId>::max();
  const std::size_t index = index_of(peer);
  if (connections_.empty()) first_peer_ = index;
  if (index < first_peer_) {
    connections_.insert(connections_.begin(), first_peer_ - index, kNone);
    first_peer_ = index;
  }
  if (index - first_peer_ >= connections_.size())
    connections_.resize(index - first_peer_ + 1, kNone);
  Network::ConnectionId& connection = connections_[index - first_peer_];
  if (connection == kNone) {
    connection = world_.network->connect(place_.host, peers_[index]->place_.host);
  }
  return connection;
}

// A loop polls for a while after it was last active, then sleeps; while its own job runs it sleeps.
bool SimNode::polls(Instant at) const {
  const Duration poll = world_.hosts[place_.host].local.poll;
  return computing_ == 0 && at - active_ < poll;
}

// On an idle core a poller looks soon, and a sleeper has to be woken; on a busy one the kernel has
// to be told of a sleeper. Who works, or has yielded, looks at its turn, which `receive` settles.
Duration SimNode::notice(Instant now, NodeId from) const {
  const Cpu& cpu = *world_.hosts[place_.host].cpu;
  const TransportCost& transport = transport_with(from);
  if (cpu.idle(place_.core)) return polls(now) ? transport.handoff : transport.wake;
  return cpu.is_free(loop_) && !polls(now) ? transport.preempt : Duration{};
}

// The last byte is at this host.
void SimNode::arrive(Instant now, std::size_t slot) {
  const Mail& mail = world_.mail[slot];
  if (dead_ || has_lost(mail.from)) {
    undelivered_ += wire_size(mail.message);
    world_.mail.take(slot);
    return;
  }
  received_ += wire_size(mail.message);
  coming_ = peers_[index_of(mail.from)]->place_.host == place_.host ? now : mail.departed;
  noticed_ = std::max(noticed_, now + notice(now, mail.from));  // what came first is read first
  if (noticed_ == now) return receive(now, slot);
  world_.engine.schedule(noticed_, at_stage(Stage::noticed, slot));
}

// The loop reads the message. One that polled when others took the core has yielded to them, and
// comes back when they are done or a slice is over; a sleeper is woken, and goes first.
void SimNode::receive(Instant now, std::size_t slot) {
  Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(world_.mail[slot].message);
  const NodeId from = world_.mail[slot].from;
  const Duration cost = transport_with(from).receive.of(static_cast<double>(size.value)) + tensor_;
  const Instant busy_since = host.cpu->busy_since(place_.core);
  const bool yielded = polls(busy_since) && now - busy_since < host.slice;
  if (cost.ns == 0 && !yielded && host.cpu->is_free(loop_)) return deliver(now, slot);
  host.cpu->run(loop_, cost, Work::transport, at_stage(Stage::received, slot),
                yielded ? Cpu::Entry::last : Cpu::Entry::woken);
}

void SimNode::deliver(Instant now, std::size_t slot) {
  count_polling(now);
  Mail mail = world_.mail.take(slot);
  if (has_lost(mail.from)) return;  // it was not yet when this was read
  feed(now, Received{mail.from, std::move(mail.message)});
}

// By how much the gradient that begins is slower than usual.
void SimNode::draw_factor() {
  const double jitter = job_time_.gradient_jitter();
  double straggling = stragglers_.next();
  // A run on this machine can make compute longer, never shorter: neither does its forecast.
  if (world_.real_cores) straggling = std::max(1.0, straggling);
  factor_ = jitter > 0 ? straggling * portable_exp(jitter * jitter_.normal()) : straggling;
}

// A gradient begins when its batch is here.
void SimNode::ask_for(Job job) {
  const bool gradient = job.kind == JobKind::gradient;
  if (gradient && !unfed_.empty()) return unfed_.push_back(std::move(job));
  if (gradient && job.stage == 0 && input_ && !input_->take(at_stage(Stage::fed, 0))) {
    return unfed_.push_back(std::move(job));
  }
  if (job.kind == JobKind::evaluate) observer_.evaluating(id_, true);
  begin_job(std::move(job));
}

// As in a run: what sleeps would stop the loop.
bool SimNode::on_loop(const Job& job) const {
  return runs_inline(job.cost) && !job_time_.given(job);
}

void SimNode::begin_job(Job job) {
  Host& host = world_.hosts[place_.host];
  Duration time = job_time_.of(job);
  Instant not_before;
  if (job.kind == JobKind::gradient && job.stage == 0) draw_factor();
  if (job.kind == JobKind::gradient) {
    const auto given = job_time_.given(job);
    const double stretched = static_cast<double>(given.value_or(time).ns) * factor_;
    if (stretched > 1e18) throw InputError("stragglers: a gradient takes longer than 30 years");
    const Duration length{std::llround(stretched)};
    if (given) not_before = world_.engine.now() + length;
    time = (given ? time : length) + job_time_.overhead(job);
  }
  const bool small = on_loop(job);
  if (!small) ++computing_;
  // Measured with as many threads: each of them is busy until the job is done.
  const auto threads = small ? std::span(&loop_, 1) : std::span(compute_);
  const std::size_t slot =
      jobs_.keep({std::move(job), static_cast<int>(threads.size()), not_before});
  for (const Cpu::ThreadId thread : threads) {
    host.cpu->run(thread, time, Work::compute, at_stage(Stage::computed, slot), Cpu::Entry::woken);
  }
}

void SimNode::job_done(Instant now, Job job) {
  JobResult result;
  Serial serial;
  if (job.work) result = job.work(serial);
  if (job.prefetch) job.prefetch();
  if (!on_loop(job)) --computing_;
  if (job.kind == JobKind::evaluate) observer_.evaluating(id_, false);
  const JobId id = job.id;
  job = {};  // what it holds is let go before the program goes on
  feed(now, Computed{id, result});
}

}  // namespace foretrain::sim
