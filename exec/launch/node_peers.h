// A node's connections to its peers.
#pragma once

#include "exec/driver/node_driver.h"
#include "exec/launch/join_settings.h"
#include "exec/launch/rejected_connections.h"
#include "exec/transport/pending_handshakes.h"
#include "models/protocol/training.h"
#include "scenarios/spec/scenario.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// If two nodes communicate, the one with the lower id connects, and tries again until
/// `JoinSettings::limit`; the other listens. Both prove the job key (handshake.h). The connections
/// are passed to the driver. On the thread of the loop.
class NodePeers {
 public:
  /// `peer`: the other end, if a connection is broken.
  using OnFailed = std::function<void(const std::string& why, std::optional<NodeId> peer)>;

  /// The references outlive this. `all_here`: all peers are connected; called once.
  NodePeers(boost::asio::io_context& loop, const JoinSettings& joining, const Scenario& scenario,
            std::shared_ptr<const Training> training, NodeDriver& driver,
            std::function<void()> all_here, OnFailed on_failed);

  /// Listens at `here` if some peer will connect. Returns the port, 0 if none will; nullopt on
  /// failure.
  std::optional<int> listen(const boost::asio::ip::tcp::endpoint& here);
  /// Connects to nodes with higher ids. `places`: address and port of each node.
  void connect(const nlohmann::json& places);
  /// The `incarnation`-th process of a node replaces the earlier one.
  void take_back(NodeId peer, std::int64_t incarnation);

  /// The congestion control in use, once it listens or connects; for the record.
  [[nodiscard]] const std::string& congestion_control() const { return congestion_control_; }
  [[nodiscard]] std::int64_t refused() const { return rejected_.count(); }

 private:
  void tune_socket(int native_socket);
  [[nodiscard]] Handshake handshake() const;
  void on_proved(NodeId from, const std::shared_ptr<Connection>& peer);
  void on_refused(const std::string& peer, const Refused& refused);
  void add(NodeId peer, const std::shared_ptr<Connection>& connection);
  void one_less();

  boost::asio::io_context& loop_;
  const JoinSettings& joining_;
  const Scenario& scenario_;
  std::shared_ptr<const Training> training_;
  NodeDriver& driver_;
  std::function<void()> all_here_;
  OnFailed on_failed_;
  std::vector<NodeId> peers_;  // ascending
  std::size_t awaited_;        // peers not connected yet, plus one for `places`
  RejectedConnections rejected_;
  std::string congestion_control_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::optional<PendingHandshakes> pending_;
};

}  // namespace foretrain::exec
