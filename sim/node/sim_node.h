// Drives a node's program in virtual time.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "scenarios/spec/disk.h"
#include "sim/node/jobs.h"
#include "sim/node/loop.h"
#include "sim/node/mailbox.h"
#include "sim/node/polling.h"
#include "sim/node/process.h"

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
  /// Its state is on its way to the disk. Empty: nobody reads states.
  std::function<void(NodeId, const Keep&)> keeping;
  /// Its state is on the disk; it took so long.
  std::function<void(NodeId, std::int64_t cut, Bytes size, Duration took)> kept;
  /// The chief evaluates the parameters: from now on, or (false) no more.
  std::function<void(NodeId, bool begins)> evaluating;
};

/// What a node is made of.
struct NodeParts {
  NodeId id{};
  Place place;
  std::unique_ptr<Node> program;
  const JobTime* job_time = nullptr;  ///< of its host
  RecordedTimes recorded;             ///< of its jobs; of a forecast none
  GradientTimes times;
  Stream jitter;
  FrameworkCosts framework;          ///< of its messages
  std::unique_ptr<InputFeed> input;  ///< a worker's; null: batches are there at no cost
  DiskCost disk;                     ///< that states are kept on
  const Protocol* protocol = nullptr;
  std::shared_ptr<const Training> training;
  bool serves = false;     ///< a server
  bool neighbour = false;  ///< of a training that shares the hosts
};

/// A node as its host has it: an event loop that tells the program what happened and performs what
/// it wants done, one thing after another. Its parts:
///
///     process   its threads on their cores; stands still, goes on
///     polling   how the loop waits
///     mailbox   Send -> network -> Received
///     jobs      Compute -> cores -> Computed
///
/// Timers ring here: on time, or when the process goes on. States that are kept go to the disk of
/// the host here, one after another, and take what DiskCost says.
///
/// Realism: the rate is one figure for all sizes; copying and hashing, which are in it, cost no
/// core anything, and nodes of a host do them in turn.
class SimNode : public Actor, private Loop {
 public:
  using Peers = std::vector<std::unique_ptr<SimNode>>;

  /// `mailboxes`: where the messages of a node go; by node id. Its own is added, or takes the place
  /// of that of a process which is gone.
  SimNode(World& world, Mailbox::Peers& mailboxes, const Observer& observer, NodeParts parts);

  /// Now.
  void start();
  /// Its process stands still until each call has its `go_on`. Before the start: it begins with the
  /// last `go_on`. `why`: what it is told apart as in the history.
  void stop(Resource why) { process_.stop(why); }
  void go_on() { process_.go_on(); }
  /// Its process is gone; the network still carries what it has of it.
  void die();
  /// The same, and nobody asks for its program any more.
  void die_for_good();
  /// A peer is gone, and its program is told, once; what comes from that peer is read no more.
  void lose(NodeId peer);
  /// One that was lost is back as its `generation`-th process, and its program is told.
  void take_back(NodeId peer, std::int64_t generation);
  void wake(Instant now, std::uint64_t token) override;

  /// CPU time used so far on this kind of work; polling for messages is transport.
  [[nodiscard]] Duration used(Work work) const;
  /// Time from its start until now, or its end, in which it computed no gradient, no evaluation,
  /// nor what a server does.
  [[nodiscard]] Duration waited() const;
  [[nodiscard]] const Traffic& traffic() const { return mailbox_.traffic(); }
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const Place& place() const { return process_.place(); }
  [[nodiscard]] const Node& program() const { return *program_; }

 private:
  /// What an event is about; its token is that with the slot of the timer, the number of the peer,
  /// its generation above it.
  enum class Stage : std::uint8_t { start, timer, lost, back, worked, written, kept };
  static constexpr int kStageBits = 3;
  static constexpr int kPeerBits = 32;
  /// A state on its way to the disk.
  struct Keeping {
    JobId job{};
    std::int64_t cut = 0;
    Bytes size;
    Instant since;
    ActivityId cause = 0;
  };

  /// A timer that has been armed.
  struct Armed {
    TimerId timer{};
    bool of_framework = false;
    Instant since;
    ActivityId cause = 0;
  };

  [[nodiscard]] Callback at_stage(Stage stage, std::size_t slot) {
    return {this, (std::uint64_t{slot} << kStageBits) | static_cast<std::uint64_t>(stage)};
  }
  void begin(Instant now);
  void feed(Instant now, Input input) override;
  void read_mail(Instant now) override { mailbox_.read_all(now); }
  void evaluating(bool begins) override { observer_.evaluating(id_, begins); }
  void perform(Instant now, Effect& effect);
  void arm(Instant now, const ArmTimer& timer);
  void ring(Instant now, const Armed& armed);
  void begin_keep(Instant now, const Keep& keep);
  void written(Instant now, std::size_t slot);

  World& world_;
  const Observer& observer_;
  NodeId id_;
  std::unique_ptr<Node> program_;
  const JobTime& job_time_;
  Process process_;
  Polling polling_;
  std::unique_ptr<CacheUse> cache_use_;
  Mailbox mailbox_;
  Jobs jobs_;
  Slots<Armed> timers_;
  DiskCost disk_;
  Slots<Keeping> keeping_;
  Duration worked_;  // that what it wants done next has to wait for
  std::optional<Instant> begun_;
  std::optional<Instant> ended_;
};

}  // namespace foretrain::sim
