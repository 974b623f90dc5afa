// A node's process, as seen from its launcher.
#pragma once

#include "exec/launch/join_settings.h"
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
  int status = 0;  ///< exit status of its process: 130 if it was interrupted
  bool trained = false;
  /// The node has to join once more: all resume from an older checkpoint, because one could not
  /// read its part of the newest, or with a process that replaces a lost node.
  bool again = false;
  /// Kernels with which this process has to begin again (kernel_program.h); else empty.
  std::string kernels{};
};

/// The node's end of the conversation in control.h, in three parts, one after another:
///
///     join          join_settings.h        connects to the launcher
///     NodeTraining  node_training.h  has the data and the program; trains; reports
///     NodePeers     node_peers.h     connects to the peers, between setup and go
///
/// One thread, and the driver's compute thread.
class NodeProcess {
 public:
  NodeProcess(boost::asio::io_context& loop, const JoinSettings& joining);

  /// Runs until the launcher says exit, or is gone.
  NodeEnded run();

 private:
  void on_joined(const std::shared_ptr<Connection>& launcher, const boost::asio::ip::address& here);
  void on_control(const FrameHeader& header, const Payload& payload);
  void obey(ControlKind kind, const Payload& payload);
  void set_up(const nlohmann::json& setup);
  void exit(std::string_view outcome);
  void on_finished(const Finished& finished);
  void leave();
  /// Error text for exhausted memory.
  [[nodiscard]] std::string out_of_memory() const;
  void give_up(const std::string& why, std::optional<NodeId> peer = {});
  void tell_trouble(const nlohmann::json& trouble);
  void end_alone(const std::string& why);

  boost::asio::io_context& loop_;
  JoinSettings joining_;
  boost::asio::ip::address address_;  // of this node, as the launcher reaches it
  std::shared_ptr<Connection> launcher_;
  Duration poll_;  // zero until the start, since other nodes of this core may generate data
  std::optional<NodeTraining> training_;
  std::optional<NodePeers> peers_;
  bool over_ = false;  // the launcher said exit, or this node has given up
  NodeEnded ended_;
};

/// Joins a training as a node, again whenever that is requested, until the training ends. Closes
/// everything that it has opened.
NodeEnded node_until_told(const JoinSettings& joining);

}  // namespace foretrain::exec
