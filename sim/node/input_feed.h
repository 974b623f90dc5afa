// The batches of a worker on their way to it.
#pragma once

#include "scenarios/spec/input.h"
#include "sim/world/world.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace foretrain::sim {

/// Gets one batch after the other, so many ahead:
///
///     a batch = its bytes / the disk's rate, in turn with others who read that disk
///             + its way over the network, where another host serves it, shared as all messages do
///             + examples x parse, on a core of the worker's host beside those that it computes on
///
/// Nobody asks the host that serves; batches leave as fast as their worker takes them. Realism: a
/// pipeline of these three stages works on several batches at once, which this one does only as far
/// as the gradient is computed meanwhile; pages of the disk that are in memory already are not told
/// apart. Source: the input pipelines that published studies describe.
class InputFeed : public Actor {
 public:
  /// `batch`: as it is read, shipped; `place`: of the worker's last thread.
  InputFeed(World& world, const InputSpec& spec, Bytes batch, int examples,
            std::optional<std::size_t> server, std::size_t host, int core);

  /// Time begins for the worker: gets those that are got ahead.
  void start();
  /// Its process stands still: nothing is parsed, no batch begun, until it goes on.
  void stop();
  void go_on();
  /// The next batch is taken: at once, or, where this is false, when `ready` is woken. No second
  /// one before that.
  bool take(Callback ready);
  void wake(Instant now, std::uint64_t token) override;

  /// CPU time of parsing so far.
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
  std::size_t reader_;  // host
  std::size_t host_;    // of the worker
  Cpu::ThreadId thread_;
  std::optional<Fabric::ConnectionId> connection_;
  int here_ = 0;  // batches that nobody has taken
  bool getting_ = false;
  bool started_ = false;
  bool stopped_ = false;
  std::optional<Callback> waiting_;
};

}  // namespace foretrain::sim
