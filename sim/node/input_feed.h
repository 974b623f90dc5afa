// The input pipeline that delivers batches to a worker.
#pragma once

#include "scenarios/spec/input.h"
#include "sim/world/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace foretrain::sim {

/// Fetches one batch after the other, up to `prefetch` ahead:
///
///     a batch = its bytes / the disk's rate, queued behind other readers of that disk
///             + its transfer over the network if another host serves it, shared like all messages
///             + examples x parse, on a core of the worker's host after those that it computes on
///
/// The serving host is not asked: batches leave as fast as their worker takes them. Realism: a real
/// pipeline of these three stages works on several batches at once; this one overlaps them only
/// with the gradient. Pages of the disk that are already in memory are not distinguished. Source:
/// the input pipelines that published studies describe.
class InputFeed : public Actor {
 public:
  /// `batch`: size as read and transferred; `core`: core of the worker's last thread.
  InputFeed(World& world, const InputSpec& spec, Bytes batch, int examples,
            std::optional<std::size_t> server, std::size_t host, int core);

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
  enum class Stage : std::uint8_t { read, shipped, parsed };

  void get();

  World& world_;
  InputSpec spec_;
  Bytes batch_;
  int examples_;
  std::size_t reader_;  // host that reads
  std::size_t host_;    // host of the worker
  Cpu::ThreadId thread_;
  std::optional<Fabric::ConnectionId> connection_;
  int here_ = 0;  // batches that are ready
  bool getting_ = false;
  bool started_ = false;
  bool stopped_ = false;
  std::optional<Callback> waiting_;
};

}  // namespace foretrain::sim
