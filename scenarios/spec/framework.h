// What another program spends beside the work itself, for forecasts of trainings by it.
#pragma once

#include "models/base/time.h"
#include "scenarios/spec/machine.h"

#include <string>

namespace foretrain {

/// What a server spends on what a worker pushes: by its bytes, and by the tensors (variables) of
/// the network that it is of.
struct ServerCost : AffineCost {
  double per_tensor_s = 0;

  /// Time of a gradient, or a part of one, with so many bytes and tensors.
  [[nodiscard]] Duration of(double bytes, double tensors) const {
    return Duration::from_seconds(overhead_s + bytes * per_item_s + tensors * per_tensor_s);
  }
  bool operator==(const ServerCost&) const = default;
};

/// `framework:` - the sessions, the graphs, the barriers of a program that is not this one, as
/// studies of it report them. A forecast of this program's own run has none of it.
///
///     start-up of every node   session_start, then chief_wait where workers go in step
///     a gradient               a batch: step + examples x example; update + (workers - 1) x round;
///                              what it costs anyway
///     a collective             collective, before a worker's part of it, one after another
///     a message                tensor on the sender's core, tensor on the receiver's
///     a gradient at a server   server, by its bytes and tensors, on one of server_threads
///
/// So a server takes no more than server_threads / (overhead + bytes x per_item + tensors x
/// per_tensor) gradients a second. TensorFlow's servers of four networks fit 1.37 ns a byte and
/// 0.13 ms a tensor; by bytes alone what fits one network is 50 % off on another.
///
/// Realism: figures that were read off reports of whole trainings, so each stands for all that
/// grows like it: `step` for dispatch, logging; `example` for feeding a batch; `round` for the
/// queues, the tokens with which workers are kept in step. Starting a collective keeps no core from
/// computing: it is a latency of each bucket, which DDP pays for all of its pieces once; a deal
/// that goes together over a hypercube (halving.h) waits for each of its buckets'.
struct FrameworkSpec {
  Duration session_start{};          ///< of every node, before the first step
  Duration chief_wait{};             ///< the others wait for the session of the chief
  Duration step{};                   ///< of each batch of a gradient, on the worker's core
  Duration example{};                ///< of each example of such a batch
  Duration update{};                 ///< of a gradient, once for all of its batches
  Duration round{};                  ///< of a gradient, for each other worker
  Duration collective{};             ///< of a bucket that workers add up among themselves
  Duration tensor{};                 ///< CPU time of a message, on either side
  ServerCost server;                 ///< of what a worker pushes, at a server
  int server_threads = 1;            ///< of a server, that do that side by side
  std::string evaluation = "chief";  ///< whom it blocks: chief | all | nobody
  double waiting_cores = 0;          ///< that a worker burns while it does not compute

  bool operator==(const FrameworkSpec&) const = default;
};

}  // namespace foretrain
