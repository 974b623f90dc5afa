#include "exec/metrics/endpoint.h"

#include "exec/transport/connection.h"
#include "scenarios/input_error.h"

#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace foretrain::exec {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using asio::ip::tcp;
using boost::system::error_code;
using Clock = std::chrono::steady_clock;

constexpr auto kClientPatience = std::chrono::seconds(10);  // with a client that says nothing
constexpr auto kAcceptRetry = std::chrono::milliseconds(100);

[[noreturn]] void refuse_place(const std::string& text, const std::string& what) {
  throw InputError(fmt::format("--metrics {}: {}", text, what));
}

}  // namespace

/// One client: its request is read, answered, and the next one, until it leaves. Lives as long as
/// something of it is under way.
class MetricsEndpoint::Client : public std::enable_shared_from_this<Client> {
 public:
  Client(tcp::socket socket, std::function<std::string()> metrics)
      : stream_(std::move(socket)), metrics_(std::move(metrics)) {}

  void read() {
    waits_since_ = Clock::now();
    parser_.emplace();
    parser_->body_limit(0);
    stream_.expires_after(kClientPatience);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                       if (!error) self->answer();
                     });
  }

  void leave() { stream_.close(); }
  /// Since when its request is waited for.
  [[nodiscard]] Clock::time_point waits_since() const { return waits_since_; }

 private:
  void answer() {
    const auto& request = parser_->get();
    const bool get = request.method() == http::verb::get || request.method() == http::verb::head;
    const std::string_view target(request.target().data(), request.target().size());
    const bool found = target.substr(0, target.find('?')) == "/metrics";
    response_ = {};
    response_.version(request.version());
    response_.keep_alive(request.keep_alive());
    response_.result(!get    ? http::status::method_not_allowed
                     : found ? http::status::ok
                             : http::status::not_found);
    response_.set(http::field::content_type, "text/plain; version=0.0.4; charset=utf-8");
    if (!get) response_.set(http::field::allow, "GET, HEAD");
    std::string body = get && found ? metrics_() : "foretrain: GET /metrics\n";
    response_.content_length(body.size());
    if (request.method() != http::verb::head) response_.body() = std::move(body);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](error_code error, std::size_t /*bytes*/) {
                        if (!error && self->response_.keep_alive()) self->read();
                      });
  }

  beast::tcp_stream stream_;
  std::function<std::string()> metrics_;
  Clock::time_point waits_since_;
  beast::flat_buffer buffer_{64 << 10};
  std::optional<http::request_parser<http::empty_body>> parser_;
  http::response<http::string_body> response_;
};

tcp::endpoint read_metrics_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string port_text = colon == std::string::npos ? text : text.substr(colon + 1);
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [read, wrong] = std::from_chars(port_text.data(), end, port);
  if (wrong != std::errc{} || read != end) {
    refuse_place(text, "write :PORT for this machine alone, ADDRESS:PORT for others, as :9464");
  }
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.empty()) return {asio::ip::address_v4::loopback(), port};
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error)
    refuse_place(text, fmt::format("'{}' is no address, as 127.0.0.1 or 0.0.0.0 is", host));
  return {address, port};
}

MetricsEndpoint::MetricsEndpoint(const tcp::endpoint& place) {
  error_code error;
  acceptor_.open(place.protocol(), error);
  if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor_.bind(place, error);
  if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
  if (error) refuse_place(to_text(place), fmt::format("cannot listen there: {}", error.message()));
  accept();
  thread_ = std::thread([this] { loop_.run(); });
}

MetricsEndpoint::~MetricsEndpoint() {
  loop_.stop();
  thread_.join();
}

std::string MetricsEndpoint::url() const {
  return fmt::format("http://{}/metrics", to_text(acceptor_.local_endpoint()));
}

void MetricsEndpoint::begin() {
  const std::lock_guard lock(mutex_);
  metrics_.begin();
}

void MetricsEndpoint::follow(const Record& record, std::int64_t planned) {
  const std::lock_guard lock(mutex_);
  metrics_.follow(record, planned);
}

std::string MetricsEndpoint::text() {
  const std::lock_guard lock(mutex_);
  return metrics_.text();
}

void MetricsEndpoint::accept() {
  acceptor_.async_accept([this](error_code error, tcp::socket socket) {
    if (error) return accept_later();
    make_room();
    const auto client = std::make_shared<Client>(std::move(socket), [this] { return text(); });
    clients_.push_back(client);
    client->read();
    accept();
  });
}

// Out of descriptors, say: at once again would keep a core busy.
void MetricsEndpoint::accept_later() {
  later_.expires_after(kAcceptRetry);
  later_.async_wait([this](error_code error) {
    if (!error) accept();
  });
}

void MetricsEndpoint::make_room() {
  std::erase_if(clients_, [](const std::weak_ptr<Client>& client) { return client.expired(); });
  if (clients_.size() < kMostMetricsClients) return;
  const auto first = std::ranges::min_element(
      clients_, {},
      [](const std::weak_ptr<Client>& client) { return client.lock()->waits_since(); });
  first->lock()->leave();
  clients_.erase(first);
}

}  // namespace foretrain::exec
