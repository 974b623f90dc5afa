// Requests of clients with their answers.
#pragma once

#include <functional>
#include <memory>
#include <string>

namespace foretrain::web {

/// A request of somebody who may ask (gate.h).
struct Request {
  std::string method;  ///< `GET`, `POST`
  std::string path;    ///< decoded, without what stands behind `?`: `/records/quickstart/run`
  std::string body;
};

/// A whole answer.
struct Said {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string text;
  std::string policy{};  ///< its Content-Security-Policy; empty: nothing of it may be shown or run
};

/// The answer to one request: all at once (`send`), or line by line as it becomes known (`line`,
/// then `end`). From any thread. What comes after its end, or after the client has left, is dropped
/// without a word; one that is let go of unanswered says that something is wrong here. Replies are
/// let go of before their HttpServer ends.
class Reply {
 public:
  Reply() = default;
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;
  virtual ~Reply() = default;

  virtual void send(Said said) = 0;
  /// `text` without a line feed: one is added.
  virtual void line(std::string text) = 0;
  virtual void end() = 0;
  /// The client has left.
  [[nodiscard]] virtual bool gone() const = 0;
};

/// The handler of requests to one path. Routes are asked on the thread of the server: whatever
/// takes longer than reading a small file goes on elsewhere, the reply with it. An InputError that
/// one throws is the client's mistake.
struct Route {
  std::string method;
  std::string path;    ///< `/forecast`
  bool below = false;  ///< with all that is below: `/records` has `/records/quickstart/run`
  std::function<void(const Request&, std::shared_ptr<Reply>)> answer;
};

}  // namespace foretrain::web
