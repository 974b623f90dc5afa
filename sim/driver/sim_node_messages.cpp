// How a node sends, how it receives.
#include "sim/driver/sim_node.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain::sim {

// What messages between it and a peer cost.
const TransportCost& SimNode::transport_with(NodeId peer) const {
  const Host& host = world_.hosts[place_.host];
  const Place& there = peers_[index_of(peer)]->place_;
  if (there.host != place_.host) return host.remote;
  return there.core == place_.core ? host.local : host.crossing;
}

// A message's cost on its core, of the framework's share besides.
Effort SimNode::message_effort(const AffineCost& cost, Bytes size) const {
  const Pace& pace = world_.pace;
  const Duration own = cost.of(static_cast<double>(size.value)) + job_time_.coding(size);
  Effort effort(messages_, pace.scaled(messages_, own));
  return effort.add(Resource::framework, pace.scaled(Resource::framework, tensor_));
}

void SimNode::begin_send(Instant now, Send& send) {
  const Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(send.message);
  const Effort cost = message_effort(transport_with(send.to).send, size);
  const std::size_t slot = world_.mail.keep({id_, send.to, std::move(send.message), {}});
  if (cost.total().ns == 0 && host.cpu->is_free(loop_)) return depart(now, slot);
  spend(loop_, cost, Work::transport, at_stage(Stage::sent, slot));
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
    mail.activity = world_.history.current();
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
  const auto paced = [&](Duration time) { return world_.pace.scaled(Resource::latency, time); };
  if (cpu.idle(place_.core)) return paced(polls(now) ? transport.handoff : transport.wake);
  return cpu.is_free(loop_) && !polls(now) ? paced(transport.preempt) : Duration{};
}

// The last byte is at this host.
void SimNode::arrive(Instant now, std::size_t slot) {
  Mail& mail = world_.mail[slot];
  if (dead_ || has_lost(mail.from)) {
    undelivered_ += wire_size(mail.message);
    world_.mail.take(slot);
    return;
  }
  received_ += wire_size(mail.message);
  const bool same_host = peers_[index_of(mail.from)]->place_.host == place_.host;
  coming_ = same_host ? now : mail.departed;
  if (!same_host) mail.activity = world_.history.current();
  const Instant noticed = now + notice(now, mail.from);
  unread_.push_back({slot, now, noticed});
  if (noticed == now) return read_all(now);
  world_.engine.schedule(noticed, at_stage(Stage::noticed, 0));
}

// The loop is awake, whatever for: it reads all that has come, and is not woken for it again.
void SimNode::read_all(Instant now) {
  while (!unread_.empty()) {
    const Unread unread = unread_.pop_front();
    ActivityId& activity = world_.mail[unread.slot].activity;
    activity = note_delay(Resource::latency, unread.came, now, activity);
    receive(now, unread.slot);
  }
}

// Unless the loop was awake before.
void SimNode::notice_mail(Instant now) {
  const auto due = [now](const Unread& unread) { return unread.noticed <= now; };
  if (std::ranges::any_of(unread_, due)) read_all(now);
}

// The loop reads the message. One that polled when others took the core has yielded to them, and
// comes back when they are done or a slice is over; a sleeper is woken, and goes first.
void SimNode::receive(Instant now, std::size_t slot) {
  const Host& host = world_.hosts[place_.host];
  const Bytes size = wire_size(world_.mail[slot].message);
  const NodeId from = world_.mail[slot].from;
  const Effort cost = message_effort(transport_with(from).receive, size);
  world_.history.go_on_from(world_.mail[slot].activity);
  const Instant busy_since = host.cpu->busy_since(place_.core);
  const bool yielded = polls(busy_since) && now - busy_since < host.slice;
  if (cost.total().ns == 0 && !yielded && host.cpu->is_free(loop_)) return deliver(now, slot);
  spend(loop_, cost, Work::transport, at_stage(Stage::received, slot),
        yielded ? Cpu::Entry::last : Cpu::Entry::woken);
}

void SimNode::deliver(Instant now, std::size_t slot) {
  count_polling(now);
  Mail mail = world_.mail.take(slot);
  if (has_lost(mail.from)) return;  // it was not yet when this was read
  // Between workers, values are sent by whoever has added them up.
  const bool both_work = !serves_ && !peers_[index_of(mail.from)]->serves_;
  if (both_work && mail.message.kind == MessageKind::parameters) note_update();
  feed(now, Received{mail.from, std::move(mail.message)});
}

}  // namespace foretrain::sim
