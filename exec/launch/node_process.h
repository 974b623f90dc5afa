// A node's process: joins, connects to its peers, trains, reports.
#pragma once

#include "exec/driver/node_driver.h"
#include "exec/launch/control.h"
#include "exec/usage/usage.h"
#include "models/protocol/input_row.h"
#include "models/protocol/training.h"
#include "scenarios/scenario.h"
#include "scenarios/stragglers.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The other end of the conversation that control.h draws. One thread, and the driver's compute
/// thread.
class NodeProcess {
 public:
  NodeProcess(boost::asio::io_context& loop, int launcher_port, NodeId id);

  /// Until the launcher says exit, or is gone. Returns the exit status.
  int run();

 private:
  void on_control(const FrameHeader& header, const Payload& payload);
  void set_up(const nlohmann::json& setup);
  void listen(int port);
  void accept_peer();
  /// What a message between nodes carries at most.
  [[nodiscard]] Bytes largest_message() const;
  void welcome(const std::shared_ptr<Connection>& connection);
  void connect_to(const nlohmann::json& ports);
  void maybe_ready();
  void go();

  void finish(const Finished& finished);
  void sample_usage();
  void flush();
  void flush_later();
  void leave();
  void give_up(const std::string& why, std::optional<NodeId> peer = {});
  [[nodiscard]] DriverHooks hooks();

  boost::asio::io_context& loop_;
  NodeId id_;
  std::shared_ptr<Connection> launcher_;
  std::string congestion_control_;
  int exit_status_ = 0;

  std::optional<Scenario> scenario_;
  std::shared_ptr<const Training> training_;
  std::optional<StragglerDraws> stragglers_;
  std::unique_ptr<NodeDriver> driver_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::vector<NodeId> peers_;  // that this node talks to, ascending
  std::size_t peers_missing_ = 0;
  bool peers_known_ = false;
  bool ready_ = false;
  bool over_ = false;  // finished, or given up

  boost::asio::steady_timer flush_timer_;
  ProcessUsage usage_at_start_;
  ProcessUsage usage_seen_;
  Bytes sent_seen_;
  Bytes received_seen_;
  std::vector<InputRow> inputs_;
  std::vector<StepReport> steps_;
  std::vector<EvalReport> evals_;
  std::vector<UsageRow> usage_;
};

}  // namespace foretrain::exec
