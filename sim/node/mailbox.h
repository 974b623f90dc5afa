// The messages that a node sends with those that it receives.
#pragma once

#include "sim/node/cache_use.h"
#include "sim/node/connections.h"
#include "sim/node/loop.h"
#include "sim/node/polling.h"
#include "sim/node/sim_process.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain::sim {

/// Totals of a node's messages so far.
struct Traffic {
  Bytes sent;
  Bytes received;
  Bytes within_host;  ///< part of `sent`
  std::int64_t messages_sent = 0;
  Bytes undelivered;  ///< arrived after its death, or from a lost peer

  Traffic& operator+=(const Traffic& other) {
    sent += other.sent;
    received += other.received;
    within_host += other.within_host;
    messages_sent += other.messages_sent;
    undelivered += other.undelivered;
    return *this;
  }
};

/// Time that another framework adds to a node's messages, on top of the host's costs
/// (scenarios/spec/framework.h).
struct FrameworkCosts {
  AffineCost message;  ///< by the bytes of a message, on either side
  ServerCost push;     ///< per gradient that a server receives, on one of its threads
  std::shared_ptr<const Layout> layout;  ///< gives the number of tensors of a gradient
};

/// Sends and receives on the node's event loop:
///
///     send    -> loop: send cost -> network, or loopback -> arrives at the peer's mailbox
///     arrives -> the loop notices it, or is awake -> loop: receive cost
///             -> (a gradient with a handling cost: one of the compute threads, round robin)
///             -> the program is notified
///
/// Between two linked devices of a host a message costs no core anything; it takes the link.
/// Between two cores of a host a message is copied segment by segment (kLoopbackSegment), and the
/// receiver copies a segment while the sender copies the next. So it leaves before its sender is
/// done: early enough that a receiver which begins then ends with the last segment, but not before
/// the first segment is there.
///
/// 1. A loop notices a message when it next looks. If its core is busy: when its turn comes,
///    provided that it works or has yielded. If its core is idle: `handoff` later if it polls,
///    `wake` later if it sleeps.
/// 2. A loop that is awake, for whatever reason, reads all messages that have arrived.
/// 3. A loop that polled when other threads took its core has yielded to them, and waits for its
///    turn. So does a loop that slept: it runs when the others are done or their slices are over.
///    If it is still waiting `preempt` after its wake-up, the kernel lets it run before threads
///    that have used more CPU time.
/// 4. Messages of a lost peer are not read any more. A peer that returns has a new mailbox:
///    messages sent to the lost one, or by it, do not concern it.
class Mailbox : public Actor {
 public:
  /// Mailbox of the latest process of each simulated node (sim/world/fold.h), by node id.
  using Peers = std::vector<Mailbox*>;

  /// `brings_update`: message kinds of the protocol that bring an update. `cache_use`: may be null.
  /// All belong to the same node and outlive this; so does `peers`.
  Mailbox(World& world, NodeId id, const Peers& peers, Process& process, Polling& polling,
          Loop& loop, const FrameworkCosts& framework,
          const std::vector<MessageKind>& brings_update, CacheUse* cache_use);

  /// `spent`: time that the node's program has spent before the message can be sent.
  void send(Instant now, Send& send, Duration spent);
  /// The loop is awake: reads all messages that have arrived.
  void read_all(Instant now);
  /// The node is dead.
  void close() { closed_ = true; }
  /// Returns false if the last process of this peer is already lost.
  bool mark_lost(NodeId peer);
  /// The next process of a lost peer takes its place from now on.
  void take_back(NodeId peer);
  void wake(Instant now, std::uint64_t token) override;
  void expect(std::uint64_t token) const override;

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  /// Kind of an event; its token combines it with the slot of the mail.
  enum class Stage : std::uint8_t {
    sent,
    streamed,
    arrived,
    noticed,
    turn,
    preempt_due,
    received,
    handled
  };
  static constexpr int kStageBits = 3;
  struct Unread {
    std::size_t slot = 0;  // of the mail
    Instant came;
    Instant noticed;  // at the latest; earlier if the loop is awake
  };

  [[nodiscard]] Callback at_stage(Stage stage, std::size_t slot) {
    return {this, (std::uint64_t{slot} << kStageBits) | static_cast<std::uint64_t>(stage)};
  }
  struct Lost {
    Mailbox* mailbox = nullptr;
    NodeId peer{};
    bool replaced = false;  // the peer is back
  };

  /// Destination of messages to a peer; for a lost one its old mailbox, which discards them.
  [[nodiscard]] Mailbox* mailbox_of(NodeId peer) const;
  [[nodiscard]] bool is_of_lost(const Mail& mail) const;
  /// The path of messages between this node and a peer.
  struct PeerPath {
    NodeId peer{};
    Place place{};                             ///< of the peer
    const TransportCost* transport = nullptr;  ///< null: not known yet
    bool joined = false;  ///< two devices of a host with a link: no core copies messages
  };
  [[nodiscard]] const PeerPath& path_to(NodeId peer) const {
    PeerPath& path = paths_[index_of(peer) % paths_.size()];
    if (path.transport == nullptr || path.peer != peer) path = find_path(peer);
    return path;
  }
  [[nodiscard]] PeerPath find_path(NodeId peer) const;
  /// Cost of a message of this size: `spent`, its `own` cost and the framework's share.
  [[nodiscard]] CostBreakdown effort(Bytes size, Duration own, Duration spent) const;
  /// Cache-miss penalty of the memory that receives the message.
  [[nodiscard]] Duration miss_penalty(const Mail& mail) const;
  [[nodiscard]] bool brings_update(const Message& message) const;
  void depart(Instant now, std::size_t slot);
  void arrive(Instant now, std::size_t slot);
  /// The loop sleeps while other threads have its core.
  [[nodiscard]] bool sleeps_beside_others(Instant now, NodeId from) const;
  /// The loop polled when other threads took its core, less than a slice ago.
  [[nodiscard]] bool has_yielded(Instant now) const;
  /// Otherwise: the time until the loop notices a message that arrives now.
  [[nodiscard]] Duration notice(Instant now, NodeId from) const;
  /// Wakes a loop that sleeps while other threads have its core.
  void enqueue(Instant now, const Mail& mail);
  void look(Instant now);
  void receive(Instant now, std::size_t slot);
  /// The loop has read the message.
  void received(Instant now, std::size_t slot);
  void deliver(Instant now, std::size_t slot);

  // Fields that every peer reads come first, then those that a message touches: thousands of nodes
  // do not fit into a cache.
  Place place_;
  NodeId id_;
  bool closed_ = false;
  Process& process_;
  Polling& polling_;
  World& world_;
  const Peers& peers_;
  bool lined_up_ = false;  // woken; it waits for its turn, then reads
  Instant pressing_;       // the preempt timer's end: until then other threads run first
  Fifo<Unread> unread_;    // messages that have arrived
  Traffic traffic_;
  FrameworkCosts framework_;
  const std::vector<MessageKind>& brings_update_;
  Loop& loop_;
  CacheUse* cache_use_;
  std::vector<Lost> lost_;
  Connections connections_;
  mutable std::array<PeerPath, 4> paths_{};  // a cache; a message needs its path several times
};

}  // namespace foretrain::sim
