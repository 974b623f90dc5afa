// Where Prometheus finds the metrics of a run.
#pragma once

#include "exec/metrics/metrics.h"
#include "reports/web/server.h"

#include <boost/asio/ip/tcp.hpp>

#include <mutex>
#include <string>

namespace foretrain::exec {

/// `:9464` or `9464` is that port on loopback, `0.0.0.0:9464`, `[::]:9464` on all interfaces; port
/// 0 is any that is free. @throws InputError that names --metrics
boost::asio::ip::tcp::endpoint read_metrics_place(const std::string& text);

/// Serves `GET /metrics` over HTTP on a thread of its own, for all cases of a sweep; nothing else
/// can be asked of it. Anybody may ask (HttpServer). Scraped it costs a core a fraction of a
/// millisecond; the nodes are other processes. Any thread may call `begin`, `follow`.
class MetricsEndpoint {
 public:
  /// @throws InputError where it cannot listen there
  explicit MetricsEndpoint(const boost::asio::ip::tcp::endpoint& place);
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  /// `http://127.0.0.1:9464/metrics`
  [[nodiscard]] std::string url() const;

  /// Of Metrics.
  void begin();
  void follow(const Record& record, std::int64_t planned);

 private:
  [[nodiscard]] std::string text();

  std::mutex mutex_;  // guards metrics_
  Metrics metrics_;
  web::HttpServer server_;  // last: its thread uses the others
};

}  // namespace foretrain::exec
