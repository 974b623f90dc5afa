// A client of the server with its sequence of requests.
#include "reports/web/server.h"
#include "scenarios/language/input_error.h"

#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace foretrain::web {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;

constexpr auto kClientPatience = std::chrono::seconds(10);  // with a stalled client
constexpr std::uint64_t kMostBody = 4U << 20U;              // a scenario has at most 1 MB
constexpr std::uint32_t kMostHeader = 32U << 10U;           // browsers send a tenth of that
constexpr unsigned kHttp11 = 11;
constexpr const char* kLines = "application/x-ndjson";
constexpr const char* kNothing = "default-src 'none'; frame-ancestors 'none'";

std::string_view plain(beast::string_view text) { return {text.data(), text.size()}; }

/// Decodes percent escapes; nothing for invalid ones, or control characters such as `%00`.
std::optional<std::string> decoded(std::string_view text) {
  constexpr std::size_t kEscape = 3;  // `%2F`
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    int code = 0;
    const std::string_view digits = text.substr(i + 1, kEscape - 1);
    const char* end = digits.data() + digits.size();
    const auto [read, wrong] = std::from_chars(digits.data(), end, code, 16);
    if (digits.size() != kEscape - 1 || wrong != std::errc{} || read != end) return std::nullopt;
    if (code < ' ' || code == 0x7f) return std::nullopt;
    out += static_cast<char>(code);
    i += kEscape - 1;
  }
  return out;
}

/// The value of `token=...` in a query.
std::string_view token_in(std::string_view query) {
  constexpr std::string_view kKey = "token=";
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (part.starts_with(kKey)) return part.substr(kKey.size());
    query.remove_prefix(std::min(part.size() + 1, query.size()));
  }
  return {};
}

template <class Fields>
void add_headers(Fields& response, const std::string& policy) {
  response.set(http::field::cache_control, "no-store");
  response.set("Content-Security-Policy", policy.empty() ? kNothing : policy);
  response.set("Cross-Origin-Opener-Policy", "same-origin");
  response.set("Cross-Origin-Resource-Policy", "same-origin");
  response.set("Referrer-Policy", "no-referrer");
  response.set("X-Content-Type-Options", "nosniff");
}

/// A client: reads a request, answers it, reads the next one, until it disconnects. Pending
/// operations keep the object alive. Only `say` may be called from other threads than the server's.
class Session final : public HttpClient, public std::enable_shared_from_this<Session> {
 public:
  Session(tcp::socket socket, const RequestAuthorization& gate, const std::vector<Route>& routes)
      : stream_(std::move(socket)), authorization_(gate), routes_(routes) {}

  void read() {
    parser_.emplace();
    parser_->body_limit(kMostBody);
    parser_->header_limit(kMostHeader);
    ++number_;
    answered_ = ended_ = false;
    waits_since_ = std::chrono::steady_clock::now();
    stream_.expires_after(kClientPatience);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                              self->look_at_header(error);
                            });
  }

  [[nodiscard]] bool gone() const { return gone_; }
  [[nodiscard]] bool known() const override { return known_; }
  [[nodiscard]] std::chrono::steady_clock::time_point waits_since() const override {
    return waits_since_;
  }
  void disconnect() override {
    gone_ = true;
    stream_.close();
  }

  // These three answer the request `number`.

  void send(std::uint64_t number, HttpResponse response) {
    if (number == number_ && !answered_) write(std::move(response), parser_->get().keep_alive());
  }
  void line(std::uint64_t number, std::string text) {
    if (number != number_ || ended_ || gone_) return;
    if (!answered_) begin_lines();
    lines_.push_back(std::move(text) + "\n");
    write_next();
  }
  void end(std::uint64_t number) {
    if (number != number_ || ended_) return;
    if (!answered_) return write({500, {}, "foretrain has a bug: no answer was made\n"}, false);
    ended_ = true;
    write_next();
  }

  /// Calls `saying` on the thread of the server. Thread-safe.
  template <class Saying>
  void say(Saying saying) {
    asio::post(stream_.get_executor(), [self = shared_from_this(),
                                        saying = std::move(saying)]() mutable { saying(*self); });
  }

 private:
  void look_at_header(error_code error) {
    const bool too_long = error == http::error::body_limit;
    if (error && !too_long) return;
    const auto& request = parser_->get();
    const std::string_view target = plain(request.target());
    const std::size_t question = target.find('?');
    constexpr std::string_view kBearer = "Bearer ";
    std::string_view token = plain(request[http::field::authorization]);
    if (token.starts_with(kBearer)) {
      token.remove_prefix(kBearer.size());
    } else {
      token = question == std::string_view::npos ? "" : token_in(target.substr(question + 1));
    }
    const Credentials credentials{plain(request[http::field::host]),
                                  plain(request[http::field::origin]), token};
    if (!authorization_.token.empty()) {
      if (const auto refusal = refusal_of(authorization_, credentials)) {
        return write({refusal->status, {}, fmt::format("foretrain: {}\n", refusal->why)}, false);
      }
      known_ = true;
    }
    if (too_long) return refuse_text();
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code wrong, std::size_t /*bytes*/) {
                       if (wrong == http::error::body_limit) return self->refuse_text();
                       if (!wrong) self->answer();
                     });
  }

  void refuse_text() { write({413, {}, "foretrain: the request is too long\n"}, false); }

  void answer();

  void write(HttpResponse response, bool goes_on) {
    answered_ = ended_ = true;
    response_ = {};
    response_.version(kHttp11);
    response_.result(static_cast<unsigned>(response.status));
    response_.keep_alive(goes_on);
    response_.set(http::field::content_type,
                  response.type.empty() ? "text/plain; charset=utf-8" : response.type);
    add_headers(response_, response.policy);
    response_.body() = std::move(response.text);
    response_.prepare_payload();
    stream_.expires_after(kClientPatience);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                        if (error) return self->disconnect();
                        if (self->response_.keep_alive()) return self->read();
                        self->leave();
                      });
  }

  void begin_lines() {
    answered_ = true;
    head_ = {};
    head_.version(kHttp11);
    head_.result(http::status::ok);
    head_.set(http::field::content_type, kLines);
    add_headers(head_, {});
    head_.keep_alive(false);
    head_.chunked(true);
    head_writer_.emplace(head_);
    writing_ = true;
    // Reading detects that the client disconnects, at any time later.
    stream_.expires_never();
    stream_.async_read_some(
        asio::buffer(unread_),
        [self = shared_from_this()](error_code /*error*/, std::size_t /*bytes*/) {
          self->disconnect();
        });
    stream_.expires_after(kClientPatience);  // applies to the write: the read has begun without it
    http::async_write_header(stream_, *head_writer_,
                             [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                               self->written(error);
                             });
  }

  void write_next() {
    if (writing_ || gone_) return;
    const auto done = [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
      self->written(error);
    };
    if (!lines_.empty()) {
      writing_ = true;
      chunk_ = std::move(lines_.front());
      lines_.pop_front();
      stream_.expires_after(kClientPatience);
      asio::async_write(stream_, http::make_chunk(asio::buffer(chunk_)), done);
    } else if (ended_) {
      writing_ = true;
      stream_.expires_after(kClientPatience);
      asio::async_write(stream_, http::make_chunk_last(),
                        [self = shared_from_this()](error_code /*error*/, std::size_t /*bytes*/) {
                          self->leave();
                        });
    }
  }

  void written(error_code error) {
    writing_ = false;
    if (error) return disconnect();
    write_next();
  }

  void leave() {
    error_code ignored;
    stream_.socket().shutdown(tcp::socket::shutdown_both, ignored);
  }

  beast::tcp_stream stream_;
  const RequestAuthorization& authorization_;
  const std::vector<Route>& routes_;
  beast::flat_buffer buffer_{kMostBody + kMostHeader};
  std::optional<http::request_parser<http::string_body>> parser_;
  std::uint64_t number_ = 0;  // number of the current request
  std::chrono::steady_clock::time_point waits_since_;
  bool known_ = false;
  bool answered_ = false;  // the response has begun
  bool ended_ = false;     // the response is complete
  std::atomic<bool> gone_{false};
  http::response<http::string_body> response_;
  // For a response line by line:
  http::response<http::empty_body> head_;
  std::optional<http::response_serializer<http::empty_body>> head_writer_;
  std::deque<std::string> lines_;
  std::string chunk_;
  bool writing_ = false;
  std::array<char, 64> unread_{};
};

/// The reply to one request of a client.
class SessionReply final : public Reply {
 public:
  SessionReply(std::shared_ptr<Session> session, std::uint64_t number)
      : session_(std::move(session)), number_(number) {}
  SessionReply(const SessionReply&) = delete;
  SessionReply& operator=(const SessionReply&) = delete;
  ~SessionReply() override { finish(); }

  void send(HttpResponse response) override {
    session_->say([number = number_, response = std::move(response)](Session& session) mutable {
      session.send(number, std::move(response));
    });
  }
  void line(std::string text) override {
    session_->say([number = number_, text = std::move(text)](Session& session) mutable {
      session.line(number, std::move(text));
    });
  }
  void end() override { finish(); }
  [[nodiscard]] bool gone() const override { return session_->gone(); }

 private:
  void finish() {
    session_->say([number = number_](Session& session) { session.end(number); });
  }

  std::shared_ptr<Session> session_;
  std::uint64_t number_;
};

bool leads_to(const Route& route, std::string_view path) {
  if (path == route.path) return true;
  return route.below && path.starts_with(route.path) &&
         path.substr(route.path.size()).starts_with('/');
}

void Session::answer() {
  const auto& request = parser_->get();
  const std::string_view target = plain(request.target());
  const auto path = decoded(target.substr(0, target.find('?')));
  const std::string_view method = plain(request.method_string());
  const auto here = [&](const Route& route) { return path && leads_to(route, *path); };
  if (std::ranges::none_of(routes_, here)) {
    return write({404, {}, "foretrain: there is no such page\n"}, request.keep_alive());
  }
  const auto found = std::ranges::find_if(
      routes_, [&](const Route& route) { return here(route) && route.method == method; });
  if (found == routes_.end()) {
    return write({405, {}, fmt::format("foretrain: {} is not possible here\n", method)},
                 request.keep_alive());
  }
  auto reply = std::make_shared<SessionReply>(shared_from_this(), number_);
  try {
    found->answer({std::string(method), *path, request.body()}, reply);
  } catch (const InputError& error) {
    reply->send({400, {}, error.what()});
  } catch (const std::exception& error) {
    reply->send({500, {}, fmt::format("foretrain has a bug: {}\n", error.what())});
  }
}

}  // namespace

std::weak_ptr<HttpClient> serve_client(tcp::socket socket, const RequestAuthorization& gate,
                                       const std::vector<Route>& routes) {
  const auto session = std::make_shared<Session>(std::move(socket), gate, routes);
  session->read();
  return session;
}

}  // namespace foretrain::web
