// The process that starts the nodes of a training, then collects their record.
#pragma once

#include "exec/checkpoint/checkpoints.h"
#include "exec/emulation/hosts.h"
#include "exec/emulation/link_faults.h"
#include "exec/launch/door.h"
#include "exec/launch/member.h"
#include "exec/launch/refusals.h"
#include "exec/launch/run.h"
#include "exec/launch/run_rows.h"
#include "exec/launch/waiting.h"
#include "scenarios/prepared.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain::exec {

/// The launcher's end of the conversation that control.h draws. What goes wrong first is what the
/// record says; everything after it is its consequence. Signals end it as long as an Interruption
/// exists. One thread.
///
/// Of the tasks of another launcher it is rank 0's part: it starts its own node alone, the other
/// ranks join by themselves. Of hosts that the user named it starts all of them through ssh.
class Launcher {
 public:
  /// `rows`: takes those that come. `meeting`: where it listens; port 0 is any that is free.
  /// `waiting`: of the attempt before, as hand_over returned it; of the first an empty one.
  Launcher(const Prepared& prepared, const RunOptions& options, RunRows& rows, Credentials known,
           const boost::asio::ip::tcp::endpoint& meeting, const Beginning& beginning,
           std::unique_ptr<Waiting> waiting);
  ~Launcher();

  /// The record but for its rows.
  Record run();
  /// Since when its nodes are not all there: one was gone, and the others could not go on. Empty:
  /// it ended otherwise, and another attempt would end alike.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> down_since() const {
    return down_since_;
  }
  /// Of Beginning::restarts_left, without those that workers took.
  [[nodiscard]] int restarts_left() const { return beginning_.restarts_left; }
  /// A node could not read its state of the checkpoint that they were to go on from.
  [[nodiscard]] bool no_part() const { return !no_part_.empty(); }
  /// For that all of them were told to join again: an older checkpoint may be whole.
  [[nodiscard]] bool goes_back() const { return goes_back_; }
  /// It ended since a node is gone that nobody goes on without: the others wait for it.
  [[nodiscard]] bool waits() const { return waits_; }
  /// Once it has run: who has let go to join again, whom they wait for, else nobody; its kernels.
  std::unique_ptr<Waiting> hand_over();

 private:
  enum class Stage { joining, preparing, training, ending };

  /// It is `now` in the training.
  std::unique_ptr<Pauses> make_pauses(std::size_t node, Instant now);
  /// What a node is told first (launcher_setup.cpp).
  [[nodiscard]] nlohmann::json setup_of(std::size_t id) const;
  void listen();
  /// For who waits for nodes of other hosts in vain; empty, where there are none.
  [[nodiscard]] std::string how_to_reach() const;
  void start_node(Member& member);
  void start_remote(Member& member);
  [[nodiscard]] std::vector<std::string> words_for(const Member& member,
                                                   const std::string& program) const;
  void watch_children();
  void watch_interruption();
  void watch_time();
  void watch_silence();
  void look_for_silence();
  [[nodiscard]] Duration silence_limit() const;
  void on_joined(const std::shared_ptr<Connection>& connection, std::uint32_t id);
  void turn_away(const std::shared_ptr<Connection>& connection, std::uint32_t id);
  void on_refused(const std::string& peer, const Refused& refused);
  [[nodiscard]] const Member* owner_of(const std::string& peer) const;
  void on_frame(std::size_t id, const FrameHeader& header, const Payload& payload);
  void on_listening(std::size_t id, const nlohmann::json& json);
  void on_ready(Member& member);
  void on_left(Member& member, const std::string& why);
  void take_rows();
  void on_kept(std::size_t id, const nlohmann::json& json);
  void on_finished(std::size_t id, const nlohmann::json& json);
  void on_trouble(std::size_t id, const nlohmann::json& json);
  /// A node could not read its state. False: that is a trouble as others are.
  bool on_no_part(Member& member, const std::string& why);
  void maybe_go_back();
  void end_if_finished();
  void count_interfaces();
  void reap();
  // All nodes compute with the same kernels (launcher_kernels.cpp).

  [[nodiscard]] std::string preferred_kernels() const;
  /// All have told theirs. False: some begin again, or it has failed.
  bool agree();
  void have_begin_again(Member& member);
  /// Sees to it, where they are others than those of the training.
  bool has_other_kernels(Member& member);
  void tell_change_of_kernels() const;
  // Another process takes the place of a lost worker (launcher_return.cpp): it is started once it
  // is due and the one before has ended, and is lost until it is ready.

  [[nodiscard]] bool can_lose(const Member& member) const;
  /// Goes on without it, where the strategy can. `why`: "was killed by signal 9"; `restart_after`:
  /// a fault says so.
  bool lose(Member& member, const std::string& why, std::optional<Duration> restart_after = {});
  void plan_return(Member& member, std::optional<Duration> restart_after);
  /// One of the restarts that are left; false: there is none any more.
  bool take_restart(Member& member);
  void start_again(Member& member);
  /// It has told where it is, as all have.
  void introduce(Member& member);
  void welcome_back(Member& member);
  /// Its process has ended before it was ready.
  void give_up_return(Member& member, const std::string& what);

  // All wait for a node without which nobody can go on (launcher_again.cpp): they let their
  // training go, join the next launcher, and begin with it from the newest checkpoint.

  /// Ends this attempt; the others wait for this node. False: they do not wait for it, or nobody
  /// would start it again. `what` became of it, with its name; `restart_after`: a fault says so.
  bool wait_for(Member& member, const std::string& what,
                std::optional<Duration> restart_after = {});
  [[nodiscard]] bool begins_again_without(const Member& member) const;
  /// A node says that it lost one which all would wait for.
  [[nodiscard]] bool blames_lost(const nlohmann::json& trouble) const;
  /// They wait for it.
  [[nodiscard]] bool is_lost(const Member& member) const;
  void take_over();
  void start_missing();
  void watch_return();
  [[nodiscard]] std::chrono::steady_clock::time_point deadline_of(const Awaited& awaited) const;
  /// Nodes are told to join once more, in place of an outcome.
  [[nodiscard]] bool joins_again() const { return goes_back_ || waits_; }
  [[nodiscard]] std::chrono::steady_clock::duration time_to_end() const;
  void stop_when_empty();

  /// By the training's clock.
  [[nodiscard]] Instant now() const;
  void fail(const std::string& why);
  /// Fails, unless a more telling reason turns up within a moment: when a node dies, its peers
  /// notice sooner than we do. `mends`: what is tried by then; true: it need not fail.
  void suspect(const std::string& why, std::function<bool()> mends = {});
  void end(Outcome outcome);

  RunOptions options_;
  RunRows& rows_;
  Credentials known_;
  boost::asio::ip::tcp::endpoint meeting_;
  Refusals refusals_{"launcher"};
  Record record_;
  DatasetShape dataset_;
  std::shared_ptr<const Training> training_;
  std::optional<Checkpoints> checkpoints_;
  Beginning beginning_;
  std::unique_ptr<Waiting> waiting_;
  Stage stage_ = Stage::joining;
  std::chrono::steady_clock::time_point launched_;
  std::chrono::steady_clock::time_point trained_;  // began, or went on
  std::optional<std::chrono::steady_clock::time_point> down_since_;
  std::string no_part_;     // why a node could not read its state; empty: all could
  bool goes_back_ = false;  // to an older checkpoint
  std::string kernels_;     // that all nodes compute with, once they have agreed
  bool waits_ = false;      // for who is gone

  boost::asio::io_context loop_{1};
  Hosts hosts_;
  std::optional<LinkFaults> link_faults_;  // of emulated hosts
  Door door_;
  boost::asio::signal_set children_{loop_};
  boost::asio::posix::stream_descriptor interruption_{loop_};
  boost::asio::steady_timer timer_{loop_};  // until the nodes are ready, then until they are gone
  boost::asio::steady_timer suspicion_{loop_};
  std::vector<Member> members_;
};

}  // namespace foretrain::exec
