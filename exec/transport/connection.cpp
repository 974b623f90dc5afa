#include "exec/transport/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/container/static_vector.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

constexpr int kReadsATurn = 8;
constexpr std::size_t kFramesAWrite = 16;

std::array<asio::mutable_buffer, 2> buffers(const std::array<std::span<std::byte>, 2>& room) {
  return {asio::buffer(room[0].data(), room[0].size()),
          asio::buffer(room[1].data(), room[1].size())};
}

}  // namespace

Connection::Connection(tcp::socket socket, Bytes most_payload)
    : socket_(std::move(socket)), reader_(most_payload) {
  error_code ignored;  // a socket that is dead already says so at the first read
  socket_.set_option(tcp::no_delay(true), ignored);
  socket_.non_blocking(true, ignored);
  peer_ = to_text(socket_.remote_endpoint(ignored));
}

void Connection::start(OnFrame on_frame, OnClosed on_closed) {
  replaced_ = std::exchange(on_frame_, std::move(on_frame));
  on_closed_ = std::move(on_closed);
  if (!std::exchange(reading_, true)) read();
}

void Connection::read() {
  const auto room = buffers(reader_.room());
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
    received_ += count;
    const char* wrong = reader_.take(count, [this](const FrameHeader& header, Payload payload) {
      on_frame_(header, std::move(payload));
      return !closed_;
    });
    if (closed_) return;
    if (wrong != nullptr) return fail(wrong);
    if (count < wanted || turn == kReadsATurn) return read();
    const auto room = buffers(reader_.room());
    wanted = asio::buffer_size(room);
    count = socket_.receive(room, 0, error);
  }
}

void Connection::send(const FrameHeader& header, Payload payload) {
  if (closed_) return;
  const bool waits = !outgoing_.empty();
  outgoing_.push({header.bucket, encode(header), std::move(payload)}, written_);
  if (waits) return;
  error_code error;
  write(error);
  if (!outgoing_.empty()) write_later();
}

// Writes as much as the socket takes of the first few frames.
void Connection::write(error_code& error) {
  constexpr std::size_t kParts = 2 * kFramesAWrite;
  boost::container::static_vector<asio::const_buffer, kParts> parts;
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
  written_ += Bytes{static_cast<std::int64_t>(socket_.send(parts, 0, error))};
  while (!outgoing_.empty()) {
    const Bytes size = outgoing_.front().size();
    if (written_ < size) break;
    written_ = written_ - size;
    outgoing_.pop_front();
  }
}

void Connection::write_later() {
  socket_.async_wait(tcp::socket::wait_write, [self = shared_from_this()](error_code error) {
    if (self->closed_) return;
    if (!error) self->write(error);
    // A peer that is gone is told apart by the reader, which may still find its last words.
    if (error && error != asio::error::would_block) self->outgoing_.clear();
    if (!self->outgoing_.empty()) return self->write_later();
    if (self->leaving_) self->close();
  });
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
  if (drained()) close();
}

std::string to_text(const asio::ip::tcp::endpoint& endpoint) {
  const std::string address = endpoint.address().to_string();
  if (endpoint.address().is_v6()) return fmt::format("[{}]:{}", address, endpoint.port());
  return fmt::format("{}:{}", address, endpoint.port());
}

}  // namespace foretrain::exec
