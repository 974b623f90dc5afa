// The messages of a node, those it sends as those it gets.
#pragma once

#include "sim/node/cache_use.h"
#include "sim/node/connections.h"
#include "sim/node/loop.h"
#include "sim/node/polling.h"
#include "sim/node/process.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace foretrain::sim {

/// What a node has sent and received so far.
struct Traffic {
  Bytes sent;
  Bytes received;
  Bytes within_host;  ///< of what it sent
  std::int64_t messages_sent = 0;
  Bytes undelivered;  ///< came when it was dead, or from a peer that it has lost

  Traffic& operator+=(const Traffic& other) {
    sent += other.sent;
    received += other.received;
    within_host += other.within_host;
    messages_sent += other.messages_sent;
    undelivered += other.undelivered;
    return *this;
  }
};

/// What another program spends on a node's messages on top of what its host does
/// (scenarios/spec/framework.h).
struct FrameworkCosts {
  Duration tensor;  ///< of a message, either side
  ServerCost push;  ///< of a gradient that comes to a server, on a thread of it
  std::shared_ptr<const Layout> layout;  ///< that says how many tensors that has
};

/// Sends and receives, on the node's event loop:
///
///     send    -> loop: send cost -> network, or loopback -> arrives at the peer's mailbox
///     arrives -> the loop notices, or is awake -> loop: receive cost
///             -> (a gradient whose handling costs: one of the threads that compute, in turn)
///             -> the program is told
///
/// Between two devices of a host that have links a message is no core's work; it takes the link.
/// Between two cores of a host a message is copied segment by segment (kLoopbackSegment), and its
/// receiver copies one as the sender does the next. So it leaves before its sender is done with it:
/// when the receiver, if it begins then, ends with the last segment, or when the first one is
/// there.
///
/// 1. A loop notices when it next looks: at once on its core's turn where that works or has
///    yielded, on an idle core a `handoff` later where it polls, a `wake` later where it sleeps.
/// 2. A loop that is awake, whatever for, reads all that has come.
/// 3. One that polled when others took its core has yielded to them, and waits for its turn. So
///    does one that slept: it runs when the others are through, or their slices. Unless they are
///    before, the kernel lets it go before those that have had more a `preempt` after it was woken.
/// 4. What comes from a lost peer is read no more. One that is back has a mailbox of its own: what
///    was sent to the lost one, or by it, is not its concern.
class Mailbox : public Actor {
 public:
  /// By node id, of its last process.
  using Peers = std::vector<Mailbox*>;

  /// `brings_update`: as its protocol says; `cache_use`: may be null. The others, of the same node,
  /// outlive this, as `peers` do.
  Mailbox(World& world, NodeId id, const Peers& peers, Process& process, Polling& polling,
          Loop& loop, const FrameworkCosts& framework,
          const std::vector<MessageKind>& brings_update, CacheUse* cache_use);

  /// `worked`: what its node has done besides, which goes first.
  void send(Instant now, Send& send, Duration worked);
  /// The loop is awake.
  void read_all(Instant now);
  /// Its node is dead.
  void close() { closed_ = true; }
  /// False: the last process of this peer is lost already.
  bool lose(NodeId peer);
  /// The next process of a lost peer is known from now on.
  void take_back(NodeId peer);
  void wake(Instant now, std::uint64_t token) override;
  void expect(std::uint64_t token) const override;

  [[nodiscard]] const Traffic& traffic() const { return traffic_; }

 private:
  /// What an event is about; its token is that with the slot of the mail.
  enum class Stage : std::uint8_t {
    sent,
    streamed,
    arrived,
    noticed,
    turn,
    pressed,
    received,
    handled
  };
  static constexpr int kStageBits = 3;
  struct Unread {
    std::size_t slot = 0;  // of the mail
    Instant came;
    Instant noticed;  // unless the loop is awake before
  };

  [[nodiscard]] Callback at_stage(Stage stage, std::size_t slot) {
    return {this, (std::uint64_t{slot} << kStageBits) | static_cast<std::uint64_t>(stage)};
  }
  struct Lost {
    Mailbox* mailbox = nullptr;
    NodeId peer{};
    bool replaced = false;  // the peer is back
  };

  /// Where messages to a peer go; of a lost one into the void.
  [[nodiscard]] Mailbox* mailbox_of(NodeId peer) const;
  [[nodiscard]] bool is_of_lost(const Mail& mail) const;
  [[nodiscard]] const Place& place_of(NodeId peer) const { return peers_[index_of(peer)]->place_; }
  /// The peer's device is on the same host, a link away: no core copies what they say.
  [[nodiscard]] bool device_joined_to(NodeId peer) const;
  /// What messages between it and a peer cost.
  [[nodiscard]] const TransportCost& transport_with(NodeId peer) const;
  /// Of a message that takes so long, after what its node has worked, with the framework's share.
  [[nodiscard]] Effort effort(Duration own, Duration worked) const;
  /// Until the memory that it is put into is there.
  [[nodiscard]] Duration refill(const Mail& mail) const;
  [[nodiscard]] bool brings_update(const Message& message) const;
  void depart(Instant now, std::size_t slot);
  void arrive(Instant now, std::size_t slot);
  /// The loop sleeps, and others have its core.
  [[nodiscard]] bool sleeps_beside_others(Instant now, NodeId from) const;
  /// It polled when others took its core, within a slice.
  [[nodiscard]] bool has_yielded(Instant now) const;
  /// How long the loop takes to notice what comes now, else.
  [[nodiscard]] Duration notice(Instant now, NodeId from) const;
  /// A loop that sleeps beside others is woken.
  void line_up(Instant now, const Mail& mail);
  void look(Instant now);
  void receive(Instant now, std::size_t slot);
  /// The message is read.
  void received(Instant now, std::size_t slot);
  void deliver(Instant now, std::size_t slot);

  // What every peer looks at comes first, what a message touches next: thousands of nodes do not
  // fit into a cache.
  Place place_;
  NodeId id_;
  bool closed_ = false;
  Process& process_;
  Polling& polling_;
  World& world_;
  const Peers& peers_;
  bool lined_up_ = false;  // woken, it waits for its turn, then reads
  Instant pressing_;       // until then it lets others go before it
  Fifo<Unread> unread_;    // messages that have come
  Traffic traffic_;
  FrameworkCosts framework_;
  int next_thread_ = 0;  // that handles a gradient
  const std::vector<MessageKind>& brings_update_;
  Loop& loop_;
  CacheUse* cache_use_;
  std::vector<Lost> lost_;
  Connections connections_;
};

}  // namespace foretrain::sim
