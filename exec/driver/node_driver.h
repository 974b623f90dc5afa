// A node's program driven in real time.
#pragma once

#include "exec/driver/compute_threads.h"
#include "exec/driver/job_clock.h"
#include "exec/driver/loop_queue.h"
#include "exec/transport/connection.h"
#include "models/base/random.h"
#include "models/cost/job_placement.h"
#include "models/protocol/node.h"
#include "scenarios/resolve/gradient_times.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::exec {

/// Callbacks to the process around a node; called on the event loop.
struct DriverHooks {
  std::function<void(const Report&)> report;
  /// Saves a state; called on a separate thread. The program is notified when it returns.
  std::function<void(const SaveState&)> keep;
  /// Each input, before the program receives it; may be absent.
  std::function<void(Instant, const Input&)> input;
  std::function<void(const Finished&)> finished;
  std::function<void(const Fault&)> fault;
};

/// Settings of a node's computing.
struct Computing {
  GradientTimes times;
  int threads = 1;     ///< threads of a job
  bool timed = false;  ///< measures the time of each job (job_clock.h)
};

/// Performs a node's effects in order: messages go out on TCP; jobs run at the place given by
/// `models/cost/job_placement.h`, for the time given by `scenarios/resolve/gradient_times.h`; the
/// preparation of the next job runs concurrently, on a separate thread.
///
/// All calls on the thread of the io_context. `max_delay` makes it sleep for a random time before
/// every input and every send: tests use this to change the order of messages.
class NodeDriver {
 public:
  NodeDriver(boost::asio::io_context& loop, NodeId id, std::unique_ptr<Node> program,
             DriverHooks hooks, Computing computing = {}, Duration max_delay = {});
  ~NodeDriver();

  /// Adds a connection to a peer. Both ends have identified each other.
  void add_peer(NodeId peer, std::shared_ptr<Connection> connection);
  [[nodiscard]] bool has_peer(NodeId peer) const { return peers_.contains(peer); }
  /// Ignores this peer from now on, whatever arrives on its connection.
  void mark_lost(NodeId peer);
  /// A peer that is lost, or will be, has reconnected; its messages wait until it is taken back.
  void meet_again(NodeId peer, const std::shared_ptr<Connection>& connection);
  /// The `incarnation`-th process of this peer replaces the earlier one, once it has connected.
  void take_back(NodeId peer, std::int64_t incarnation);
  /// All nodes are ready; it is `begins`: zero, or later if a training resumes. The program
  /// receives the start, and earlier inputs, after a delay of `after`.
  void start(Instant begins = {}, Duration after = {});
  /// Runs work for the disk on the thread that saves states, after pending saves.
  void beside_keeps(std::function<void()> work);
  /// The program receives no further inputs, so it produces no further effects.
  void halt() { halted_ = true; }
  /// Closes all connections.
  void stop();

  /// Time since start, plus the time at which it began.
  [[nodiscard]] Instant now() const;
  /// True if a job is on the compute thread.
  [[nodiscard]] bool computing() const { return computing_ > 0; }
  [[nodiscard]] Bytes sent() const { return sent_; }
  [[nodiscard]] Bytes received() const { return received_; }
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }

 private:
  /// Conditions of a job, fixed when it begins.
  struct JobTerms {
    JobPlace place = JobPlace::loop;
    double factor = 1;
    std::optional<Duration> given{};      // by GradientTimes
    std::shared_future<void> prepared{};  // by the job before
  };

  /// A peer that returns.
  struct Returning {
    std::shared_ptr<Connection> connection{};
    std::int64_t incarnation = 0;                          // 0 if it is not announced yet
    std::vector<std::pair<FrameHeader, Payload>> early{};  // received before that
  };

  void begin();
  void end_return(NodeId peer);
  void left(NodeId peer, const std::string& why);
  void received(NodeId from, const FrameHeader& header, Payload payload);
  void feed(Input input);
  void perform(Effect& effect);
  void begin_send(Send& send);
  void begin_job(Job job);
  void begin_prefetch(Job& job);
  void begin_keep(SaveState keep);
  JobResult carry_out(const Job& job, const JobTerms& terms);
  void arm(const ArmTimer& timer);
  void shake();

  boost::asio::io_context& loop_;
  NodeId id_;
  std::unique_ptr<Node> program_;
  DriverHooks hooks_;
  std::map<NodeId, std::shared_ptr<Connection>> peers_;
  std::map<NodeId, Returning> returning_;
  std::map<NodeId, std::string> why_lost_;  // reasons of their connections
  std::chrono::steady_clock::time_point start_;
  Instant begins_;
  bool started_ = false;  // the program has received the start
  bool halted_ = false;
  int computing_ = 0;         // jobs on the compute thread
  std::int64_t fed_ = 0;      // inputs so far
  std::vector<Input> early_;  // from peers that started before this node
  Bytes sent_;
  Bytes received_;
  std::int64_t messages_sent_ = 0;
  Duration max_delay_;
  std::optional<Stream> delays_;
  GradientTimes times_;
  bool timed_;
  JobClock job_clock_;
  LoopQueue computed_;  // jobs finished by the compute thread
  ComputeThreads threads_;
  Serial serial_;                      // small jobs are not worth a second thread
  std::shared_future<void> prefetch_;  // the latest one
  boost::asio::thread_pool prefetcher_{1};
  std::optional<boost::asio::thread_pool> keeper_;  // created when a state is saved
  boost::asio::thread_pool compute_{1};             // last: it ends before the data of its jobs
};

}  // namespace foretrain::exec
