// The overhead of another training program, for forecasts of trainings by it.
#pragma once

#include "models/base/time.h"
#include "scenarios/spec/machine.h"

#include <string>

namespace foretrain {

/// Time that a server spends on a push, by its bytes and by the number of tensors (variables of the
/// network) in it.
struct ServerCost : AffineCost {
  double per_tensor_s = 0;

  /// Time of a gradient, or a part of one, with this many bytes and tensors.
  [[nodiscard]] Duration of(double bytes, double tensors) const {
    return Duration::from_seconds(overhead_s + bytes * per_item_s + tensors * per_tensor_s);
  }
  bool operator==(const ServerCost&) const = default;
};

/// `framework:` - the sessions, graphs and barriers of another program, as studies of it report
/// them. All zero in a forecast of this program's own run.
///
///     start-up of every node   session_start, then chief_wait in synchronous strategies
///     a gradient               a batch: step + examples x example; update + (workers - 1) x round;
///                              plus its cost in this program
///     a collective             collective, before a worker's part of it, one after another
///     a message                message, by its bytes, on the sender's core and on the receiver's
///     a gradient at a server   server, by its bytes and tensors, one after another
///     what a remote client     feed, by its bytes, on one core of session_host, between two
///     feeds                    transfers: to session_host, and back to the client's host
///
/// So a server takes at most 1 / (overhead + bytes x per_item + tensors x per_tensor) gradients a
/// second. TensorFlow's servers of four networks fit 1.37 ns a byte and 0.13 ms a tensor; a cost by
/// bytes alone that fits one network is 50 % off on another.
///
/// With a `session_host` the clients of all workers open their session at that host, as
/// TensorFlow's do if all have the same target. A client reads its data itself and feeds a batch
/// with each step; in a step that is evaluated (not with `evaluation: nobody`) it also feeds the
/// whole test set with each of its batches. With R batches of B bytes a step from other hosts, and
/// a test set of T bytes every E steps:
///
///     session_host    receives and sends R (B + T / E) bytes a step, beside parameters, gradients
///     a step          takes at least feed x R (B + T / E) on average: all feeds share the core
///
/// An example has 4 bytes per number, its label too: a number per class, 1 for the right one.
/// Clients on session_host feed for nothing. The client waits for its step, so nothing is fed
/// ahead. Realism: a batch and the test set travel as one message before the gradient, and each
/// host sends it on when all of it is there; the time of the core counts for no node.
///
/// Realism: the figures come from reports of whole trainings, so each stands for everything that
/// grows in the same way: `step` for dispatch and logging; `example` for feeding a batch; `round`
/// for the queues and tokens that synchronize workers. Starting a collective occupies no core: it
/// is a latency of each bucket, which DDP pays once for all pieces of it. Buckets that travel
/// together over a hypercube (recursive_halving.h) wait for the latency of each of them.
struct FrameworkSpec {
  Duration session_start{};          ///< of every node, before the first step
  Duration chief_wait{};             ///< time that other nodes wait for the chief's session
  Duration step{};                   ///< per batch of a gradient, on the worker's core
  Duration example{};                ///< per example of such a batch
  Duration update{};                 ///< per gradient, once for all its batches
  Duration round{};                  ///< per gradient and other worker
  Duration collective{};             ///< per bucket that workers reduce among themselves
  AffineCost message;                ///< CPU time of a message by its bytes, on either side
  ServerCost server;                 ///< per push of a worker, at a server
  std::string evaluation = "chief";  ///< nodes that it blocks: chief | all | nobody
  double waiting_cores = 0;          ///< cores that a worker occupies while it does not compute
  std::string session_host;          ///< host of all clients' sessions; empty: each worker's own
  double feed_s = 0;                 ///< per byte fed by another host, on a core of session_host

  bool operator==(const FrameworkSpec&) const = default;
};

}  // namespace foretrain
