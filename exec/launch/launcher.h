// The process that starts the nodes of a training, then collects their record.
#pragma once

#include "exec/checkpoint/checkpoints.h"
#include "exec/emulation/emulated_link_faults.h"
#include "exec/emulation/hosts.h"
#include "exec/launch/acceptor.h"
#include "exec/launch/managed_node.h"
#include "exec/launch/rejected_connections.h"
#include "exec/launch/restarts.h"
#include "exec/launch/run.h"
#include "exec/launch/run_rows.h"
#include "models/supervision/supervisor.h"
#include "scenarios/resolve/prepared.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The launcher's end of the conversation in control.h. It reports events of processes and
/// connections to the supervisor, and performs the supervisor's decisions, over all attempts at a
/// training, each from the newest complete checkpoint (restarts.h). Signals end it while an
/// Interruption exists. One thread.
///
/// `RunOptions::start` decides which nodes it starts, and where; the others join by themselves.
class Launcher {
 public:
  /// The arguments outlive this. @throws InputError as Restarts; not enough memory
  Launcher(const Prepared& prepared, const RunOptions& options, const Meeting& meeting);
  ~Launcher();

  struct Ended {
    Record record;  ///< without its rows
    std::unique_ptr<RunRows> rows;
  };
  /// @throws InputError as Restarts
  Ended run();

 private:
  [[nodiscard]] supervision::Rules rules();
  void add_members();
  void begin_attempt();
  /// Passes an input to the supervisor and performs its decisions.
  void handle(supervision::Input input);
  void perform(const supervision::Effects& effects);
  void perform(const supervision::Start& start);
  void perform(const supervision::Kill& kill);
  void perform(const supervision::Admit& admit);
  void perform(const supervision::TurnAway& away);
  void perform(const supervision::Tell& tell);
  void perform(const supervision::Arm& arm);
  void perform(const supervision::Record& record);
  void perform(const supervision::Say& say);
  void perform(const supervision::EndAttempt& end);
  void perform(const supervision::BeginAttempt& begin);
  void perform(const supervision::Stop& stop);

  std::unique_ptr<Pauses> make_pauses(std::size_t node, Instant now);
  void begin_training();
  void welcome_back(ManagedNode& member);
  void count_interfaces();
  /// The addresses at which the nodes listen.
  [[nodiscard]] nlohmann::json places() const;

  // Setup of nodes.
  [[nodiscard]] nlohmann::json setup_of(std::size_t id) const;
  /// Returns the error, or an empty string.
  std::string listen();
  void on_refused(const std::string& peer, const Refused& refused);
  [[nodiscard]] const ManagedNode* owner_of(const std::string& peer) const;

  void watch_children();
  void reap();
  void watch_interruption();
  void watch_silence();
  void look_for_silence();
  [[nodiscard]] Duration silence_limit() const;
  void on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t id);
  void on_frame(std::size_t id, const FrameHeader& header, const Payload& payload);
  void on_listening(std::size_t id, const nlohmann::json& json);
  void on_kept(std::size_t id, const nlohmann::json& json);
  void on_finished(std::size_t id, const nlohmann::json& json);
  void on_trouble(std::size_t id, const nlohmann::json& json);
  /// Uses the connection with which a node joined again before its old one was closed.
  void take_next(ManagedNode& member);
  void take_rows();
  void fail(const std::string& why);

  // Agreement on one set of kernels for all nodes.
  [[nodiscard]] std::string preferred_kernels() const;
  /// All nodes have reported their kernels. False if some begin again, or the run has failed.
  bool agree();
  void have_begin_again(ManagedNode& member);
  /// Makes a returning node use the kernels of the training; false if it already does.
  bool has_other_kernels(ManagedNode& member);
  void tell_change_of_kernels() const;

  [[nodiscard]] ManagedNode& member(NodeId id) { return members_[index_of(id)]; }
  [[nodiscard]] static Duration since(std::chrono::steady_clock::time_point start) {
    return {(std::chrono::steady_clock::now() - start) / std::chrono::nanoseconds(1)};
  }
  /// By the training's clock.
  [[nodiscard]] Instant now() const;

  const Prepared& prepared_;
  const RunOptions& options_;
  const Training& training_;
  Meeting meeting_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Restarts restarts_;
  supervision::Supervisor supervisor_;
  std::deque<supervision::Input> inputs_;  // not handled yet
  bool handling_ = false;

  boost::asio::io_context loop_{1};
  Hosts hosts_;
  Acceptor acceptor_;
  std::shared_ptr<Connection> coming_;  // connection of the Joined input being handled
  boost::asio::signal_set children_{loop_};
  boost::asio::posix::stream_descriptor interruption_{loop_};
  std::map<supervision::Timer, boost::asio::steady_timer> timers_;
  boost::asio::steady_timer look_{loop_};  // for the next look for silent nodes
  std::vector<ManagedNode> members_;
  std::string kernels_;  // kernels of all nodes, once they have agreed

  // State of the present attempt:
  Beginning beginning_;
  Record record_;
  std::unique_ptr<RunRows> rows_;
  std::optional<Checkpoints> checkpoints_;
  std::optional<LinkFaults> link_faults_;  // of emulated hosts
  RejectedConnections rejected_{"launcher"};
  std::string kernels_before_;  // `kernels_` before this attempt
  supervision::EndAttempt end_;
  std::chrono::steady_clock::time_point launched_;
  std::optional<std::chrono::steady_clock::time_point> trained_;  // when training began, or resumed
};

}  // namespace foretrain::exec
