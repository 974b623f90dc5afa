// Where Prometheus finds the metrics of a run.
#pragma once

#include "exec/metrics/metrics.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::exec {

/// `:9464` or `9464` is that port on loopback, `0.0.0.0:9464`, `[::]:9464` on all interfaces; port
/// 0 is any that is free. @throws InputError that names --metrics
boost::asio::ip::tcp::endpoint read_metrics_place(const std::string& text);

/// Of clients that a MetricsEndpoint has at a time. They cost a descriptor each.
inline constexpr std::size_t kMostMetricsClients = 16;

/// Serves `GET /metrics` over HTTP on a thread of its own, for all cases of a sweep; nothing else
/// can be asked of it. Scraped it costs a core a fraction of a millisecond; the nodes are other
/// processes. Any thread may call `begin`, `follow`.
///
/// Anybody can connect, hundreds of times, and say nothing: where there are kMostMetricsClients,
/// the one that has said nothing for longest makes room for the next; whoever says nothing for ten
/// seconds is left, too.
class MetricsEndpoint {
 public:
  /// @throws InputError where it cannot listen there
  explicit MetricsEndpoint(const boost::asio::ip::tcp::endpoint& place);
  MetricsEndpoint(const MetricsEndpoint&) = delete;
  MetricsEndpoint& operator=(const MetricsEndpoint&) = delete;
  ~MetricsEndpoint();

  /// `http://127.0.0.1:9464/metrics`
  [[nodiscard]] std::string url() const;

  /// Of Metrics.
  void begin();
  void follow(const Record& record, std::int64_t planned);

 private:
  class Client;

  void accept();
  void accept_later();
  void make_room();
  [[nodiscard]] std::string text();

  boost::asio::io_context loop_{1};
  boost::asio::ip::tcp::acceptor acceptor_{loop_};
  boost::asio::steady_timer later_{loop_};
  std::mutex mutex_;  // guards metrics_
  Metrics metrics_;
  std::vector<std::weak_ptr<Client>> clients_;  // the thread's
  std::thread thread_;                          // last: it uses the others
};

}  // namespace foretrain::exec
