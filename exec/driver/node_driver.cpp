#include "exec/driver/node_driver.h"

#include "models/base/check.h"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <thread>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;

NodeDriver::NodeDriver(asio::io_context& loop, NodeId id, std::unique_ptr<Node> program,
                       DriverHooks hooks, Computing computing, Duration max_delay)
    : loop_(loop),
      id_(id),
      program_(std::move(program)),
      hooks_(std::move(hooks)),
      max_delay_(max_delay),
      times_(std::move(computing.times)),
      timed_(computing.timed),
      computed_(loop),
      threads_(computing.threads) {
  if (timed_) asio::post(compute_, [this] { job_clock_.lap(); });
  if (max_delay_.ns > 0) {
    // Seeded by the clock, so that every run differs.
    delays_.emplace(static_cast<std::uint64_t>(Clock::now().time_since_epoch().count()),
                    fmt::format("delay.node{}", index_of(id)));
  }
}

NodeDriver::~NodeDriver() { stop(); }

void NodeDriver::add_peer(NodeId peer, std::shared_ptr<Connection> connection) {
  connection->start([this, peer](const FrameHeader& header,
                                 Payload payload) { received(peer, header, std::move(payload)); },
                    [this, peer](const std::string& why) { left(peer, why); });
  peers_[peer] = std::move(connection);
}

void NodeDriver::left(NodeId peer, const std::string& why) {
  why_lost_[peer] = why;
  if (started_) return feed(PeerLost{peer});
  early_.emplace_back(PeerLost{peer});
}

void NodeDriver::meet_again(NodeId peer, const std::shared_ptr<Connection>& connection) {
  Returning& returning = returning_[peer];
  if (returning.connection) returning.connection->close();
  returning.early.clear();
  returning.connection = connection;
  const Connection* self = connection.get();
  const auto waits = [this, peer, self] {
    const auto found = returning_.find(peer);
    return found != returning_.end() && found->second.connection.get() == self;
  };
  connection->start(
      [this, peer, waits](const FrameHeader& header, Payload payload) {
        if (!waits()) return received(peer, header, std::move(payload));
        returning_[peer].early.emplace_back(header, std::move(payload));
      },
      [this, peer, waits](const std::string& why) {
        if (!waits()) return left(peer, why);
        returning_.erase(peer);
      });
  end_return(peer);
}

void NodeDriver::take_back(NodeId peer, std::int64_t incarnation) {
  returning_[peer].incarnation = incarnation;
  end_return(peer);
}

// Completes the return when both have arrived: the connection and the announcement.
void NodeDriver::end_return(NodeId peer) {
  const auto found = returning_.find(peer);
  if (!found->second.connection || found->second.incarnation == 0) return;
  Returning back = std::move(found->second);
  returning_.erase(found);
  mark_lost(peer);  // if the loss has not been noticed yet
  why_lost_.erase(peer);
  peers_[peer] = std::move(back.connection);
  feed(PeerBack{peer, back.incarnation});
  for (auto& [header, payload] : back.early) received(peer, header, std::move(payload));
}

void NodeDriver::mark_lost(NodeId peer) {
  if (const auto back = returning_.find(peer); back != returning_.end()) {
    back->second.incarnation = 0;
  }
  const auto found = peers_.find(peer);
  if (found == peers_.end() || found->second->closed()) return;  // the program knows it
  found->second->close();
  if (started_) return feed(PeerLost{peer});
  early_.emplace_back(PeerLost{peer});
}

void NodeDriver::start(Instant begins, Duration after) {
  start_ = Clock::now();
  begins_ = begins;
  if (after.ns <= 0) return begin();
  auto clock = std::make_shared<asio::steady_timer>(loop_, std::chrono::nanoseconds(after.ns));
  clock->async_wait([this, clock](boost::system::error_code error) {
    if (!error) begin();
  });
}

void NodeDriver::begin() {
  FT_CHECK(!started_);
  started_ = true;
  feed(Started{});
  for (Input& input : early_) feed(std::move(input));
  early_.clear();
}

void NodeDriver::stop() {
  for (auto& [peer, connection] : peers_) connection->close();
  peers_.clear();
  for (auto& [peer, returning] : returning_) {
    if (returning.connection) returning.connection->close();
  }
  returning_.clear();
  compute_.join();
  prefetcher_.join();
  if (keeper_) keeper_->join();
  computed_.close();
}

Instant NodeDriver::now() const {
  const Clock::duration passed = Clock::now() - start_;
  return begins_ + Duration{std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count()};
}

void NodeDriver::received(NodeId from, const FrameHeader& header, Payload payload) {
  if (!is_message(header.kind)) {
    hooks_.fault(Fault{from, "it sent a message out of turn"});
    return;
  }
  Received input{from, message_of(header, std::move(payload))};
  received_ += wire_size(input.message);
  if (!started_) {
    early_.emplace_back(std::move(input));
    return;
  }
  feed(std::move(input));
}

void NodeDriver::feed(Input input) {
  if (halted_) return;
  shake();
  ++fed_;
  Effects effects;
  const Instant time = now();
  if (hooks_.input) hooks_.input(time, input);
  program_->handle(time, std::move(input), effects);
  for (Effect& effect : effects) perform(effect);
}

void NodeDriver::perform(Effect& effect) {
  if (auto* send = std::get_if<Send>(&effect)) {
    begin_send(*send);
  } else if (auto* compute = std::get_if<Compute>(&effect)) {
    begin_job(std::move(compute->job));
  } else if (std::holds_alternative<SpentCost>(effect)) {
    // Its time has already passed.
  } else if (auto* timer = std::get_if<ArmTimer>(&effect)) {
    arm(*timer);
  } else if (auto* keep = std::get_if<SaveState>(&effect)) {
    begin_keep(std::move(*keep));
  } else if (auto* report = std::get_if<Report>(&effect)) {
    hooks_.report(*report);
  } else if (auto* finished = std::get_if<Finished>(&effect)) {
    hooks_.finished(*finished);
  } else {
    auto& fault = std::get<Fault>(effect);
    const auto lost = fault.peer ? why_lost_.find(*fault.peer) : why_lost_.end();
    if (lost != why_lost_.end()) fault.why += ": " + lost->second;
    hooks_.fault(fault);
  }
}

void NodeDriver::begin_send(Send& send) {
  shake();
  const auto peer = peers_.find(send.to);
  if (peer == peers_.end()) return hooks_.fault(Fault{send.to, "there is no connection to it"});
  sent_ += wire_size(send.message);
  ++messages_sent_;
  const FrameHeader header = header_of(send.message, id_);
  const std::uint32_t order = send.message.order();
  peer->second->send(header, std::move(send.message.payload), order);
}

// Waits for the job's preparation, executes the job, and keeps the core busy until `factor` times
// its duration; if a time is given, sleeps the rest of it instead.
JobResult NodeDriver::carry_out(const Job& job, const JobTerms& terms) {
  if (job.kind == JobKind::gradient && job.stage == 0 && terms.prepared.valid()) {
    terms.prepared.get();
  }
  const auto stretched = [&](auto time) {
    return std::chrono::duration_cast<Clock::duration>(time * terms.factor);
  };
  const auto begin = Clock::now();
  const bool alone = terms.place != JobPlace::compute_threads;
  Parallel& parallel = alone ? static_cast<Parallel&>(serial_) : threads_;
  const JobResult result = job.work ? job.work(parallel) : JobResult{};
  if (terms.given) {
    std::this_thread::sleep_until(begin + stretched(std::chrono::nanoseconds(terms.given->ns)));
  } else if (terms.factor > 1) {
    const auto end = begin + stretched(Clock::now() - begin);
    while (Clock::now() < end) {
    }
  }
  return result;
}

void NodeDriver::begin_prefetch(Job& job) {
  if (!job.prefetch) return;
  auto task = std::make_shared<std::packaged_task<void()>>(std::move(job.prefetch));
  prefetch_ = task->get_future().share();
  asio::post(prefetcher_, [task] { (*task)(); });
}

void NodeDriver::begin_job(Job job) {
  const auto given = times_.given(job);
  const JobTerms terms{place_of(job.cost, given.has_value()), times_.begin(job), given, prefetch_};
  begin_prefetch(job);
  if (terms.place == JobPlace::loop) {
    const Clock::time_point begin = timed_ ? Clock::now() : Clock::time_point();
    Computed computed{job.id, carry_out(job, terms)};
    if (timed_) computed.took = JobClock::on_loop(JobClock::since(begin));
    // Through the queue: a chain of small jobs must neither nest nor block the loop.
    asio::post(loop_, [this, computed, begin, before = fed_]() mutable {
      if (timed_ && fed_ == before) computed.took = JobClock::on_loop(JobClock::since(begin));
      feed(computed);
    });
    return;
  }
  const bool at_once = computing_++ == 0;
  computed_.expect();
  const Clock::time_point asked = timed_ ? Clock::now() : Clock::time_point();
  asio::post(compute_, [this, job = std::move(job), terms, asked, at_once]() mutable {
    Computed computed{job.id, {}};
    std::string broken;
    try {
      computed.result = carry_out(job, terms);
    } catch (const std::exception& error) {
      broken = error.what();
    }
    job = {};  // releases its data before the program continues
    if (timed_) computed.took = job_clock_.lap();
    computed_.hand_over([this, computed, broken, asked, at_once]() mutable {
      --computing_;
      if (!broken.empty()) return hooks_.fault(Fault{{}, broken});
      if (timed_)
        computed.took = job_clock_.handed_over(JobClock::since(asked), computed.took, at_once);
      feed(computed);
    });
  });
}

// The disk may be slow: only a program that asks for the result waits for it.
void NodeDriver::begin_keep(SaveState keep) {
  if (!keeper_) keeper_.emplace(1);
  asio::post(*keeper_, [this, keep = std::move(keep)]() mutable {
    const JobId job = keep.job;
    hooks_.keep(keep);
    keep = {};  // releases its data before the program continues
    asio::post(loop_, [this, job] { feed(Computed{job, {}}); });
  });
}

void NodeDriver::beside_keeps(std::function<void()> work) {
  if (!keeper_) keeper_.emplace(1);
  asio::post(*keeper_, std::move(work));
}

void NodeDriver::arm(const ArmTimer& timer) {
  auto clock =
      std::make_shared<asio::steady_timer>(loop_, std::chrono::nanoseconds(timer.after.ns));
  clock->async_wait([this, clock, id = timer.timer](boost::system::error_code error) {
    if (!error) feed(TimerFired{id});
  });
}

void NodeDriver::shake() {
  if (!delays_) return;
  const auto ns = delays_->below(static_cast<std::uint64_t>(max_delay_.ns));
  std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
}

}  // namespace foretrain::exec
