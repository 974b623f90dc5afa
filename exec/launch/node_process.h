// The process of a node, as its launcher meets it.
#pragma once

#include "exec/launch/joining.h"
#include "exec/launch/node_peers.h"
#include "exec/launch/node_training.h"

#include <boost/asio/io_context.hpp>
#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain::exec {

struct NodeEnded {
  int status = 0;  ///< that its process is to exit with: 130 where it was interrupted
  bool trained = false;
  /// It is to join once more: the nodes go on from a checkpoint, which one of them could not read,
  /// or with another process in the place of one.
  bool again = false;
  /// With which this process is to begin again (kernel_program.h); empty: it is not.
  std::string kernels{};
};

/// The other end of the conversation that control.h draws: three parts, one after another.
///
///     join          joining.h        comes to the launcher
///     NodeTraining  node_training.h  has the data, the program; trains; reports
///     NodePeers     node_peers.h     comes to the peers, between setup and go
///
/// One thread, and the driver's compute thread.
class NodeProcess {
 public:
  NodeProcess(boost::asio::io_context& loop, const Joining& joining);

  /// Until the launcher says exit, or is gone.
  NodeEnded run();

 private:
  void on_joined(const std::shared_ptr<Connection>& launcher, const boost::asio::ip::address& here);
  void on_control(const FrameHeader& header, const Payload& payload);
  void obey(ControlKind kind, const Payload& payload);
  void set_up(const nlohmann::json& setup);
  void exit(std::string_view outcome);
  void on_finished(const Finished& finished);
  void leave();
  /// Why memory did not suffice.
  [[nodiscard]] std::string out_of_memory() const;
  void give_up(const std::string& why, std::optional<NodeId> peer = {});
  void tell_trouble(const nlohmann::json& trouble);
  void end_alone(const std::string& why);

  boost::asio::io_context& loop_;
  Joining joining_;
  boost::asio::ip::address address_;  // of this node, as the launcher reaches it
  std::shared_ptr<Connection> launcher_;
  Duration poll_;  // none before the start: who draws its data has the core then
  std::optional<NodeTraining> training_;
  std::optional<NodePeers> peers_;
  bool over_ = false;  // told to exit, or given up
  NodeEnded ended_;
};

/// Joins a training, once more as often as it is told to, is a node of it until that ends. Nothing
/// that it has opened is left.
NodeEnded node_until_told(const Joining& joining);

}  // namespace foretrain::exec
