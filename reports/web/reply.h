// HTTP requests with their responses.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace foretrain::web {

/// An authorized request (request_authorization.h).
struct Request {
  std::string method;  ///< `GET`, `POST`
  std::string path;    ///< decoded, without the query: `/records/quickstart/run`
  std::string body;
};

/// A complete response.
struct HttpResponse {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
  std::string policy{};  ///< Content-Security-Policy; empty: nothing may be displayed or executed
};

/// The response to one request: at once (`send`), or line by line (`line`, then `end`).
/// Thread-safe. Calls after the end, or after the client has disconnected, have no effect. If a
/// reply is destroyed without a response, the client gets status 500. Replies must be destroyed
/// before their HttpServer.
class Reply {
 public:
  Reply() = default;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  virtual ~Reply() = default;

  virtual void send(HttpResponse response) = 0;
  /// Sends `text`, which has no line feed, with one.
  virtual void line(std::string text) = 0;
  virtual void end() = 0;
  /// Whether the client has disconnected.
  [[nodiscard]] virtual bool gone() const = 0;
};

/// The handler of requests to one path. It is called on the thread of the server, so it passes work
/// that takes longer than reading a small file, with the reply, to another thread. An InputError
/// that it throws becomes status 400.
struct Route {
  std::string method;
  std::string path;    ///< `/forecast`
  bool below = false;  ///< also matches deeper paths: `/records` matches `/records/quickstart/run`
  std::function<void(const Request&, std::shared_ptr<Reply>)> answer;
};

}  // namespace foretrain::web
