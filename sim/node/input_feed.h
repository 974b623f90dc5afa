// The input pipeline that delivers batches to a worker.
#pragma once

#include "scenarios/spec/input.h"
#include "sim/world/world.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace foretrain::sim {

/// Fetches one batch after the other, up to `prefetch` ahead:
///
///     a batch = its bytes / the disk's rate, queued behind other readers of that disk
///             + its transfer over the network if another host serves it, shared like all messages
///             | its transfer to the session's host, that host's time, its transfer back
///             + examples x parse, on a core of the worker's host after those that it computes on
///
/// A session's host (scenarios/spec/framework.h) takes its time on its last core, which the feeds
/// of all workers share. With a batch whose step is evaluated the test set is fed.
///
/// The serving host is not asked: batches leave as fast as their worker takes them. Realism: a real
/// pipeline of these three stages works on several batches at once; this one overlaps them only
/// with the gradient. Pages of the disk that are already in memory are not distinguished. Source:
/// the input pipelines that published studies describe.
class InputFeed : public Actor {
 public:
  /// The feed of a worker that took `begun` batches before; null if its batches cost nothing.
  /// @throws InputError if the size of an example is needed, but not known
  static std::unique_ptr<InputFeed> of(World& world, const Case& scenario_case,
                                       const Training& training, const NodePlace& place,
                                       std::int64_t begun);

  /// The worker begins: fetches the first batches.
  void start();
  /// The process is paused: nothing is parsed and no batch begun until `go_on`.
  void stop();
  void go_on();
  /// Takes the next batch. Returns false if it is not there yet; `ready` is woken when it is. Only
  /// one call may wait at a time.
  bool take(Callback ready);
  void wake(Instant now, std::uint64_t token) override;

  /// CPU time spent on parsing so far.
  [[nodiscard]] Duration used() const {
    return world_.hosts[host_].cpu->used(thread_, Work::compute);
  }

 private:
  enum class Stage : std::uint8_t { read, fed, handled, shipped, parsed };
  /// The session at another host that the worker's client feeds.
  struct Session {
    Cpu& cpu;  // of that host
    Cpu::ThreadId thread;
    double byte_s;  // time of the thread per byte
    Fabric::ConnectionId connection;
    Bytes test_set;
    std::int64_t batches;  // of a gradient
    std::int64_t every;    // gradients between evaluations; 0: only at the end
    std::int64_t begun;    // batches
  };

  /// `batch`: size as read and transferred; `core`: core of the worker's last thread.
  InputFeed(World& world, const InputSpec& spec, Bytes batch, int examples,
            std::optional<std::size_t> server, std::size_t host, int core);
  /// Connects the client to its session at `host`; it fed `begun` batches before.
  void open_session(std::size_t host, const FrameworkSpec& framework, const Training& training,
                    Bytes example, std::int64_t begun);
  void get();
  /// Bytes of the next batch, with the test set if its step is evaluated.
  [[nodiscard]] Bytes next_size();
  [[nodiscard]] Callback at(Stage stage) { return {this, static_cast<std::uint64_t>(stage)}; }

  World& world_;
  InputSpec spec_;
  Bytes batch_;
  Bytes size_;  // of what is fetched now
  int examples_;
  std::size_t reader_;  // host that reads
  std::size_t sender_;  // host that ships to the worker
  std::size_t host_;    // host of the worker
  Cpu::ThreadId thread_;
  std::optional<Fabric::ConnectionId> connection_;
  std::optional<Session> session_;
  int here_ = 0;  // batches that are ready
  bool getting_ = false;
  bool started_ = false;
  bool stopped_ = false;
  std::optional<Callback> waiting_;
};

}  // namespace foretrain::sim
