// The endpoint at which Prometheus reads the metrics of a run.
#pragma once

#include "exec/metrics/metrics.h"
#include "reports/web/server.h"

#include <boost/asio/ip/tcp.hpp>

#include <mutex>
#include <string>

namespace foretrain::exec {

/// `:9464` or `9464` is that port on loopback, `0.0.0.0:9464`, `[::]:9464` on all interfaces; port
/// 0 is any free one. @throws InputError that names --metrics
boost::asio::ip::tcp::endpoint read_metrics_place(const std::string& text);

/// Serves `GET /metrics` over HTTP on a separate thread, for all cases of a sweep, and nothing
/// else. Access is not restricted (HttpServer). A scrape costs a core a fraction of a millisecond;
/// the nodes are other processes. Any thread may call `begin` and `follow`.
class MetricsEndpoint {
 public:
  /// @throws InputError if it cannot listen there
  explicit MetricsEndpoint(const boost::asio::ip::tcp::endpoint& place);
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;

  /// `http://127.0.0.1:9464/metrics`
  [[nodiscard]] std::string url() const;

  /// As in Metrics.
  void begin();
  void follow(const Record& record, std::int64_t planned);

 private:
  [[nodiscard]] std::string text();

  std::mutex mutex_;  // guards metrics_
  Metrics metrics_;
  web::HttpServer server_;  // last: its thread uses the others
};

}  // namespace foretrain::exec
