// Drives a node's program in real time.
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

/// What the process around a node wants to hear of; called on the event loop.
struct DriverHooks {
  std::function<void(const Report&)> report;
  /// A state is to be kept; called on a thread of its own, the program is told when it returns.
  std::function<void(const Keep&)> keep;
  /// Each input, before the program is told; absent: nobody listens.
  std::function<void(Instant, const Input&)> input;
  std::function<void(const Finished&)> finished;
  std::function<void(const Fault&)> fault;
};

/// How a node computes.
struct Computing {
  GradientTimes times;
  int threads = 1;     ///< that a job computes with
  bool timed = false;  ///< measures what each job takes (job_clock.h)
};

/// Performs a node's effects in order and adds nothing of its own: sends go out on TCP, jobs run
/// where `models/cost/job_placement.h` says, for as long as `scenarios/resolve/gradient_times.h`
/// says; what a job prepares for the next one runs beside it, on a thread of its own.
///
/// All calls on the thread of the io_context. `max_delay` makes it sleep for a random while before
/// every input and every send: a test's way to shake the order of messages.
class NodeDriver {
 public:
  NodeDriver(boost::asio::io_context& loop, NodeId id, std::unique_ptr<Node> program,
             DriverHooks hooks, Computing computing = {}, Duration max_delay = {});
  ~NodeDriver();

  /// A connection to a peer, both ends of which know who the other is.
  void add_peer(NodeId peer, std::shared_ptr<Connection> connection);
  [[nodiscard]] bool has_peer(NodeId peer) const { return peers_.contains(peer); }
  /// Nothing of this peer counts any more, whatever its connection says.
  void lose(NodeId peer);
  /// A peer that is lost, or will be, has connected again: it is heard once it is taken back.
  void meet_again(NodeId peer, const std::shared_ptr<Connection>& connection);
  /// The `generation`-th process of this peer takes the place of the one before, once it has
  /// connected.
  void take_back(NodeId peer, std::int64_t generation);
  /// Everybody is ready; it is `begins`, zero but where a training goes on. The program is told of
  /// it, and of what came, so long `after`.
  void start(Instant begins = {}, Duration after = {});
  /// Work for the disk on the thread on which states are kept, behind those that are under way.
  void beside_keeps(std::function<void()> work);
  /// The program hears nothing more, so it answers nothing: what the inputs told so far lead to is
  /// all that it did.
  void halt() { halted_ = true; }
  /// Closes all connections.
  void stop();

  /// Time since start, and what was before that.
  [[nodiscard]] Instant now() const;
  /// A job is on the compute thread.
  [[nodiscard]] bool computing() const { return computing_ > 0; }
  [[nodiscard]] Bytes sent() const { return sent_; }
  [[nodiscard]] Bytes received() const { return received_; }
  [[nodiscard]] std::int64_t messages_sent() const { return messages_sent_; }

 private:
  /// What a job is told when it begins.
  struct JobTerms {
    JobPlace place = JobPlace::loop;
    double factor = 1;
    std::optional<Duration> given{};      // by GradientTimes
    std::shared_future<void> prepared{};  // by the job before
  };

  /// A peer on its way back.
  struct Returning {
    std::shared_ptr<Connection> connection{};
    std::int64_t generation = 0;                           // 0: nobody has said it yet
    std::vector<std::pair<FrameHeader, Payload>> early{};  // what it sent before that
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
  void begin_keep(Keep keep);
  JobResult carry_out(const Job& job, const JobTerms& terms);
  void arm(const ArmTimer& timer);
  void shake();

  boost::asio::io_context& loop_;
  NodeId id_;
  std::unique_ptr<Node> program_;
  DriverHooks hooks_;
  std::map<NodeId, std::shared_ptr<Connection>> peers_;
  std::map<NodeId, Returning> returning_;
  std::map<NodeId, std::string> why_lost_;  // as their connections say
  std::chrono::steady_clock::time_point start_;
  Instant begins_;
  bool started_ = false;  // the program has been told
  bool halted_ = false;
  int computing_ = 0;         // jobs on the compute thread
  std::int64_t fed_ = 0;      // inputs so far
  std::vector<Input> early_;  // from peers that heard of the start before this node did
  Bytes sent_;
  Bytes received_;
  std::int64_t messages_sent_ = 0;
  Duration max_delay_;
  std::optional<Stream> delays_;
  GradientTimes times_;
  bool timed_;
  JobClock job_clock_;
  LoopQueue computed_;  // jobs that the compute thread has done
  ComputeThreads threads_;
  Serial serial_;                      // small jobs are not worth a second thread
  std::shared_future<void> prefetch_;  // the last one that was begun
  boost::asio::thread_pool prefetcher_{1};
  std::optional<boost::asio::thread_pool> keeper_;  // where a state was kept
  boost::asio::thread_pool compute_{1};             // last: it ends before what its jobs touch
};

}  // namespace foretrain::exec
