#include "exec/transport/connection.h"

#include "exec/transport/tuning.h"
#include "models/base/check.h"

#include <boost/asio/buffer.hpp>
#include <fmt/format.h>

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr int kReadsATurn = 8;
constexpr int kSealsATurn = 8;
// Beside those of messages and of a handshake: memory is offered; it is opened, or `step` is 0.
constexpr std::uint16_t kRingOffered = 87;
constexpr std::uint16_t kRingOpened = 88;
// A second-level cache's worth: what was put there is taken from there. An all-reduce of 1 MB
// between two processes on a Zen 4 took 0.121 ms so, 0.147 by a ring of 4 MB, 0.190 by TCP; one of
// 244 MB 79, 87, 93.
constexpr Bytes kRing{1 << 20};
// A shorter payload is as soon there with its header.
constexpr Bytes kLeastInRing{4'000};

asio::mutable_buffer buffer_of(std::span<std::byte> room) {
  return asio::buffer(room.data(), room.size());
}

}  // namespace

Connection::Connection(tcp::socket socket, Bytes most_payload)
    : socket_(std::move(socket)), reader_(most_payload) {
  error_code ignored;  // a socket that is dead already says so at the first read
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  // Else a process that is started later holds it open when this one lets go of it.
  fcntl(socket_.native_handle(), F_SETFD, FD_CLOEXEC);
  peer_ = to_text(socket_.remote_endpoint(ignored));
}

void Connection::encrypt(std::unique_ptr<TlsStream> tls) {
  FT_CHECK(!reading_ && drained());
  tls_ = std::move(tls);
}

void Connection::give_up_after(Duration silence) {
  error_code error;
  const auto there = socket_.remote_endpoint(error).address();
  if (!error && !there.is_loopback()) exec::give_up_after(socket_.native_handle(), silence);
}

void Connection::share_memory() {
  error_code error;
  const auto here = socket_.local_endpoint(error).address();
  asked_to_share_ = true;
  can_share_ = !error && !tls_ && socket_.remote_endpoint(error).address() == here;
  if (can_share_) ring_out_ = RingWriter::make(kRing);
  if (!ring_out_) return;
  const RingOffer& offer = ring_out_->offer();
  Payload payload = Payload::allocate({sizeof offer});
  std::memcpy(payload.writable_bytes().data(), &offer, sizeof offer);
  send({.kind = kRingOffered, .payload_bytes = sizeof offer}, std::move(payload));
}

bool Connection::hear_of_memory(const FrameHeader& header, const Payload& payload) {
  if (!asked_to_share_) return false;
  if (header.kind == kRingOpened && ring_out_) {
    if (header.step == 0) {
      ring_out_.reset();
    } else {
      ring_out_->accepted();
    }
    return true;
  }
  RingOffer offer;
  if (header.kind != kRingOffered || ring_in_ || payload.size().value != sizeof offer) return false;
  std::memcpy(&offer, payload.bytes().data(), sizeof offer);
  if (can_share_) ring_in_ = RingReader::open(offer);
  reader_.share(ring_in_.get());
  send({.kind = kRingOpened, .step = ring_in_ ? 1 : 0}, {});
  return true;
}

void Connection::start(OnFrame on_frame, OnClosed on_closed) {
  replaced_ = std::exchange(on_frame_, std::move(on_frame));
  on_closed_ = std::move(on_closed);
  if (std::exchange(reading_, true)) return;
  read();
  if (tls_) flush();
}

std::array<asio::mutable_buffer, 2> Connection::room() {
  if (tls_) return {buffer_of(tls_->room()), asio::mutable_buffer()};
  const auto room = reader_.room();
  return {buffer_of(room[0]), buffer_of(room[1])};
}

void Connection::read() {
  const auto room = this->room();
  socket_.async_receive(room, [self = shared_from_this(), wanted = asio::buffer_size(room)](
                                  const error_code& error, std::size_t count) {
    self->on_read(error, count, wanted);
  });
}

// Where a read filled all the room there is probably more: it is read at once, for a few times,
// then others have their turn.
void Connection::on_read(error_code error, std::size_t count, std::size_t wanted) {
  for (int turn = 0; !closed_; ++turn) {
    if (error == asio::error::would_block) return read();
    if (error && reader_.within_payload()) return fail("the connection ended within a message");
    if (error == asio::error::eof) return fail("it closed the connection");
    if (error) return fail(error.message());
    take(count);
    if (closed_) return;
    if (count < wanted || turn == kReadsATurn) return read();
    const auto room = this->room();
    wanted = asio::buffer_size(room);
    count = socket_.receive(room, 0, error);
  }
}

void Connection::take(std::size_t count) {
  const bool first = received_ == 0;
  received_ += count;
  if (first) count = go_on_in_plain(count);
  if (tls_) return open(count);
  if (const char* wrong = hand_on(count)) fail(wrong);
}

std::size_t Connection::go_on_in_plain(std::size_t count) {
  const std::span<std::byte> plain = reader_.room()[1];
  if (!tls_) {
    if (!is_tls_greeting(plain.first(count))) return count;
    at_odds_ = true;
    send({.kind = kInPlain}, {});
    return 0;
  }
  const std::span<const std::byte> heard = tls_->room().first(count);
  if (heard.front() != kFirstByte) return count;
  at_odds_ = true;
  count = std::min(count, plain.size());  // nobody says more before an answer
  std::ranges::copy(heard.first(count), plain.begin());
  tls_.reset();
  flush();  // what was to be sealed
  return count;
}

void Connection::open(std::size_t count) {
  tls_->take(count);
  while (!closed_) {
    const auto room = reader_.room();
    const std::size_t opened = tls_->open(room[0].empty() ? room[1] : room[0]);
    if (opened == 0) break;
    if (const char* wrong = hand_on(opened)) return fail(wrong);
  }
  if (closed_) return;
  flush();  // what the ends say to come to know each other, then what waited for that
  if (untrusted()) fail(tls_->wrong());
}

const char* Connection::hand_on(std::size_t count) {
  return reader_.take(count, [this](const FrameHeader& header, Payload payload) {
    if (!hear_of_memory(header, payload)) on_frame_(header, std::move(payload));
    return !closed_;
  });
}

void Connection::send(const FrameHeader& header, Payload payload) {
  if (closed_) return;
  outgoing_.push({header.bucket, encode(header), std::move(payload)}, in_order());
  flush();
}

Bytes Connection::in_order() const {
  Bytes all;
  for (const Outgoing& each : outgoing_) {
    if (!each.settled) break;
    all += each.size();
  }
  return std::max(all, written_);
}

// Of those that one write takes, up to the first that there is no room for, which waits for the
// socket or for room.
void Connection::settle_ways() {
  if (!shares_memory()) return;
  if (written_.value > 0) outgoing_.front().settled = true;
  std::size_t frames = 0;
  for (Outgoing& each : outgoing_) {
    if (++frames > kParts / 2) return;
    if (each.settled) continue;
    if (each.payload.size() >= kLeastInRing) {
      if (!ring_out_->put(each.payload.bytes())) return;
      each.header = in_ring(each.header);
      each.payload = {};
    }
    each.settled = true;
  }
}

void Connection::flush() {
  if (writing_) return;
  error_code error;
  write(error);
  if (waits_for_socket()) write_later();
}

// Before the ends know each other frames wait for that.
bool Connection::waits_for_socket() const {
  if (!tls_) return !outgoing_.empty();
  return !tls_->sealed().empty() || (!outgoing_.empty() && tls_->agreed());
}

Connection::Parts Connection::waiting() const {
  Parts parts;
  auto skip = static_cast<std::size_t>(written_.value);
  for (const Outgoing& each : outgoing_) {
    if (parts.size() + 2 > kParts) break;
    const auto payload = each.payload.bytes();
    for (const asio::const_buffer part :
         {asio::buffer(each.header), asio::buffer(payload.data(), payload.size())}) {
      const std::size_t skipped = std::min(skip, part.size());
      skip -= skipped;
      if (skipped < part.size()) parts.push_back(part + skipped);
    }
  }
  return parts;
}

// Writes as much as the socket takes of the first few frames.
void Connection::write(error_code& error) {
  if (tls_) return write_sealed(error);
  settle_ways();
  wrote(socket_.send(waiting(), 0, error));
}

// Nothing more is sealed before all that was is with the socket: a frame that waits can still be
// overtaken. After a few times others have their turn.
void Connection::write_sealed(error_code& error) {
  for (int turn = 0; turn < kSealsATurn && !error; ++turn) {
    if (tls_->sealed().empty() && !outgoing_.empty()) {
      const Parts parts = waiting();
      wrote(tls_->seal({parts.data(), parts.size()}));
    }
    const auto sealed = tls_->sealed();
    if (sealed.empty()) return;
    tls_->sent(socket_.send(asio::buffer(sealed.data(), sealed.size()), 0, error));
  }
}

void Connection::wrote(std::size_t count) {
  written_ += Bytes{static_cast<std::int64_t>(count)};
  while (!outgoing_.empty()) {
    const Bytes size = outgoing_.front().size();
    if (written_ < size) break;
    written_ = written_ - size;
    outgoing_.pop_front();
  }
}

void Connection::write_later() {
  writing_ = true;
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code error) {
    self->writing_ = false;
    if (self->closed_) return;
    if (!error) self->write(error);
    // A peer that is gone is told apart by the reader, which may still find its last words.
    if (error && error != asio::error::would_block) self->forget_outgoing();
    if (self->waits_for_socket()) return self->write_later();
    if (self->leaving_) self->close();
  });
}

void Connection::forget_outgoing() {
  outgoing_.clear();
  written_ = {};
  if (tls_) tls_->sent(tls_->sealed().size());
}

void Connection::fail(const std::string& why) {
  const OnClosed on_closed = std::move(on_closed_);
  close();
  if (on_closed) on_closed(why);
}

void Connection::close() {
  if (closed_) return;
  closed_ = true;
  on_closed_ = nullptr;
  error_code ignored;
  socket_.shutdown(asio::ip::tcp::socket::shutdown_both, ignored);
  socket_.close(ignored);
}

void Connection::close_when_drained() {
  if (closed_) return;
  start([](const FrameHeader&, const Payload&) {}, nullptr);
  leaving_ = true;
  if (!waits_for_socket()) close();
}

std::string to_text(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", address, endpoint.port());
  return fmt::format("{}:{}", address, endpoint.port());
}

}  // namespace foretrain::exec
