#include "exec/transport/connection.h"

#include "exec/transport/tuning.h"
#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
constexpr int kReadsATurn = 9;
}  // namespace

Connection::Connection(tcp::socket socket, Bytes most_payload) : reader_(most_payload) {
  ByteStream::Error ignored;  // the first read reports a dead socket
  const tcp::endpoint there = socket.remote_endpoint(ignored);
  peer_ = to_text(there);
  within_host_ = !ignored && socket.local_endpoint(ignored).address() == there.address();
  loopback_ = ignored || there.address().is_loopback();
  socket_ = socket.native_handle();
  stream_ = socket_stream(std::move(socket));
}

void Connection::give_up_after(Duration silence) {
  if (!loopback_) exec::give_up_after(socket_, silence);
}

void Connection::wrap(const std::function<OwnedStream(OwnedStream)>& wrap) {
  FT_CHECK(drained());
  reader_.drop();
  stream_ = wrap(std::move(stream_));
}

void Connection::start(OnFrame on_frame, OnClosed on_closed) {
  replaced_ = std::exchange(on_frame_, std::move(on_frame));
  on_closed_ = std::move(on_closed);
  if (std::exchange(reading_, true)) return;
  read_later();
  flush();
}

void Connection::read_later() {
  stream_->async_wait(tcp::socket::wait_read, [self = shared_from_this()] {
    if (!self->closed_) self->read();
  });
}

// If a read fills the buffer there is probably more: it reads again, a few times, before other
// connections have their turn.
void Connection::read() {
  ByteStream::Error error;
  bool more = true;
  const char* wrong = nullptr;
  for (int turn = 0; more && turn < kReadsATurn; ++turn) {
    const ByteStream::Room room = reader_.room();
    const std::size_t count = stream_->read_some(room, error);
    received_ += count;
    wrong = reader_.take(count, [this](const FrameHeader& header, Payload payload) {
      on_frame_(header, std::move(payload));
      return !closed_;
    });
    if (closed_) return;
    more = !error && wrong == nullptr && count == asio::buffer_size(room);
  }
  flush();
  if (wrong != nullptr) return fail(wrong);
  if (error && error != asio::error::would_block) return fail(error);
  read_later();
}

void Connection::send(const FrameHeader& header, Payload payload, std::uint32_t order) {
  if (closed_) return;
  outgoing_.push({order, encode(header), std::move(payload)}, written_);
  flush();
}

void Connection::flush() {
  if (writing_) return;
  ByteStream::Error error;
  const ByteStream::Parts parts = waiting();
  const std::size_t count = stream_->write_some(parts, error);
  wrote(count);
  const bool more = count == asio::buffer_size(parts) && !outgoing_.empty();
  if (error && error != asio::error::would_block) {
    // The read reports how the peer left, and may still find its last message.
    outgoing_.clear();
    written_ = {};
  } else if (error || more) {
    writing_ = true;
    stream_->async_wait(tcp::socket::wait_write, [self = shared_from_this()] {
      self->writing_ = false;
      if (self->closed_) return;
      self->flush();
      if (self->leaving_ && !self->writing_) self->close();
    });
  }
}

ByteStream::Parts Connection::waiting() const {
  ByteStream::Parts parts;
  auto skip = static_cast<std::size_t>(written_.value);
  for (const Outgoing& each : outgoing_) {
    if (parts.size() + 2 > parts.capacity()) break;
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

void Connection::wrote(std::size_t count) {
  written_ += Bytes{static_cast<std::int64_t>(count)};
  while (!outgoing_.empty()) {
    const Bytes size = outgoing_.front().size();
    if (written_ < size) break;
    written_ = written_ - size;
    outgoing_.pop_front();
  }
}

void Connection::fail(const ByteStream::Error& error) {
  const std::string refusal = stream_->refusal();
  if (!refusal.empty()) return fail(refusal);
  if (reader_.within_payload()) return fail("the connection ended within a message");
  if (error == asio::error::eof) return fail("it closed the connection");
  fail(error.message());
}

void Connection::fail(const std::string& why) {
  const OnClosed on_closed = std::move(on_closed_);
  close();
  if (on_closed) on_closed(why);
}

void Connection::close() {
  if (std::exchange(closed_, true)) return;
  on_closed_ = nullptr;
  stream_->close();
}

void Connection::close_when_drained() {
  if (closed_) return;
  start([](const FrameHeader&, const Payload&) {}, nullptr);
  leaving_ = true;
  if (!writing_) close();
}

std::string to_text(const tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", address, endpoint.port());
  return fmt::format("{}:{}", address, endpoint.port());
}

}  // namespace foretrain::exec
