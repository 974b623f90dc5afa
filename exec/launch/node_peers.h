// How a node comes to the connections with its peers.
#pragma once

#include "exec/driver/node_driver.h"
#include "exec/launch/joining.h"
#include "exec/launch/refusals.h"
#include "exec/transport/lobby.h"
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

/// Of two nodes that talk to each other the one with the lower id connects, and tries again until
/// `Joining::limit`; the other listens. Both prove the job key (handshake.h). The connections are
/// handed to the driver. On the thread of the loop.
class NodePeers {
 public:
  /// `peer`: a connection to it is broken.
  using OnFailed = std::function<void(const std::string& why, std::optional<NodeId> peer)>;

  /// What is referred to outlives it. `all_here`: all peers are connected; called once.
  NodePeers(boost::asio::io_context& loop, const Joining& joining, const Scenario& scenario,
            std::shared_ptr<const Training> training, NodeDriver& driver,
            std::function<void()> all_here, OnFailed on_failed);

  /// Listens at `here` if some peer will connect. Returns the port, 0 if none will; nothing if it
  /// failed.
  std::optional<int> listen(const boost::asio::ip::tcp::endpoint& here);
  /// To those of a higher id, at their places: of each node its address, port.
  void connect(const nlohmann::json& places);
  /// The `generation`-th process of a node takes the place of the one before.
  void take_back(NodeId peer, std::int64_t generation);

  /// The one in use, once it listens or connects; for the record.
  [[nodiscard]] const std::string& congestion_control() const { return congestion_control_; }
  [[nodiscard]] std::int64_t refused() const { return refusals_.count(); }

 private:
  void tune_socket(int native_socket);
  [[nodiscard]] Handshake handshake() const;
  void on_proved(NodeId from, const std::shared_ptr<Connection>& peer);
  void on_refused(const std::string& peer, const Refused& refused);
  void add(NodeId peer, const std::shared_ptr<Connection>& connection);
  void one_less();

  boost::asio::io_context& loop_;
  const Joining& joining_;
  const Scenario& scenario_;
  std::shared_ptr<const Training> training_;
  NodeDriver& driver_;
  std::function<void()> all_here_;
  OnFailed on_failed_;
  std::vector<NodeId> peers_;  // ascending
  std::size_t awaited_;        // of them, and their places
  Refusals refusals_;
  std::string congestion_control_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::optional<Lobby> lobby_;
};

}  // namespace foretrain::exec
