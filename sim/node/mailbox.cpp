#include "sim/node/mailbox.h"

#include "sim/engine/fetch.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {

/// Part of the sending time that overlaps with receiving. `miss_penalty`: cache-miss penalty of
/// either side.
Duration streamed(const TransportCost& cost, Bytes size, Duration miss_penalty) {
  if (size <= kLoopbackSegment) return {};
  const auto bytes = static_cast<double>(size.value);
  const double both_s = bytes * std::min(cost.send.per_item_s, cost.receive.per_item_s);
  const double later = 1 - static_cast<double>(kLoopbackSegment.value) / bytes;
  return Duration::from_seconds(later * (both_s + miss_penalty.seconds()));
}

}  // namespace

Mailbox::Mailbox(World& world, NodeId id, const Peers& peers, Process& process, Polling& polling,
                 Loop& loop, const FrameworkCosts& framework,
                 const std::vector<MessageKind>& brings_update, CacheUse* cache_use)
    : place_(process.place()),
      id_(id),
      process_(process),
      polling_(polling),
      world_(world),
      peers_(peers),
      framework_(framework),
      brings_update_(brings_update),
      loop_(loop),
      cache_use_(cache_use) {}

void Mailbox::expect(std::uint64_t token) const {
  fetch(*this);
  world_.mail.expect(token >> kStageBits);
}

void Mailbox::wake(Instant now, std::uint64_t token) {
  const std::size_t slot = token >> kStageBits;
  switch (static_cast<Stage>(token & ((1U << kStageBits) - 1))) {
    case Stage::arrived: {
      const Mailbox& sender = *world_.mail[slot].sender;
      arrive(now, slot);
      // `arrive` comes first: a ring sends its next message in it, and the device stays slow.
      if (place_.device && sender.place_.device) {
        process_.count_transfer(-1);
        sender.process_.count_transfer(-1);
      }
      return;
    }
    case Stage::noticed:
      return look(now);
    case Stage::turn:
      lined_up_ = false;
      break;
    case Stage::preempt_due:
      if (!lined_up_ || now < pressing_) return;
      lined_up_ = false;
      process_.preempt_for_loop();
      break;
    case Stage::sent:
      polling_.active(now);
      depart(now, slot);
      break;
    case Stage::streamed:
      polling_.active(now);
      break;
    case Stage::received:
      received(now, slot);
      break;
    case Stage::handled:
      polling_.active(now);
      deliver(now, slot);
      break;
  }
  read_all(now);
}

bool Mailbox::mark_lost(NodeId peer) {
  Mailbox* last = peers_[index_of(peer)];
  if (std::ranges::find(lost_, last, &Lost::mailbox) != lost_.end()) return false;
  lost_.push_back({last, peer});
  return true;
}

void Mailbox::take_back(NodeId peer) {
  const auto lost = std::ranges::find_if(
      lost_, [peer](const Lost& each) { return each.peer == peer && !each.replaced; });
  lost->replaced = true;
  connections_.drop(peer);
}

Mailbox* Mailbox::mailbox_of(NodeId peer) const {
  for (const Lost& lost : lost_) {
    if (lost.peer == peer && !lost.replaced) return lost.mailbox;
  }
  return peers_[world_.fold ? index_of(world_.fold->image(peer)) : index_of(peer)];
}

bool Mailbox::is_of_lost(const Mail& mail) const {
  return std::ranges::find(lost_, mail.sender, &Lost::mailbox) != lost_.end();
}

// All hosts that are not simulated are other hosts.
Mailbox::PeerPath Mailbox::find_path(NodeId peer) const {
  const NodeId image = world_.fold ? world_.fold->image(peer) : peer;
  const Host& host = process_.host();
  PeerPath path{peer, peers_[index_of(image)]->place_};
  if (image != peer) path.place.host = world_.fold->host_of(peer);
  static const TransportCost kByNetworkCards;
  if (path.place.host != place_.host) {
    const bool rdma = host.rdma && mailbox_of(peer)->process_.host().rdma;
    path.transport = rdma ? &kByNetworkCards : &host.remote;
    return path;
  }
  path.transport = path.place.core == place_.core ? &host.one_core : &host.local;
  path.joined = place_.device && path.place.device && host.device_links;
  return path;
}

CostBreakdown Mailbox::effort(Bytes size, Duration own, Duration spent) const {
  const TimeFactors& factors = world_.time_factors;
  const Resource resource = process_.history().messages();
  CostBreakdown effort(resource, spent + factors.scaled(resource, own));
  const Duration added = framework_.message.of(static_cast<double>(size.value));
  return effort.add(Resource::framework, factors.scaled(Resource::framework, added));
}

Duration Mailbox::miss_penalty(const Mail& mail) const {
  if (cache_use_ == nullptr) return {};
  const Message& message = mail.message;
  const Duration time = cache_use_->before(mail.from, message, !brings_update(message));
  return world_.time_factors.scaled(process_.history().messages(), time);
}

bool Mailbox::brings_update(const Message& message) const {
  return std::ranges::find(brings_update_, message.kind) != brings_update_.end();
}

// Out ------------------------------------------------------------------------------------------

void Mailbox::send(Instant now, Send& send, Duration spent) {
  const Bytes size = wire_size(send.message);
  const PeerPath& path = path_to(send.to);
  const TransportCost& transport = *path.transport;
  const bool by_core = !path.joined;
  const bool overlaps = path.place.host == place_.host && path.place.core != place_.core && by_core;
  const Duration miss_penalty =
      cache_use_ != nullptr ? cache_use_->before_sent(send.to, send.message) : Duration{};
  const Duration copied = transport.sending(size) + miss_penalty;
  const Duration own = by_core ? copied : Duration{};
  const Duration later = overlaps ? streamed(transport, size, miss_penalty) : Duration{};
  const CostBreakdown cost = effort(size, own - later, spent);
  const std::size_t slot =
      world_.mail.keep({id_, send.to, this, mailbox_of(send.to), std::move(send.message), {}});
  if (cost.total().ns == 0 && process_.cpu().is_free(process_.loop())) return depart(now, slot);
  process_.run(process_.loop(), cost, Work::transport, at_stage(Stage::sent, slot));
  if (later.ns == 0) return;
  const Resource resource = process_.history().messages();
  const CostBreakdown rest(resource, world_.time_factors.scaled(resource, later));
  process_.run(process_.loop(), rest, Work::transport, at_stage(Stage::streamed, 0));
}

// The sender's part is done: the message leaves.
void Mailbox::depart(Instant now, std::size_t slot) {
  Mail& mail = world_.mail[slot];
  const Bytes size = wire_size(mail.message);
  traffic_.sent += size;
  ++traffic_.messages_sent;
  const Callback arrived = mail.receiver->at_stage(Stage::arrived, slot);
  const PeerPath& path = path_to(mail.to);
  const bool same_host = path.place.host == place_.host;
  if (place_.device && path.place.device) {
    process_.count_transfer(1);
    mail.receiver->process_.count_transfer(1);
  }
  if (same_host) traffic_.within_host += size;
  if (same_host && !path.joined) {
    mail.activity = process_.history().current();
    return world_.engine.schedule(now, arrived);
  }
  Fabric& fabric = *world_.fabric;
  const auto connection = connections_.to(mail.to, place_, path.place, fabric);
  mail.coming = now + fabric.latency(connection);
  const std::uint32_t order = mail.message.order();
  if (world_.fold) world_.fold->shift(mail.from, mail.to, mail.message);
  fabric.send(connection, size, order, arrived);
}

// In -------------------------------------------------------------------------------------------

// The last byte has reached this host.
void Mailbox::arrive(Instant now, std::size_t slot) {
  Mail& mail = world_.mail[slot];
  const Bytes size = wire_size(mail.message);
  if (closed_ || is_of_lost(mail)) {
    traffic_.undelivered += size;
    world_.mail.take(slot);
    return;
  }
  traffic_.received += size;
  const PeerPath& path = path_to(mail.from);
  const bool same_host = path.place.host == place_.host;
  const bool by_network = !same_host || path.joined;
  if (!same_host) polling_.packets_came(mail.coming);
  if (by_network) mail.activity = process_.history().current();
  if (lined_up_ || sleeps_beside_others(now, mail.from)) {
    // A message that arrived while the core was idle has already woken the loop.
    if (!lined_up_ && unread_.empty()) enqueue(now, mail);
    return unread_.push_back({slot, now, lined_up_ ? pressing_ : unread_.front().noticed});
  }
  const Instant noticed = now + notice(now, mail.from);
  unread_.push_back({slot, now, noticed});
  if (noticed == now) return read_all(now);
  world_.engine.schedule(noticed, at_stage(Stage::noticed, 0));
}

bool Mailbox::has_yielded(Instant now) const {
  const Instant busy_since = process_.cpu().busy_since(place_.core);
  return polling_.polls(busy_since) && now - busy_since < process_.host().slice;
}

// If the kernel schedules woken threads at once (no `preempt`), the loop counts as awake.
bool Mailbox::sleeps_beside_others(Instant now, NodeId from) const {
  const Cpu& cpu = process_.cpu();
  return !cpu.idle(place_.core) && cpu.is_free(process_.loop()) && !polling_.polls(now) &&
         !has_yielded(now) && path_to(from).transport->preempt.ns > 0;
}

// A loop that works or has yielded looks when its turn comes; `receive` handles that.
Duration Mailbox::notice(Instant now, NodeId from) const {
  if (!process_.cpu().idle(place_.core)) return {};
  const TransportCost& transport = *path_to(from).transport;
  return world_.time_factors.scaled(Resource::latency,
                                    polling_.polls(now) ? transport.handoff : transport.wake);
}

void Mailbox::enqueue(Instant now, const Mail& mail) {
  const Duration preempt =
      world_.time_factors.scaled(Resource::latency, path_to(mail.from).transport->preempt);
  lined_up_ = true;
  pressing_ = now + preempt;
  process_.history().go_on_from(mail.activity);
  process_.wake_loop(at_stage(Stage::turn, 0));
  world_.engine.schedule(pressing_, at_stage(Stage::preempt_due, 0));
}

// Handles the notice, unless the loop was awake earlier.
void Mailbox::look(Instant now) {
  const auto due = [now](const Unread& unread) { return unread.noticed <= now; };
  if (std::ranges::any_of(unread_, due)) read_all(now);
}

void Mailbox::read_all(Instant now) {
  while (!unread_.empty()) {
    const Unread unread = unread_.pop_front();
    ActivityId& activity = world_.mail[unread.slot].activity;
    activity = process_.history().waited(Resource::latency, unread.came, now, activity);
    receive(now, unread.slot);
  }
}

void Mailbox::receive(Instant now, std::size_t slot) {
  const Cpu& cpu = process_.cpu();
  const Mail& mail = world_.mail[slot];
  const Bytes size = wire_size(mail.message);
  const PeerPath& path = path_to(mail.from);
  const CostBreakdown cost =
      effort(size, path.joined ? Duration{} : path.transport->receiving(size), miss_penalty(mail));
  process_.history().go_on_from(mail.activity);
  const bool yielded = has_yielded(now);
  if (cost.total().ns == 0 && !yielded && cpu.is_free(process_.loop())) return received(now, slot);
  process_.run(process_.loop(), cost, Work::transport, at_stage(Stage::received, slot),
               yielded ? Cpu::Entry::last : Cpu::Entry::woken);
}

void Mailbox::received(Instant now, std::size_t slot) {
  const Message& message = world_.mail[slot].message;
  if (framework_.push == ServerCost{} || message.kind != MessageKind::push) {
    return deliver(now, slot);
  }
  const Duration takes = framework_.push.of(static_cast<double>(wire_size(message).value),
                                            framework_.layout->buckets[message.bucket].tensors);
  const CostBreakdown handling(Resource::framework,
                               world_.time_factors.scaled(Resource::framework, takes));
  process_.compute(0, handling, at_stage(Stage::handled, slot), Cpu::ShareMode::shared);
}

void Mailbox::deliver(Instant now, std::size_t slot) {
  polling_.active(now);
  Mail mail = world_.mail.take(slot);
  if (is_of_lost(mail)) return;  // the sender was lost after this was read
  if (brings_update(mail.message)) process_.history().updated();
  loop_.feed(now, Received{mail.from, std::move(mail.message)});
}

}  // namespace foretrain::sim
