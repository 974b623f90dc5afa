#include "sim/network/network.h"

#include "models/base/check.h"

#include <algorithm>
#include <utility>

namespace foretrain::sim {
namespace {
// An event's token: a connection, with what happens to it.
constexpr std::uint64_t kMoved = 0;
constexpr std::uint64_t kNextRound = 1;
constexpr std::uint64_t kArriving = 2;  // of a message, with a history
constexpr int kKindBits = 2;
constexpr double kFreeRate = 1e18;  // bytes/s: no message takes a nanosecond

std::uint64_t token_of(std::uint64_t number, std::uint64_t kind) {
  return number << kKindBits | kind;
}

std::vector<Resource> resources_of(const Topology& topology, const std::vector<bool>& serves) {
  std::vector<Resource> resources(topology.ports().size(), Resource::switches);
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const auto nic = topology.nic(host);
    if (!nic) continue;
    const bool server = host < serves.size() && serves[host];
    resources[nic->out] = server ? Resource::server_nic_out : Resource::worker_nic;
    resources[nic->in] = server ? Resource::server_nic_in : Resource::worker_nic;
  }
  return resources;
}

std::vector<PortSpec> paced(std::vector<PortSpec> ports, const std::vector<Resource>& resources,
                            const Pace& pace) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    const double factor = pace.of(resources[i]);
    if (factor == 0) {
      ports[i] = {kFreeRate};
    } else {
      ports[i].rate /= factor;
    }
  }
  return ports;
}
}  // namespace

Network::Network(Engine& engine, const ClusterSpec& cluster, Bytes unsent, const Pace& pace,
                 const std::vector<bool>& serves, History* history)
    : engine_(engine),
      history_(history),
      topology_(cluster),
      port_resources_(resources_of(topology_, serves)),
      pace_(pace),
      flows_(engine, paced(topology_.ports(), port_resources_, pace)),
      tcp_(cluster.tcp),
      unsent_(unsent) {
  hosts_.resize(topology_.hosts());
  if (history_ != nullptr) flows_.watch(this);
}

Network::ConnectionId Network::connect(std::size_t from, std::size_t to) {
  const auto [entry, is_new] =
      route_of_.try_emplace({from, to}, static_cast<std::uint32_t>(routes_.size()));
  if (is_new) {
    routes_.push_back(topology_.route(from, to));
    routes_.back().latency = pace_.scaled(Resource::latency, routes_.back().latency);
  }
  const Topology::Route& route = routes_[entry->second];
  connections_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                          entry->second, SlowStart(tcp_ ? route.latency * 2 : Duration{})});
  if (history_ != nullptr) leaving_.emplace_back();
  return static_cast<ConnectionId>(connections_.size() - 1);
}

void Network::send(ConnectionId id, Bytes size, std::uint32_t bucket, Callback arrived) {
  FT_CHECK_OP(size.value, >, 0);
  const Instant now = engine_.now();
  Connection& connection = connections_[id];
  auto& waiting = connection.waiting;
  const auto bytes = static_cast<double>(tcp_ ? framed(size.value) : size.value);
  // The first one has begun to leave, some are in the kernel. Of the others, a lower bucket goes
  // before a higher one.
  auto first = waiting.begin();
  double before = 0;
  while (first != waiting.end() && (before == 0 || before < static_cast<double>(unsent_.value))) {
    before += (first++)->left;
  }
  auto place = waiting.end();
  while (place > first && (place - 1)->bucket > bucket) --place;
  const ActivityId cause = history_ != nullptr ? history_->current() : 0;
  waiting.insert(place, {bucket, cause, bytes, arrived});
  if (!connection.rests) return;
  connection.rests = false;
  if (history_ != nullptr) leaving_[id] = {now, Resource::waiting, cause, 0};
  connection.slow_start.begin(now);
  const double piece = next_piece(id, now);
  if (piece == 0) return;
  begin_flow(id, piece);
}

double Network::next_piece(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  const double allowance = connection.slow_start.allowance();
  if (allowance < 0.5) {
    connection.piece = 0;
    const Instant next = std::max(now, connection.slow_start.next_round());
    engine_.schedule(next, {this, token_of(id, kNextRound)});
    if (history_ != nullptr) leave_through(id, Resource::latency, now);
    return 0;
  }
  connection.piece = std::min(connection.waiting.front().left, allowance);
  return connection.piece;
}

void Network::wake(Instant now, std::uint64_t token) {
  const auto id = static_cast<ConnectionId>(token >> kKindBits);
  const std::uint64_t kind = token & ((1U << kKindBits) - 1);
  if (kind == kMoved) return moved(id, now);
  if (kind == kArriving) {
    const Arriving there = arriving_.take(id);
    history_->go_on_from(there.activity);
    return there.arrived.actor->wake(now, there.arrived.token);
  }
  Connection& connection = connections_[id];
  connection.slow_start.begin_round(now);
  const double piece = next_piece(id, now);
  begin_flow(id, piece);
}

void Network::begin_flow(ConnectionId id, double piece) {
  Connection& connection = connections_[id];
  connection.flow =
      flows_.begin(routes_[connection.route].ports, piece, {this, token_of(id, kMoved)});
  if (history_ == nullptr) return;
  if (connection_of_.size() <= connection.flow) connection_of_.resize(connection.flow + 1);
  connection_of_[connection.flow] = id;
}

void Network::count(Connection& connection, double moved) {
  const double more = std::max(0.0, moved - connection.counted);  // of one look, by rounding, less
  hosts_[connection.from].sent += more;
  hosts_[connection.to].received += more;
  connection.counted += more;
}

void Network::count_moving() {
  for (Connection& connection : connections_) {
    if (connection.piece == 0) continue;
    count(connection, connection.piece - flows_.left(connection.flow));
  }
}

void Network::moved(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  connection.slow_start.sent(connection.piece, now);
  Waiting& first = connection.waiting.front();
  first.left -= connection.piece;
  count(connection, connection.piece);
  connection.counted = 0;
  if (first.left < 0.5) {
    const Instant there = now + routes_[connection.route].latency;
    if (history_ == nullptr) {
      engine_.schedule(there, first.arrived);
    } else {
      begin_arriving(id, now, there);
    }
    connection.waiting.erase(connection.waiting.begin());
    if (history_ != nullptr && !connection.waiting.empty()) {
      leaving_[id].before = std::exchange(leaving_[id].cause, connection.waiting.front().cause);
    }
  }
  connection.piece = 0;
  connection.rests = connection.waiting.empty();
  if (connection.rests) return;
  const double piece = next_piece(id, now);
  if (piece > 0) flows_.extend(connection.flow, piece, {this, token_of(id, kMoved)});
}

// The history ----------------------------------------------------------------------------------

void Network::held(std::uint32_t flow, std::uint32_t port, Instant now) {
  leave_through(connection_of_[flow], port_resources_[port], now);
}

// From now on it is this that the message of the connection waits for.
void Network::leave_through(ConnectionId id, Resource resource, Instant now) {
  Leaving& leaving = leaving_[id];
  if (leaving.resource == resource) return;
  end_leaving(leaving, now);
  leaving.resource = resource;
}

void Network::end_leaving(Leaving& leaving, Instant now) {
  const std::uint32_t node = history_->activities()[leaving.cause].node;
  leaving.cause = history_->add(
      {leaving.since, now, leaving.cause, leaving.before, node, leaving.resource, false});
  leaving.before = 0;
  leaving.since = now;
}

// The last byte has left.
void Network::begin_arriving(ConnectionId id, Instant now, Instant there) {
  Leaving& leaving = leaving_[id];
  end_leaving(leaving, now);
  const std::uint32_t node = history_->activities()[leaving.cause].node;
  const ActivityId activity =
      history_->add({now, there, leaving.cause, 0, node, Resource::latency, false});
  const std::size_t slot = arriving_.keep({connections_[id].waiting.front().arrived, activity});
  engine_.schedule(there, {this, token_of(slot, kArriving)});
}

}  // namespace foretrain::sim
