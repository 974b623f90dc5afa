#include "sim/network/network.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain::sim {
namespace {
// An event's token: a connection, with what happens to it.
constexpr std::uint64_t kMoved = 0;
constexpr std::uint64_t kNextRound = 1;
}  // namespace

Network::Network(Engine& engine, const ClusterSpec& cluster)
    : engine_(engine), topology_(cluster), flows_(engine, topology_.ports()), tcp_(cluster.tcp) {
  hosts_.resize(topology_.hosts());
}

Network::ConnectionId Network::connect(std::size_t from, std::size_t to) {
  const auto [entry, is_new] =
      route_of_.try_emplace({from, to}, static_cast<std::uint32_t>(routes_.size()));
  if (is_new) routes_.push_back(topology_.route(from, to));
  const Topology::Route& route = routes_[entry->second];
  connections_.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to),
                          entry->second, SlowStart(tcp_ ? route.latency * 2 : Duration{})});
  return static_cast<ConnectionId>(connections_.size() - 1);
}

void Network::send(ConnectionId id, Bytes size, std::uint32_t bucket, Callback arrived) {
  FT_CHECK_OP(size.value, >, 0);
  const Instant now = engine_.now();
  Connection& connection = connections_[id];
  auto& waiting = connection.waiting;
  const auto bytes = static_cast<double>(tcp_ ? framed(size.value) : size.value);
  // The first one has begun to leave. Of the others, a lower bucket goes before a higher one.
  auto place = waiting.end();
  while (place > waiting.begin() + 1 && (place - 1)->bucket > bucket) --place;
  waiting.insert(place, {bucket, bytes, arrived});
  if (!connection.rests) return;
  connection.rests = false;
  connection.slow_start.begin(now);
  const double piece = next_piece(id, now);
  if (piece == 0) return;
  connection.flow = flows_.begin(routes_[connection.route].ports, piece,
                                 {this, std::uint64_t{id} << 1U | kMoved});
}

double Network::next_piece(ConnectionId id, Instant now) {
  Connection& connection = connections_[id];
  const double allowance = connection.slow_start.allowance();
  if (allowance < 0.5) {
    connection.piece = 0;
    const Instant next = std::max(now, connection.slow_start.next_round());
    engine_.schedule(next, {this, std::uint64_t{id} << 1U | kNextRound});
    return 0;
  }
  connection.piece = std::min(connection.waiting.front().left, allowance);
  return connection.piece;
}

void Network::wake(Instant now, std::uint64_t token) {
  const auto id = static_cast<ConnectionId>(token >> 1U);
  if ((token & 1U) == kMoved) return moved(id, now);
  Connection& connection = connections_[id];
  connection.slow_start.begin_round(now);
  const double piece = next_piece(id, now);
  connection.flow = flows_.begin(routes_[connection.route].ports, piece,
                                 {this, std::uint64_t{id} << 1U | kMoved});
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
    engine_.schedule(now + routes_[connection.route].latency, first.arrived);
    connection.waiting.erase(connection.waiting.begin());
  }
  connection.piece = 0;
  connection.rests = connection.waiting.empty();
  if (connection.rests) return;
  const double piece = next_piece(id, now);
  if (piece > 0) flows_.extend(connection.flow, piece, {this, std::uint64_t{id} << 1U | kMoved});
}

}  // namespace foretrain::sim
