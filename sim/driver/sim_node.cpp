#include "sim/driver/sim_node.h"

#include "models/base/check.h"
#include "scenarios/input_error.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain::sim {
namespace {
constexpr int kStageBits = 3;  // of a token; the rest is the slot of what is pending

std::vector<Cpu::ThreadId> compute_threads(Cpu& cpu, const Place& place) {
  std::vector<Cpu::ThreadId> threads;
  threads.reserve(static_cast<std::size_t>(place.threads));
  for (int i = 0; i < place.threads; ++i) {
    threads.push_back(cpu.add_thread((place.core + i) % cpu.cores()));
  }
  return threads;
}
}  // namespace

SimNode::SimNode(World& world, const Peers& peers, const Observer& observer, NodeId id,
                 std::unique_ptr<Node> program, StragglerDraws stragglers, Stream jitter)
    : world_(world),
      peers_(peers),
      observer_(observer),
      id_(id),
      place_(world.places[index_of(id)]),
      program_(std::move(program)),
      stragglers_(std::move(stragglers)),
      jitter_(jitter),
      loop_(world.hosts[place_.host].cpu->add_thread(place_.core)),
      compute_(compute_threads(*world.hosts[place_.host].cpu, place_)) {}

void SimNode::start() { world_.engine.schedule({}, {this, keep(Stage::start, {})}); }

Duration SimNode::used(Work work) const {
  const Cpu& cpu = *world_.hosts[place_.host].cpu;
  Duration used = cpu.used(loop_, work);
  for (const Cpu::ThreadId thread : compute_) used = used + cpu.used(thread, work);
  return used;
}

std::uint64_t SimNode::keep(Stage stage, Pending pending) {
  std::size_t slot = pending_.size();
  if (free_.empty()) {
    pending_.push_back(std::move(pending));
  } else {
    slot = free_.back();
    free_.pop_back();
    pending_[slot] = std::move(pending);
  }
  return (static_cast<std::uint64_t>(slot) << kStageBits) | static_cast<std::uint64_t>(stage);
}

SimNode::Pending SimNode::take(std::size_t slot) {
  free_.push_back(slot);
  return std::exchange(pending_[slot], {});
}

void SimNode::wake(Instant now, std::uint64_t token) {
  const auto stage = static_cast<Stage>(token & ((1U << kStageBits) - 1));
  if (stage == Stage::arrived) return arrive(now, token);
  if (stage == Stage::noticed) return receive(now, token);
  active_ = now;
  if (stage == Stage::computed && --pending_[token >> kStageBits].parts > 0) return;
  Pending pending = take(token >> kStageBits);
  switch (stage) {
    case Stage::start:
      return feed(now, Started{});
    case Stage::sent:
      return depart(now, std::move(pending));
    case Stage::received:
      return feed(now, Received{pending.peer, std::move(pending.message)});
    case Stage::computed:
      return job_done(now, std::move(pending.job));
    case Stage::timer:
      return feed(now, TimerFired{pending.timer});
    case Stage::arrived:
    case Stage::noticed:
      break;
  }
}

void SimNode::feed(Instant now, Input input) {
  Effects effects;
  program_->handle(now, std::move(input), effects);
  for (Effect& effect : effects) perform(now, effect);
}

void SimNode::perform(Instant now, Effect& effect) {
  if (auto* send = std::get_if<Send>(&effect)) {
    begin_send(*send);
  } else if (auto* compute = std::get_if<Compute>(&effect)) {
    begin_job(std::move(compute->job));
  } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
    const std::uint64_t token = keep(Stage::timer, {.timer = timer->timer});
    world_.engine.schedule(now + timer->after, {this, token});
  } else if (auto* report = std::get_if<Report>(&effect)) {
    observer_.report(id_, *report);
  } else if (auto* finished = std::get_if<Finished>(&effect)) {
    observer_.finished(id_, *finished);
  } else {
    observer_.fault(id_, std::get<Fault>(effect));
  }
}

void SimNode::begin_send(Send& send) {
  Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(send.message);
  const Duration cost = host.transport.send.of(static_cast<double>(size.value));
  const std::uint64_t token =
      keep(Stage::sent, {.peer = send.to, .message = std::move(send.message)});
  host.cpu->run(loop_, cost, Work::transport, {this, token});
}

// The message has left the sender's hands.
void SimNode::depart(Instant now, Pending pending) {
  SimNode& peer = *peers_[index_of(pending.peer)];
  const Bytes size = wire_size(pending.message);
  sent_ += size;
  ++messages_sent_;
  const std::uint64_t token =
      peer.keep(Stage::arrived, {.peer = id_, .message = std::move(pending.message)});
  if (peer.place_.host != place_.host) {
    world_.network->transfer(place_.host, peer.place_.host, size, {&peer, token});
    return;
  }
  world_.engine.schedule(now, {&peer, token});
}

// A loop polls for a while after it was last active, then sleeps; while its own job runs it sleeps.
bool SimNode::polls(Instant at) const {
  const Duration poll = world_.hosts[place_.host].transport.poll;
  return jobs_ == 0 && at - active_ < poll;
}

// On an idle core a poller looks soon, and a sleeper has to be woken. On a busy one either waits
// for its turn, which `receive` settles.
Duration SimNode::notice(Instant now) const {
  const Host& host = world_.hosts[place_.host];
  if (!host.cpu->idle(place_.core)) return {};
  return polls(now) ? host.transport.handoff : host.transport.wake;
}

// The last byte is at this host.
void SimNode::arrive(Instant now, std::uint64_t token) {
  received_ += wire_size(pending_[token >> kStageBits].message);
  noticed_ = std::max(noticed_, now + notice(now));  // what came first is read first
  world_.engine.schedule(noticed_, at_stage(Stage::noticed, token));
}

// The loop reads the message. One that polled when others took the core has yielded to them, and
// comes back when they are done or a slice is over; a sleeper is woken, and goes first.
void SimNode::receive(Instant now, std::uint64_t token) {
  Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(pending_[token >> kStageBits].message);
  const Duration cost = host.transport.receive.of(static_cast<double>(size.value));
  const Instant busy_since = host.cpu->busy_since(place_.core);
  const bool yielded = polls(busy_since) && now - busy_since < host.slice;
  host.cpu->run(loop_, cost, Work::transport, at_stage(Stage::received, token),
                yielded ? Cpu::Entry::last : Cpu::Entry::woken);
}

// By how much the gradient that begins is slower than usual.
void SimNode::draw_factor() {
  const double jitter = world_.hosts[place_.host].job_time->gradient_jitter();
  double straggling = stragglers_.next();
  // A run on this machine can make compute longer, never shorter: neither does its forecast.
  if (world_.network == nullptr) straggling = std::max(1.0, straggling);
  factor_ = jitter > 0 ? straggling * portable_exp(jitter * jitter_.normal()) : straggling;
}

void SimNode::begin_job(Job job) {
  Host& host = world_.hosts[place_.host];
  Duration time = host.job_time->of(job);
  if (job.kind == JobKind::gradient) {
    if (job.stage == 0) draw_factor();
    const double stretched = static_cast<double>(time.ns) * factor_;
    if (stretched > 1e18) throw InputError("stragglers: a gradient takes longer than 30 years");
    time = {std::llround(stretched)};
  }
  const std::vector<Cpu::ThreadId> on_loop{loop_};
  const bool small = runs_inline(job.cost);
  if (!small) ++jobs_;
  // Measured with as many threads: each of them is busy until the job is done.
  const auto& threads = small ? on_loop : compute_;
  const std::uint64_t token =
      keep(Stage::computed, {.job = std::move(job), .parts = static_cast<int>(threads.size())});
  for (const Cpu::ThreadId thread : threads) {
    host.cpu->run(thread, time, Work::compute, {this, token});
  }
}

void SimNode::job_done(Instant now, Job job) {
  JobResult result;
  Serial serial;
  if (job.work) result = job.work(serial);
  if (job.prefetch) job.prefetch();
  if (!runs_inline(job.cost)) --jobs_;
  const JobId id = job.id;
  job = {};  // what it holds is let go before the program goes on
  feed(now, Computed{id, result});
}

}  // namespace foretrain::sim
