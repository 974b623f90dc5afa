// Both ends of a connection over loopback, in one process.
#pragma once

#include "exec/transport/handshake.h"
#include "exec/transport/shared_ring.h"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

struct SocketPair {
  boost::asio::io_context loop{1};
  boost::asio::ip::tcp::socket left{loop};
  boost::asio::ip::tcp::socket right{loop};

  SocketPair() {
    boost::asio::ip::tcp::acceptor acceptor(loop, {boost::asio::ip::address_v4::loopback(), 0});
    left.connect(acceptor.local_endpoint());
    acceptor.accept(right);
  }
  // Runs the loop repeatedly, because a busy machine may need several turns.
  void until(const std::function<bool()>& done) {
    for (int i = 0; i < 1'000 && !done(); ++i) loop.run_for(std::chrono::milliseconds(10));
  }
};

enum class Carrier { socket, tls, memory };

// A connection between two ends that know each other; `left` connects.
struct ConnectionPair : SocketPair {
  std::shared_ptr<Connection> one;
  std::shared_ptr<Connection> other;
  int other_socket = right.native_handle();

  explicit ConnectionPair(Carrier carrier, Bytes most_payload,
                          std::shared_ptr<const Tls> tls = nullptr) {
    one = std::make_shared<Connection>(std::move(left), most_payload);
    other = std::make_shared<Connection>(std::move(right), most_payload);
    if (carrier == Carrier::tls) {
      if (!tls) tls = Tls::of_key(JobKey("0123456789abcdef"));
      one->wrap([&](OwnedStream to) { return tls_stream(std::move(to), tls, End::connecting); });
      other->wrap([&](OwnedStream to) { return tls_stream(std::move(to), tls, End::accepting); });
    }
    if (carrier == Carrier::memory) {
      MemoryOffer offer;
      const auto made = make_memory({1 << 20}, offer);
      const auto opened = open_memory(offer);
      one->wrap([&](OwnedStream to) { return memory_stream(std::move(to), made); });
      other->wrap([&](OwnedStream to) { return memory_stream(std::move(to), opened); });
    }
  }
};

// The result of a handshake at one end.
struct EndOutcome {
  std::shared_ptr<Connection> proved;
  std::optional<std::uint32_t> from;
  std::optional<Refused> refused;
  std::function<void(const std::shared_ptr<Connection>&)> then;

  [[nodiscard]] bool over() const { return proved || refused; }
  [[nodiscard]] std::optional<Refusal> refusal() const {
    return refused ? std::optional(refused->refusal) : std::nullopt;
  }
  [[nodiscard]] std::string why() const { return refused ? refused->why : "not refused"; }
  OnProved on_proved() {
    return [this](const std::shared_ptr<Connection>& connection, std::uint32_t id) {
      proved = connection;
      from = id;
      if (then) then(connection);
    };
  }
  OnRefused on_refused() {
    return [this](const Refused& why) { refused = why; };
  }
};

constexpr Ends kEnds{1, 2};
inline const JobKey kJobKey("0123456789abcdef");
inline const JobKey kOtherJobKey("fedcba9876543210");

inline Handshake handshake_of(const JobKey& key) {
  return {.key = key, .most_payload = {16'000'000}, .limit = {5'000'000'000}};
}

// Two ends with a handshake each.
struct HandshakePair : SocketPair {
  std::shared_ptr<Connection> connected;
  std::shared_ptr<Connection> accepted;
  EndOutcome connecting;
  EndOutcome accepting;

  void begin(const Handshake& handshake, Ends ends = kEnds) {
    connected = std::make_shared<Connection>(std::move(left), kMostBeforeProof);
    handshake.begin(connected, ends, connecting.on_proved(), connecting.on_refused());
  }
  void answer(const Handshake& handshake) {
    accepted = std::make_shared<Connection>(std::move(right), kMostBeforeProof);
    handshake.answer(accepted, kEnds.accepting, accepting.on_proved(), accepting.on_refused());
  }
  void meet(const Handshake& ours, const Handshake& theirs, Ends ends = kEnds) {
    answer(theirs);
    begin(ours, ends);
    until([&] { return connecting.over() && accepting.over(); });
  }
};

// A frame that is not a message between nodes, whose payloads are whole floats. Bytes repeat after
// 253, so that a misplaced piece is noticed.
inline FrameHeader frame_of(std::size_t size, std::int64_t step, std::uint32_t bucket = 0) {
  return {.kind = 200, .bucket = bucket, .step = step, .payload_bytes = size};
}
inline Payload noise(std::size_t size, std::size_t seed) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(size)});
  const auto bytes = payload.writable_bytes();
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>((seed + i * 7) % 253);
  return payload;
}

}  // namespace foretrain::exec
