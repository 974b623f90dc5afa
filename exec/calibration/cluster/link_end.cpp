#include "exec/calibration/cluster/link_end.h"

#include "exec/transport/tuning.h"
#include "scenarios/machine.h"
#include "scenarios/scenario.h"
#include "scenarios/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace foretrain::exec {
using boost::asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

namespace {

// Frame kinds between two ends.
enum class LinkKind : std::uint16_t { call = 120, reply, load, credit };

constexpr Bytes kLoadPiece{256 * 1024};
// On its way, not acknowledged by who takes it: with 8 connections of 100 ms round trip 2.6 Gbit/s.
constexpr int kLoadPieces = 16;
constexpr std::size_t kExpected = 16;  // connections at a time, at most
constexpr Duration kPollOfCalls{20'000'000};
constexpr Duration kLook{5'000'000};
constexpr Duration kPatienceForLoad{30'000'000'000};

void send(Connection& connection, LinkKind kind, std::int64_t load = 0,
          const Payload& payload = {}) {
  FrameHeader header;
  header.step = load;
  header.kind = static_cast<std::uint16_t>(kind);
  header.payload_bytes = static_cast<std::uint64_t>(payload.size().value);
  connection.send(header, payload);
}

bool is_kind(const FrameHeader& header, LinkKind kind) {
  return header.kind == static_cast<std::uint16_t>(kind);
}

const Payload& load_piece() {
  static const Payload zeros = [] {
    Payload made = Payload::allocate(kLoadPiece);
    std::ranges::fill(made.writable_floats(), 0.0F);
    return made;
  }();
  return zeros;
}

double since_s(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace

LinkEnd::LinkEnd(boost::asio::io_context& loop, Duration& poll, const JobKey& key,
                 std::uint32_t rank, const boost::asio::ip::address& address, OnFailed on_failed)
    : loop_(loop),
      poll_(poll),
      key_(key),
      rank_(rank),
      on_failed_(std::move(on_failed)),
      acceptor_(loop),
      lobby_(loop, {.key = key, .most_payload = kLoadPiece}, rank, kExpected),
      timer_(loop) {
  const tcp::endpoint here(address, 0);
  error_code error;
  acceptor_.open(here.protocol());
  tune(acceptor_.native_handle(), {});
  acceptor_.bind(here, error);
  if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
  if (error) {
    throw std::runtime_error(
        fmt::format("cannot listen on {}: {}", address.to_string(), error.message()));
  }
  lobby_.open(
      [this](const std::shared_ptr<Connection>& peer, std::uint32_t /*from*/) { take(peer); },
      [](const std::string& /*peer*/, const Refused& /*refused*/) {});
  lobby_.serve(acceptor_);
}

void LinkEnd::take(const std::shared_ptr<Connection>& connection) {
  const auto place = incoming_.insert(incoming_.end(), {-1, connection});
  connection->start(
      [this, place](const FrameHeader& header, const Payload& /*payload*/) {
        if (is_kind(header, LinkKind::load)) {
          place->load = header.step;
          return send(*place->connection, LinkKind::credit);
        }
        if (!is_kind(header, LinkKind::call)) return;
        poll_ = kPollOfCalls;
        send(*place->connection, LinkKind::reply);
      },
      [this, place](const std::string& /*why*/) {
        incoming_.erase(place);
        poll_ = {};
      });
}

void LinkEnd::connect(const LinkPlace& there,
                      std::function<void(const std::shared_ptr<Connection>&)> connected) {
  const auto failed = [this, there](const std::string& why) {
    on_failed_(
        fmt::format("cannot reach rank {} at {}: {}", there.rank, to_text(there.endpoint), why));
  };
  auto socket = std::make_shared<tcp::socket>(loop_);
  socket->open(there.endpoint.protocol());
  tune(socket->native_handle(), {});
  socket->async_connect(there.endpoint, [this, socket, there, failed,
                                         connected = std::move(connected)](error_code error) {
    if (error) return failed(error.message());
    const auto connection = std::make_shared<Connection>(std::move(*socket), kMostBeforeProof);
    Handshake{.key = key_, .most_payload = kLoadPiece}.begin(
        connection, {rank_, there.rank},
        [connected](const std::shared_ptr<Connection>& peer, std::uint32_t /*from*/) {
          connected(peer);
        },
        [failed](const Refused& refused) { failed(refused.why); });
  });
}

void LinkEnd::call(const LinkPlace& there, int rounds, std::function<void(Duration)> done) {
  calls_ = Calls{nullptr, static_cast<std::size_t>(rounds), std::move(done), {}};
  connect(there, [this, there](const std::shared_ptr<Connection>& peer) {
    poll_ = kPollOfCalls;
    calls_->connection = peer;
    peer->start(
        [this](const FrameHeader& header, const Payload& /*payload*/) {
          if (is_kind(header, LinkKind::reply)) on_reply();
        },
        [this, there](const std::string& why) {
          on_failed_(fmt::format("rank {}: {}", there.rank, why));
        });
    call_once();
  });
}

void LinkEnd::call_once() {
  calls_->sent = Clock::now();
  send(*calls_->connection, LinkKind::call);
}

// The first half does not count: caches and windows are cold.
void LinkEnd::on_reply() {
  std::vector<double>& times_s = calls_->times_s;
  times_s.push_back(since_s(calls_->sent));
  if (times_s.size() < calls_->rounds + calls_->rounds / 2) return call_once();
  const auto first = times_s.begin() + static_cast<std::ptrdiff_t>(calls_->rounds / 2);
  const auto middle = first + static_cast<std::ptrdiff_t>(calls_->rounds / 2);
  std::nth_element(first, middle, times_s.end());
  const Duration round_trip = Duration::from_seconds(*middle);
  const auto done = std::move(calls_->done);
  calls_->connection->close();
  calls_.reset();
  poll_ = {};
  done(round_trip);
}

void LinkEnd::load(const LinkPlace& there, const LinkLoad& load) {
  for (int i = 0; i < load.connections; ++i) {
    connect(there, [this, number = load.number](const std::shared_ptr<Connection>& peer) {
      load_by(peer, number);
    });
  }
}

// Whoever takes it leaves first only where it is gone; its launcher tells that.
void LinkEnd::load_by(const std::shared_ptr<Connection>& connection, std::int64_t number) {
  outgoing_.push_back(connection);
  connection->start(
      [number, raw = connection.get()](const FrameHeader& header, const Payload& /*payload*/) {
        if (is_kind(header, LinkKind::credit)) send(*raw, LinkKind::load, number, load_piece());
      },
      [](const std::string& /*why*/) {});
  for (int i = 0; i < kLoadPieces; ++i) send(*connection, LinkKind::load, number, load_piece());
}

void LinkEnd::stop() {
  for (const auto& connection : outgoing_) connection->close();
  outgoing_.clear();
}

void LinkEnd::count(const LinkLoad& load, Duration warm, Duration time,
                    std::function<void(double)> done) {
  count_ = Count{load, warm, time, std::move(done), Clock::now()};
  wait_for_load();
}

std::pair<int, std::uint64_t> LinkEnd::arrived() const {
  std::pair<int, std::uint64_t> arrived{0, 0};
  for (const Incoming& each : incoming_) {
    if (each.load != count_->load.number) continue;
    ++arrived.first;
    arrived.second += each.connection->received();
  }
  return arrived;
}

void LinkEnd::wait_for_load() {
  const int connections = arrived().first;
  if (connections == count_->load.connections) {
    return after(count_->warm, [this] { begin_count(); });
  }
  if (since_s(count_->asked) > kPatienceForLoad.seconds()) {
    return on_failed_(fmt::format("of {} connections only {} brought something within {}",
                                  count_->load.connections, connections,
                                  to_text(kPatienceForLoad)));
  }
  after(kLook, [this] { wait_for_load(); });
}

void LinkEnd::begin_count() {
  count_->before = arrived().second;
  count_->begun = Clock::now();
  after(count_->time, [this] { end_count(); });
}

void LinkEnd::end_count() {
  const auto [connections, bytes] = arrived();
  const double passed_s = since_s(count_->begun);
  if (connections != count_->load.connections) {
    return on_failed_("connections ended while they were measured");
  }
  const auto done = std::move(count_->done);
  const auto came = static_cast<double>(bytes - count_->before);
  count_.reset();
  done(came / passed_s);
}

void LinkEnd::after(Duration time, std::function<void()> act) {
  timer_.expires_after(std::chrono::nanoseconds(time.ns));
  timer_.async_wait([act = std::move(act)](error_code error) {
    if (!error) act();
  });
}

}  // namespace foretrain::exec
