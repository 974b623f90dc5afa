// An HTTP client that writes its requests byte by byte.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace foretrain::testing {

/// The parsed answer.
struct HttpAnswer {
  int status = 0;  ///< 0: no answer
  std::string head;
  std::string body;  ///< joined chunks

  /// The lines of the body.
  [[nodiscard]] std::vector<std::string> lines() const {
    std::vector<std::string> lines;
    std::size_t from = 0;
    for (auto at = body.find('\n'); at != std::string::npos; at = body.find('\n', from)) {
      lines.push_back(body.substr(from, at - from));
      from = at + 1;
    }
    return lines;
  }
};

inline std::string joined_chunks(const std::string& text) {
  std::string whole;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::strtoul(text.c_str() + at, nullptr, 16);
    const std::size_t begin = text.find("\r\n", at) + 2;
    if (size == 0) break;
    whole += text.substr(begin, size);
    at = begin + size + 2;
  }
  return whole;
}

inline HttpAnswer taken_apart(const std::string& text) {
  HttpAnswer answered;
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return answered;
  answered.status = std::atoi(text.c_str() + 9);
  answered.head = text.substr(0, end);
  answered.body = text.substr(end + 4);
  if (answered.head.find("chunked") != std::string::npos) {
    answered.body = joined_chunks(answered.body);
  }
  return answered;
}

/// The answer to `request` until the other end closes.
inline HttpAnswer ask_raw(const boost::asio::ip::tcp::endpoint& place, const std::string& request) {
  boost::asio::io_context loop;
  boost::asio::ip::tcp::socket socket(loop);
  socket.connect(place);
  boost::system::error_code error;  // the other end may close before all is written
  boost::asio::write(socket, boost::asio::buffer(request), error);
  std::string answer;
  boost::asio::read(socket, boost::asio::dynamic_buffer(answer), error);
  return taken_apart(answer);
}

/// A request as sent by a browser from the page itself. `more`: headers, each with its line end.
inline std::string request_text(const std::string& method, int port, const std::string& target,
                                const std::string& more = {}, const std::string& body = {}) {
  std::string text = fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n{}",
                                 method, target, port, more);
  if (!body.empty()) text += fmt::format("Content-Length: {}\r\n", body.size());
  return text + "\r\n" + body;
}

/// A client on loopback with the token.
class Client {
 public:
  Client(int port, std::string token) : port_(port), token_(std::move(token)) {}
  /// From an address such as `http://127.0.0.1:8080/?token=...`.
  explicit Client(const std::string& address)
      : port_(std::atoi(address.c_str() + address.find(':', 5) + 1)),
        token_(address.substr(address.find('=') + 1)) {}

  [[nodiscard]] HttpAnswer get(const std::string& target) const {
    return ask_raw(place(), request_text("GET", port_, target, key()));
  }
  [[nodiscard]] HttpAnswer post(const std::string& target, const std::string& body) const {
    return ask_raw(place(), request_text("POST", port_, target, key(), body));
  }
  [[nodiscard]] boost::asio::ip::tcp::endpoint place() const {
    return {boost::asio::ip::address_v4::loopback(), static_cast<std::uint16_t>(port_)};
  }
  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] std::string key() const {
    return fmt::format("Authorization: Bearer {}\r\n", token_);
  }

 private:
  int port_;
  std::string token_;
};

}  // namespace foretrain::testing
