// Drives a node's program in virtual time.
#pragma once

#include "models/base/fifo.h"
#include "models/protocol/node.h"
#include "scenarios/stragglers.h"
#include "sim/cpu/job_time.h"
#include "sim/driver/input_feed.h"
#include "sim/driver/world.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// What the simulation wants to hear of.
struct Observer {
  std::function<void(NodeId, const Report&)> report;
  std::function<void(NodeId, const Finished&)> finished;
  std::function<void(NodeId, const Fault&)> fault;
  /// The chief judges the parameters: from now on, or (false) no more.
  std::function<void(NodeId, bool begins)> evaluating;
};

/// Where a node lives.
struct Place {
  std::size_t host = 0;
  int core = 0;
  int threads = 1;  ///< that compute: on this core, on the ones after it
};

/// What a node is made of.
struct NodeParts {
  NodeId id{};
  Place place;
  std::unique_ptr<Node> program;
  const JobTime* job_time = nullptr;  ///< of its host
  StragglerDraws stragglers;
  Stream jitter;
  Duration tensor;                   ///< of a message's CPU time on top of its host's, either side
  std::unique_ptr<InputFeed> input;  ///< a worker's; null: batches are there at no cost
  bool serves = false;               ///< a server
  bool neighbour = false;            ///< of a training that shares the hosts
};

/// A node as its host has it: an event loop that receives, sends and does small jobs, one after
/// another, and a compute thread for the others; both share one core, as in a run.
///
///     message arrives -> the loop notices, or is awake -> loop: receive cost -> program -> effects
///     Send            -> loop: send cost    -> network, or loopback -> arrives
///     Compute         -> loop (small) or compute thread: the job's time -> its work -> loop
///                        -> program
class SimNode : public Actor {
 public:
  /// Where the messages of a node go; by node id.
  using Peers = std::vector<std::unique_ptr<SimNode>>;

  SimNode(World& world, const Peers& peers, const Observer& observer, NodeParts parts);

  /// Now.
  void start();
  /// Its process stands still: no thread of it computes, receives or sends, until each call has its
  /// `go_on`. Bytes that the network has are on their way all the same. Before the start: it begins
  /// with the last `go_on`. `why`: what it is told apart as in the history.
  void stop(Resource why);
  void go_on();
  /// Its process is gone; the network still carries what it has of it.
  void die();
  /// A peer is gone, and its program is told; what comes from that peer is read no more.
  void lose(NodeId peer);
  void wake(Instant now, std::uint64_t token) override;

  /// CPU time used so far on this kind of work; polling for messages is transport.
  [[nodiscard]] Duration used(Work work) const;
  /// Time from its start until now, or its end, in which it computed no gradient, no evaluation,
  /// nor what a server does.
  [[nodiscard]] Duration waited() const;
  [[nodiscard]] Bytes sent() const { return sent_; }
  [[nodiscard]] Bytes received() const { return received_; }
  /// Of what it sent, to nodes of its host.
  [[nodiscard]] Bytes sent_within_host() const { return local_; }
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }
  /// That came when it was dead, or from a peer that it has lost.
  [[nodiscard]] Bytes undelivered() const { return undelivered_; }
  [[nodiscard]] const Place& place() const { return place_; }
  [[nodiscard]] const Node& program() const { return *program_; }

 private:
  /// What an event is about; its token is that with the slot of the mail, job or timer.
  enum class Stage : std::uint8_t {
    start,
    fed,
    sent,
    arrived,
    noticed,
    received,
    computed,
    done,
    timer,
    lost
  };
  static constexpr int kStageBits = 4;
  struct Unread {
    std::size_t slot = 0;  // of the mail
    Instant came;
    Instant noticed;  // unless the loop is awake before
  };
  struct JobUnderWay {
    Job job;
    int parts = 1;          // that are still computed
    Instant not_before;     // it ends then, should it be computed earlier
    Duration straggling{};  // of that time
    ActivityId computed = 0;
    Instant rests{};  // since then it waits for that
  };

  [[nodiscard]] Callback at_stage(Stage stage, std::size_t slot) {
    return {this, (std::uint64_t{slot} << kStageBits) | static_cast<std::uint64_t>(stage)};
  }

  /// Asks a thread of its own for work, then is woken.
  void spend(Cpu::ThreadId thread, const Effort& effort, Work work, Callback done,
             Cpu::Entry entry = Cpu::Entry::last, double contended = 0);
  /// It has been waiting for that since then; no-one worked meanwhile.
  ActivityId note_delay(Resource resource, Instant since, Instant until, ActivityId cause);
  [[nodiscard]] Effort message_effort(const AffineCost& cost, Bytes size) const;
  [[nodiscard]] Resource resource_of(const Job& job) const;
  void note_update();
  void rest_done(Instant now, JobUnderWay& under_way);

  void feed(Instant now, Input input);
  void count_polling(Instant now);
  void perform(Instant now, Effect& effect);
  void begin_send(Instant now, Send& send);
  void depart(Instant now, std::size_t slot);
  [[nodiscard]] Network::ConnectionId connection_to(NodeId peer);
  void arrive(Instant now, std::size_t slot);
  void read_all(Instant now);
  void notice_mail(Instant now);
  void receive(Instant now, std::size_t slot);
  void deliver(Instant now, std::size_t slot);
  [[nodiscard]] bool has_lost(NodeId peer) const;
  [[nodiscard]] bool polls(Instant at) const;
  [[nodiscard]] Duration notice(Instant now, NodeId from) const;
  [[nodiscard]] const TransportCost& transport_with(NodeId peer) const;
  void ask_for(Job job);
  void begin_job(Job job);
  [[nodiscard]] bool on_loop(const Job& job) const;
  void computed(Instant now, std::size_t slot);
  void draw_factor();
  void job_done(Instant now, Job job);

  World& world_;
  const Peers& peers_;
  const Observer& observer_;
  NodeId id_;
  Place place_;
  std::unique_ptr<Node> program_;
  const JobTime& job_time_;
  StragglerDraws stragglers_;
  Stream jitter_;
  double factor_ = 1;         // of the gradient that is computed
  double jitter_factor_ = 1;  // of that, what it is without stragglers
  Duration tensor_;
  bool serves_;
  bool neighbour_;
  Resource messages_;  // what they cost its core
  std::unique_ptr<InputFeed> input_;
  std::vector<Job> unfed_;  // stages of a gradient whose batch is not here
  Instant unfed_since_;
  ActivityId unfed_cause_ = 0;
  Cpu::ThreadId loop_;
  std::vector<Cpu::ThreadId> compute_;
  std::vector<Network::ConnectionId> connections_;  // by peer, from the lowest one
  std::size_t first_peer_ = 0;
  Slots<JobUnderWay> jobs_;
  Slots<TimerId> timers_;
  std::optional<Instant> begun_;
  std::optional<Instant> ended_;
  Instant active_;  // when the loop last did something
  Duration busy_;   // Cpu::busy of its core then
  Instant coming_;  // the message that came last began to, of those from other hosts
  Duration polled_;
  Fifo<Unread> unread_;  // messages that have come
  int computing_ = 0;    // jobs on the compute thread
  Bytes sent_;
  Bytes received_;
  Bytes local_;
  std::int64_t messages_sent_ = 0;
  Bytes undelivered_;
  int stops_ = 0;  // that have no `go_on` yet
  bool dead_ = false;
  std::vector<NodeId> lost_;  // peers
};

}  // namespace foretrain::sim
