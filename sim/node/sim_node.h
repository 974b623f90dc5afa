// A node's program driven in virtual time.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/protocol.h"
#include "scenarios/spec/disk_cost.h"
#include "sim/node/jobs.h"
#include "sim/node/loop.h"
#include "sim/node/mailbox.h"
#include "sim/node/polling.h"
#include "sim/node/sim_process.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace foretrain::sim {

/// Callbacks for events that the simulation observes.
struct Observer {
  std::function<void(NodeId, const Report&)> report;
  std::function<void(NodeId, const Finished&)> finished;
  std::function<void(NodeId, const Fault&)> fault;
  /// A write of the node's state to the disk begins. Empty if states are not read.
  std::function<void(NodeId, const SaveState&)> keeping;
  /// The write of the node's state is complete; it took `took`.
  std::function<void(NodeId, std::int64_t cut, Bytes size, Duration took)> kept;
  /// The chief's evaluation begins, or ends if false.
  std::function<void(NodeId, bool begins)> evaluating;
};

/// Components of a node.
struct NodeParts {
  NodeId id{};
  Place place;
  std::unique_ptr<Node> program;
  const JobTime* job_time = nullptr;  ///< for its host
  RecordedTimes recorded;             ///< of its jobs; empty in a forecast
  GradientTimes times;
  Stream jitter;
  FrameworkCosts framework;          ///< of its messages
  std::unique_ptr<InputFeed> input;  ///< of a worker; null if batches cost nothing
  DiskCost disk;                     ///< disk that its states are saved on
  const Protocol* protocol = nullptr;
  std::shared_ptr<const Training> training;
  bool serves = false;         ///< true for a server
  bool colocated_job = false;  ///< true for a training that shares the hosts
};

/// A node on its host: an event loop that passes inputs to the program and performs the resulting
/// effects, one after another. Its parts:
///
///     process   its threads on their cores; stops, resumes
///     polling   how the loop waits
///     mailbox   Send -> network -> Received
///     jobs      Compute -> cores -> Computed
///
/// Timers fire here: on time, or when the process resumes. Saved states are written to the disk of
/// the host here, one after another, with the time of DiskCost.
///
/// Realism: one write rate for all sizes; it includes copying and hashing, which therefore cost no
/// core anything; the nodes of a host write in turn.
class SimNode : public Actor, private Loop {
 public:
  using Peers = std::vector<std::unique_ptr<SimNode>>;

  /// `mailboxes`: mailboxes of all nodes by id. This node's is added, or replaces that of its
  /// previous process.
  SimNode(World& world, Mailbox::Peers& mailboxes, const Observer& observer, NodeParts parts);

  /// The node begins now.
  void start();
  /// Stops the process until each call has its `go_on`. If called before the start, the node begins
  /// with the last `go_on`. `why`: the reason that the history records.
  void stop(Resource why) { process_.stop(why); }
  void go_on() { process_.go_on(); }
  /// The process is gone; the network still carries its messages.
  void die();
  /// As `die`; the program is destroyed, too.
  void die_for_good();
  /// A peer is gone: notifies the program once, and reads no more messages of that peer.
  void mark_lost(NodeId peer);
  /// A lost peer has returned as its `incarnation`-th process: notifies the program.
  void take_back(NodeId peer, std::int64_t incarnation);
  void wake(Instant now, std::uint64_t token) override;

  /// CPU time used so far on this kind of work; polling for messages counts as transport.
  [[nodiscard]] Duration used(Work work) const;
  /// Time from its start until now, or until its end, without the time in which its first core
  /// computed gradients, evaluations or a server's work.
  [[nodiscard]] Duration waited() const;
  [[nodiscard]] const Traffic& traffic() const { return mailbox_.traffic(); }
  [[nodiscard]] NodeId id() const { return id_; }
  [[nodiscard]] const Place& place() const { return process_.place(); }
  [[nodiscard]] const Node& program() const { return *program_; }

 private:
  /// Kind of an event; its token combines it with the slot of the timer, or with the number of the
  /// peer and above that its incarnation.
  enum class Stage : std::uint8_t { start, timer, lost, back, spent, written, kept };
  static constexpr int kStageBits = 3;
  static constexpr int kPeerBits = 32;
  /// A state that is being written.
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
  void begin_keep(Instant now, const SaveState& keep);
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
  Duration worked_;  // work that the next effects must wait for
  std::optional<Instant> begun_;
  std::optional<Instant> ended_;
};

}  // namespace foretrain::sim
