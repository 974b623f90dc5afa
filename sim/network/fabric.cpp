#include "sim/network/fabric.h"

#include "models/base/check.h"
#include "sim/engine/fetch.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace foretrain::sim {
namespace {
// An event's token: a connection with the kind of event.
constexpr std::uint64_t kMoved = 0;
constexpr std::uint64_t kNextRound = 1;
constexpr int kKindBits = 1;
constexpr double kNothing = 0.5;    // bytes; a smaller remainder counts as none
constexpr double kFreeRate = 1e18;  // bytes/s: no message takes a nanosecond

std::uint64_t token_of(std::uint64_t number, std::uint64_t kind) {
  return number << kKindBits | kind;
}

std::vector<Resource> resources_of(const Topology& topology, const std::vector<bool>& serves) {
  std::vector<Resource> resources(topology.ports().size(), Resource::switches);
  for (FlowNetwork::PortId port = 0; port < resources.size(); ++port) {
    if (topology.joins_devices(port)) resources[port] = Resource::device_link;
  }
  for (std::size_t host = 0; host < topology.hosts(); ++host) {
    const auto nic = topology.nic(host);
    if (!nic) continue;
    const bool server = host < serves.size() && serves[host];
    resources[nic->out] = server ? Resource::server_nic_out : Resource::worker_nic;
    resources[nic->in] = server ? Resource::server_nic_in : Resource::worker_nic;
  }
  return resources;
}

PortSpec paced(PortSpec port, double factor) {
  if (factor == 0) return {kFreeRate};
  port.rate /= factor;
  return port;
}

std::vector<PortSpec> paced(std::vector<PortSpec> ports, const std::vector<Resource>& resources,
                            const TimeFactors& time_factors) {
  for (std::size_t i = 0; i < ports.size(); ++i) {
    ports[i] = paced(ports[i], time_factors.of(resources[i]));
  }
  return ports;
}
}  // namespace

Fabric::Fabric(Engine& engine, const ClusterSpec& cluster, Bytes unsent,
               const TimeFactors& time_factors, const std::vector<bool>& serves, Recorder history)
    : engine_(engine),
      topology_(cluster),
      time_factors_(time_factors),
      flows_(engine, paced(topology_.ports(), resources_of(topology_, serves), time_factors)),
      send_waits_(flows_, resources_of(topology_, serves), history),
      takes_all_(unsent.value == std::numeric_limits<std::int64_t>::max()),
      // A message that has begun to leave has at least a byte in the kernel.
      unsent_(std::max(kNothing, static_cast<double>(unsent.value))),
      simulated_(topology_.hosts()) {
  hosts_.resize(topology_.hosts());
}

Fabric::ConnectionId Fabric::connect(std::size_t from, std::size_t to) {
  const ConnectionId id =
      add_connection(from, to, route(from, to), topology_.tcp_between(from, to));
  Connection& connection = connections_[id];
  if (const auto found = cuts_.find({from, to}); found != cuts_.end()) {
    connection.cuts = found->second;
  }
  if (const double most = topology_.most_between(from, to); most > 0) {
    const PortSpec cap = paced({most}, time_factors_.of(Resource::connection));
    connection.path.push_back(flows_.add_port(cap));
    send_waits_.add_port(Resource::connection);
  }
  return id;
}

Topology::Route Fabric::route(std::size_t from, std::size_t to) const {
  Topology::Route route = topology_.route(from, to);
  if (image(to) == to) return route;
  const std::size_t behind = (from + image(to) + topology_.hosts() - to) % topology_.hosts();
  const std::vector<FlowNetwork::PortId> received = topology_.route(behind, image(to)).ports;
  const auto middle = std::ssize(received) / 2;
  std::copy(received.begin() + middle, received.end(), route.ports.begin() + middle);
  return route;
}

Fabric::ConnectionId Fabric::connect_devices(std::size_t host, int from, int to) {
  return add_connection(host, host, topology_.between_devices(host, from, to), false);
}

Fabric::ConnectionId Fabric::add_connection(std::size_t from, std::size_t to,
                                            const Topology::Route& route, bool tcp) {
  const Duration latency = time_factors_.scaled(Resource::latency, route.latency);
  connections_.push_back({static_cast<std::uint32_t>(from),
                          static_cast<std::uint32_t>(to),
                          latency,
                          {route.ports.begin(), route.ports.end()},
                          SlowStart(tcp ? latency * 2 : Duration{})});
  connections_.back().framed = tcp;
  send_waits_.add_connection();
  return static_cast<ConnectionId>(connections_.size() - 1);
}

void Fabric::send(ConnectionId id, Bytes size, std::uint32_t bucket, Callback arrived) {
  FT_CHECK_OP(size.value, >, 0);
  const Instant now = engine_.now();
  Connection& connection = connections_[id];
  const auto bytes = static_cast<double>(connection.framed ? framed(size.value) : size.value);
  const ActivityId cause = send_waits_.cause();
  Waiting message{bucket, cause, bytes, arrived};
  if (takes_all_) {
    connection.waiting.append(message);
  } else {
    connection.waiting.push(message, unsent_);
  }
  if (!connection.rests) return;
  connection.rests = false;
  send_waits_.begins(id, now, cause);
  if (connection.cuts > 0) return send_waits_.waits_for(id, Resource::straggling, now);
  connection.slow_start.begin(now);
  go_on(id, now);
}

void Fabric::go_on(ConnectionId id, Instant now) {
  const double piece = next_piece(id, now);
  if (piece > 0) begin_flow(id, piece);
}

double Fabric::next_piece(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  const double allowance = connection.slow_start.allowance();
  if (allowance < kNothing) {
    connection.piece = 0;
    const Instant next = std::max(now, connection.slow_start.next_round());
    engine_.schedule(next, {this, token_of(id, kNextRound)});
    connection.awaits_round = true;
    send_waits_.waits_for(id, Resource::latency, now);
    return 0;
  }
  connection.piece = std::min(connection.waiting.front().left, allowance);
  return connection.piece;
}

void Fabric::expect(std::uint64_t token) const { fetch(connections_[token >> kKindBits]); }

void Fabric::wake(Instant now, std::uint64_t token) {
  const auto id = static_cast<ConnectionId>(token >> kKindBits);
  const std::uint64_t kind = token & ((1U << kKindBits) - 1);
  if (kind == kMoved) return moved(id, now);
  Connection& connection = connections_[id];
  connection.awaits_round = false;
  connection.slow_start.begin_round(now);
  if (connection.cuts > 0) return send_waits_.waits_for(id, Resource::straggling, now);
  go_on(id, now);
}

std::vector<Fabric::ConnectionId> Fabric::connections(std::size_t from, std::size_t to) const {
  std::vector<ConnectionId> found;
  for (ConnectionId id = 0; id < connections_.size(); ++id) {
    if (connections_[id].from == from && connections_[id].to == to) found.push_back(id);
  }
  return found;
}

void Fabric::cut(std::size_t from, std::size_t to) {
  ++cuts_[{from, to}];
  for (const ConnectionId id : connections(from, to)) {
    if (connections_[id].cuts++ == 0) break_off(id, engine_.now());
  }
}

void Fabric::break_off(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  if (connection.piece == 0) return;
  const double moved = connection.piece - flows_.left(connection.flow);
  flows_.break_off(connection.flow);
  count(connection, moved);
  connection.counted = 0;
  connection.slow_start.sent(moved, now);
  // A remainder due to rounding leaves later: the flow has not reported that it is done.
  Waiting& first = connection.waiting.front();
  first.left = std::max(first.left - moved, 2 * kNothing);
  connection.piece = 0;
  send_waits_.waits_for(id, Resource::straggling, now);
}

void Fabric::mend(std::size_t from, std::size_t to) {
  --cuts_[{from, to}];
  const Instant now = engine_.now();
  for (const ConnectionId id : connections(from, to)) {
    Connection& connection = connections_[id];
    if (--connection.cuts > 0 || connection.rests || connection.awaits_round) continue;
    connection.slow_start.begin(now);
    go_on(id, now);
  }
}

void Fabric::set_rate_factor(std::size_t host, double share) {
  for (const FlowNetwork::PortId port : topology_.links_of(host))
    flows_.set_rate_factor(port, share);
}

void Fabric::begin_flow(ConnectionId id, double piece) {
  Connection& connection = connections_[id];
  connection.flow = flows_.begin(connection.ports(), piece, {this, token_of(id, kMoved)});
  send_waits_.is_moved_by(id, connection.flow);
}

void Fabric::count(Connection& connection, double moved) {
  const double more = std::max(0.0, moved - connection.counted);  // negative only by rounding
  connection.counted += more;
  if (connection.from == connection.to) return;
  hosts_[connection.from].sent += more;
  hosts_[image(connection.to)].received += more;
}

void Fabric::count_moving() {
  for (Connection& connection : connections_) {
    if (connection.piece == 0) continue;
    count(connection, connection.piece - flows_.left(connection.flow));
  }
}

void Fabric::moved(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  connection.slow_start.sent(connection.piece, now);
  Waiting& first = connection.waiting.front();
  first.left -= connection.piece;
  count(connection, connection.piece);
  connection.counted = 0;
  if (first.left < kNothing) {
    const Instant there = now + connection.latency;
    engine_.schedule(there, send_waits_.left(id, now, there, first.arrived));
    connection.waiting.pop_front();
    if (!connection.waiting.empty()) send_waits_.follows(id, connection.waiting.front().cause);
  }
  connection.piece = 0;
  connection.rests = connection.waiting.empty();
  if (connection.rests) return;
  const double piece = next_piece(id, now);
  if (piece > 0) flows_.extend(connection.flow, piece, {this, token_of(id, kMoved)});
}

}  // namespace foretrain::sim
