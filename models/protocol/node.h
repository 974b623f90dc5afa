// A node of a training as a pure state machine: told what happened, it answers what it wants done.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "models/protocol/job.h"
#include "models/protocol/message.h"
#include "models/protocol/node_state.h"
#include "models/protocol/phases.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace foretrain {

// What happened -----------------------------------------------------------------------------

/// Every node is ready; the training begins. Always the first input.
struct Started {};
struct Received {
  NodeId from{};
  Message message;
};
/// A job that this node asked for is done.
struct Computed {
  JobId job{};
  JobResult result;
  /// What it took of its core, where the driver has measured that; else zero. For the record: no
  /// program looks at it.
  Duration took{};
};
enum class TimerId : std::uint64_t {};
struct TimerFired {
  TimerId timer{};
};
/// Nothing more will come from this peer.
struct PeerLost {
  NodeId peer{};
};
/// A peer that was lost is there again, as another process: what comes from now on is of that one.
struct PeerBack {
  NodeId peer{};
  std::int64_t generation = 2;  ///< its processes so far, this one counted in
};
using Input = std::variant<Started, Received, Computed, TimerFired, PeerLost, PeerBack>;

// What the node wants done ------------------------------------------------------------------

/// What one node sends another of a bucket arrives in order. A lower bucket may overtake a higher
/// one that still waits: the next forward pass needs it sooner (Jayarajan, Wei, Gibson, Fedorova,
/// Pekhimenko 2019).
struct Send {
  NodeId to{};
  Message message;
};
struct Compute {
  Job job;
};
/// What the node did itself to bring about the effects that follow: there is nothing left to do,
/// but it took time, which nobody else knows of.
struct Worked {
  Cost cost;
};
struct ArmTimer {
  TimerId timer{};
  Duration after;
  bool of_framework = false;  ///< what passes is what another program spends, in a forecast of it
};
/// The node's state is to be kept beside those that all others keep of the same cut
/// (checkpoint.h). Answered by `Computed`, whether that worked or not: nothing of a training
/// depends on it.
struct Keep {
  JobId job{};
  std::int64_t cut = 0;
  Step reported;               ///< a worker's: steps that it has reported
  std::int64_t evaluated = 0;  ///< the chief's: evaluations that it has reported
  Bytes size;
  /// The state; called once before the answer, on a thread of the driver's choice: until then the
  /// node leaves alone what it reads. Without numerics it has no values, but all the rest.
  std::function<std::string()> state;
  std::int64_t gradients = 0;  ///< a worker's: that it has begun
};

/// A worker ended a step.
struct StepReport {
  Step step;
  Instant start;
  Phases phases;
  std::int64_t staleness = 0;
  double loss = 0;  ///< mean over the batch, nats; NaN without numerics
};
/// The chief evaluated the parameters that it holds.
struct EvalReport {
  Step step;        ///< the chief's steps so far
  Version version;  ///< updates that the parameters have seen
  Instant time;     ///< at which the parameters were held: the evaluation began
  Duration took;
  double loss = 0;                                        ///< mean over the test examples, nats
  double accuracy = 0;                                    ///< share of the test examples
  double auc = std::numeric_limits<double>::quiet_NaN();  ///< two classes: area under ROC
  bool final = false;  ///< after the last update; not part of the training's time
};
using Report = std::variant<StepReport, EvalReport>;

/// The node's part is over; it asks for nothing more.
struct Finished {
  std::int64_t updates = 0;    ///< that this node applied to its (first) bucket
  std::int64_t gradients = 0;  ///< that it accepted
  std::int64_t dropped = 0;    ///< that came too late to count
  /// A server's: the most gradients by which a worker was ahead of the slowest when it went on.
  std::int64_t most_lead = 0;
  Instant last_update{};            ///< when the last update was applied; zero where none was
  Payload weights{};                ///< the chief's: all parameters, in order
  std::vector<float> statistics{};  ///< the chief's: what goes with them (Network::statistics)
};
/// The training cannot go on. `peer` is whose fault it is, where it is a peer's.
struct Fault {
  std::optional<NodeId> peer;
  std::string why;
};
using Effect = std::variant<Send, Compute, Worked, ArmTimer, Keep, Report, Finished, Fault>;
using Effects = std::vector<Effect>;

/// A node's program. It owns no socket, no thread and no clock; `now` is what the driver's clock
/// said when the input happened, and flows into reports only, never into what is computed. So the
/// parameters are a function of the order of the inputs alone.
///
/// Called from one thread at a time. Effects are carried out in order.
class Node {
 public:
  virtual ~Node() = default;

  /// Appends to `effects` what the node wants done.
  virtual void handle(Instant now, Input input, Effects& effects) = 0;
  /// Before anything else: it goes on from a state that a node like it has kept, as if it had just
  /// been told that this was kept everywhere. @throws StateError
  virtual void restore(StateReader& /*state*/) { throw StateError("nothing of it is ever kept"); }
  /// Before anything else, instead: it takes the place of one that all its peers have lost, as the
  /// `generation`-th of its id. Only where `may_come_back` (registry.h). @throws StateError
  virtual void rejoin(std::int64_t /*generation*/) { throw StateError("nobody takes its place"); }
};

}  // namespace foretrain
