#include "exec/transport/connection.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <array>
#include <cstring>
#include <utility>

namespace foretrain::exec {
namespace asio = boost::asio;
using boost::system::error_code;

Connection::Connection(asio::ip::tcp::socket socket, Bytes most_payload)
    : socket_(std::move(socket)), most_payload_(most_payload) {
  error_code ignored;  // a socket that is dead already says so at the first read
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  peer_ = to_text(socket_.remote_endpoint(ignored));
}

void Connection::start(OnFrame on_frame, OnClosed on_closed) {
  replaced_ = std::exchange(on_frame_, std::move(on_frame));
  on_closed_ = std::move(on_closed);
  if (!std::exchange(reading_, true)) read_header();
}

void Connection::read_header() {
  asio::async_read(socket_, asio::buffer(incoming_header_),
                   [self = shared_from_this()](error_code error, std::size_t) {
                     if (self->closed_) return;
                     if (error == asio::error::eof) return self->fail("it closed the connection");
                     if (error) return self->fail(error.message());
                     const auto decoded = decode(self->incoming_header_, self->most_payload_);
                     if (decoded.error != nullptr) return self->fail(decoded.error);
                     self->read_payload(decoded.header);
                   });
}

void Connection::read_payload(const FrameHeader& header) {
  if (header.payload_bytes == 0) {
    on_frame_(header, {});
    if (!closed_) read_header();
    return;
  }
  incoming_ = Payload::allocate({static_cast<std::int64_t>(header.payload_bytes)});
  const auto room = incoming_.writable_bytes();
  asio::async_read(socket_, asio::buffer(room.data(), room.size()),
                   [self = shared_from_this(), header](error_code error, std::size_t) {
                     if (self->closed_) return;
                     if (error) return self->fail("the connection ended within a message");
                     self->on_frame_(header, std::exchange(self->incoming_, {}));
                     if (!self->closed_) self->read_header();
                   });
}

void Connection::send(const FrameHeader& header, Payload payload) {
  if (closed_) return;
  outgoing_.push_back({encode(header), std::move(payload)});
  if (outgoing_.size() == 1) write_next();
}

void Connection::write_next() {
  const Outgoing& next = outgoing_.front();
  const auto bytes = next.payload.bytes();
  const std::array<asio::const_buffer, 2> parts{asio::buffer(next.header),
                                                asio::buffer(bytes.data(), bytes.size())};
  asio::async_write(socket_, parts, [self = shared_from_this()](error_code error, std::size_t) {
    if (self->closed_) return;
    // A peer that is gone is told apart by the reader, which may still find its last words.
    if (error) {
      self->outgoing_.clear();
      if (self->leaving_) self->close();
      return;
    }
    self->outgoing_.pop_front();
    if (!self->outgoing_.empty()) return self->write_next();
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

std::string choose_congestion_control(int native_socket) {
  for (const char* name : {"cubic", "reno"}) {
    if (setsockopt(native_socket, IPPROTO_TCP, TCP_CONGESTION, name,
                   static_cast<socklen_t>(std::strlen(name))) == 0) {
      return name;
    }
  }
  std::array<char, 32> name{};
  socklen_t length = name.size() - 1;
  getsockopt(native_socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length);
  return name.data();
}

}  // namespace foretrain::exec
