// A node's process: joins, connects to its peers, trains, reports.
#pragma once

#include "exec/checkpoint/node_part.h"
#include "exec/driver/event_loop.h"
#include "exec/driver/node_driver.h"
#include "exec/launch/control.h"
#include "exec/launch/joining.h"
#include "exec/launch/refusals.h"
#include "exec/system/pause_probes.h"
#include "exec/transport/lobby.h"
#include "exec/usage/usage_sampler.h"
#include "models/graph/node_memory.h"
#include "models/protocol/input_row.h"
#include "models/protocol/training.h"
#include "scenarios/scenario.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The other end of the conversation that control.h draws. One thread, and the driver's compute
/// thread. It listens at the address by which it reached the launcher.
class NodeProcess {
 public:
  NodeProcess(boost::asio::io_context& loop, const Joining& joining);

  /// Until the launcher says exit, or is gone. Returns the exit status: 0 where the run was done,
  /// 130 where it was interrupted, else 1.
  int run();
  /// It was told what to train.
  [[nodiscard]] bool has_training() const { return training_ != nullptr; }
  /// It is to join once more: the nodes go on from a checkpoint, which one of them could not read,
  /// or with another process in the place of one.
  [[nodiscard]] bool again() const { return again_; }
  /// It is to begin again with these kernels; empty: it is not.
  [[nodiscard]] const std::string& kernels() const { return kernels_; }

 private:
  void on_joined(const std::shared_ptr<Connection>& launcher, const boost::asio::ip::address& here);
  void end_alone(const std::string& why);
  void on_control(const FrameHeader& header, const Payload& payload);
  void set_up(const nlohmann::json& setup);
  void listen(int port);
  void tune_socket(int native_socket);
  void tell_place(int port);
  /// What a message between nodes carries at most.
  [[nodiscard]] Bytes largest_message() const;
  [[nodiscard]] Handshake handshake(Bytes most_payload) const;
  void welcome_peers();
  void connect_to_peers(const nlohmann::json& places);
  void connect_to(NodeId id, const nlohmann::json& place);
  void connect_later(NodeId id, const nlohmann::json& place, const std::string& why);
  void add_peer(NodeId peer, const std::shared_ptr<Connection>& connection);
  void maybe_ready();
  /// `back`: who, as which of its processes.
  void take_back(const nlohmann::json& back);
  /// By the training's clock.
  void go(Instant now);

  void tell_kept(const WrittenPart& written);
  /// Its states of the cuts before this one.
  void remove_before(std::int64_t cut);
  void finish(const Finished& finished);
  void flush();
  void flush_later();
  [[nodiscard]] std::chrono::nanoseconds flush_interval() const;
  void leave();
  /// What it needs of memory, which there is not.
  [[nodiscard]] std::string out_of_memory() const;
  void give_up(const std::string& why, std::optional<NodeId> peer = {});
  void tell_trouble(const nlohmann::json& trouble);
  /// `gradient_time`: that a gradient takes at least; 0: what it does.
  [[nodiscard]] DriverHooks hooks();

  boost::asio::io_context& loop_;
  Joining joining_;
  NodeId id_;
  boost::asio::ip::address address_;  // of this node, as the launcher reaches it
  std::shared_ptr<Connection> launcher_;
  Join join_;
  std::chrono::steady_clock::time_point join_deadline_;  // of peers
  Refusals refusals_;
  std::string congestion_control_;
  int exit_status_ = 0;
  Duration poll_;  // none before the start: who draws its data has the core then

  std::optional<Scenario> scenario_;
  std::shared_ptr<const Training> training_;
  DataMemory data_memory_;
  std::unique_ptr<NodeDriver> driver_;
  std::optional<boost::asio::ip::tcp::acceptor> acceptor_;
  std::optional<Lobby> lobby_;
  std::vector<NodeId> peers_;  // that this node talks to, ascending
  std::size_t peers_missing_ = 0;
  bool peers_known_ = false;
  bool ready_ = false;
  bool over_ = false;  // finished, or given up
  bool again_ = false;
  std::string kernels_;
  NodePart part_;     // of checkpoints
  std::string save_;  // where the chief's weights go; empty: nowhere

  boost::asio::steady_timer flush_timer_;
  std::string interface_;  // of the emulated host; empty: none
  UsageSampler sampler_;
  std::unique_ptr<PauseProbes> probes_ = PauseProbes::shown();  // null: nobody wants to know
  // For its loop.
  std::function<bool()> computing_ = [this] { return driver_ && driver_->computing(); };
  std::function<void()> answer_probes_ = [this] {
    if (probes_) probes_->answer(index_of(id_));
  };
  std::vector<InputRow> inputs_;
  std::vector<StepReport> steps_;
  std::vector<EvalReport> evals_;
  std::vector<UsageRow> usage_;
};

}  // namespace foretrain::exec
