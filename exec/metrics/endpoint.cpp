#include "exec/metrics/endpoint.h"

#include "exec/transport/connection.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <charconv>
#include <memory>

namespace foretrain::exec {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

[[noreturn]] void refuse_place(const std::string& text, const std::string& what) {
  throw InputError(fmt::format("--metrics {}: {}", text, what));
}

}  // namespace

tcp::endpoint read_metrics_place(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  const std::string port_text = colon == std::string::npos ? text : text.substr(colon + 1);
  std::uint16_t port = 0;
  const char* end = port_text.data() + port_text.size();
  const auto [read, wrong] = std::from_chars(port_text.data(), end, port);
  if (wrong != std::errc{} || read != end) {
    refuse_place(text, "write :PORT for this machine only, or ADDRESS:PORT, such as :9464");
  }
  std::string host = colon == std::string::npos ? "" : text.substr(0, colon);
  if (host.empty()) return {asio::ip::address_v4::loopback(), port};
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (error)
    refuse_place(text,
                 fmt::format("'{}' is no address; write one, such as 127.0.0.1 or 0.0.0.0", host));
  return {address, port};
}

MetricsEndpoint::MetricsEndpoint(const tcp::endpoint& place)
    : server_(place, fmt::format("--metrics {}", to_text(place)), "",
              {{"GET", "/metrics", false,
                [this](const web::Request&, const std::shared_ptr<web::Reply>& reply) {
                  reply->send({200, "text/plain; version=0.0.4; charset=utf-8", text()});
                }}}) {}

std::string MetricsEndpoint::url() const {
  return fmt::format("http://{}/metrics", to_text(server_.place()));
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

}  // namespace foretrain::exec
