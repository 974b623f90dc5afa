// A node of a training as a pure state machine: inputs are events, outputs are requested effects.
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

// Inputs ------------------------------------------------------------------------------------

/// Every node is ready and the training begins. Always the first input.
struct Started {};
struct Received {
  NodeId from{};
  Message message;
};
/// A job that this node requested is done.
struct Computed {
  JobId job{};
  JobResult result;
  /// Core time that the job took; zero means not measured. It is only recorded: no program reads
  /// it.
  Duration took{};
};
enum class TimerId : std::uint64_t {};
struct TimerFired {
  TimerId timer{};
};
/// This peer will send nothing more.
struct PeerLost {
  NodeId peer{};
};
/// A lost peer is back as another process: later messages are from that process.
struct PeerBack {
  NodeId peer{};
  std::int64_t incarnation = 2;  ///< number of its processes so far, including this one
};
using Input = std::variant<Started, Received, Computed, TimerFired, PeerLost, PeerBack>;

// Effects -----------------------------------------------------------------------------------

/// Messages of the same bucket from one node to another arrive in order. A lower bucket may
/// overtake a higher one that still waits: the next forward pass needs it sooner (Jayarajan, Wei,
/// Gibson, Fedorova, Pekhimenko 2019).
struct Send {
  NodeId to{};
  Message message;
};
struct Compute {
  Job job;
};
/// Work that the node did itself before the effects that follow: nothing is left to do, but the
/// driver has to account for its time.
struct SpentCost {
  Cost cost;
};
struct ArmTimer {
  TimerId timer{};
  Duration after;
  bool of_framework = false;  ///< a delay of another framework, in a forecast of it
};
/// Asks to save the node's state, together with the states of all other nodes at the same cut
/// (checkpoint_rule.h). Answered by `Computed`, whether it succeeded or not: nothing of a training
/// depends on it.
struct SaveState {
  JobId job{};
  std::int64_t cut = 0;
  Step reported;               ///< a worker's: steps that it has reported
  std::int64_t evaluated = 0;  ///< the chief's: evaluations that it has reported
  Bytes size;
  /// Returns the state; called once before the answer, on a thread of the driver's choice: until
  /// then the node does not change what it reads. Without numerics the state lacks the values only.
  std::function<std::string()> state;
  std::int64_t gradients = 0;  ///< a worker's: gradients that it has begun
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
  Version version;  ///< updates that these parameters include
  Instant time;     ///< start of the evaluation, for which the parameters were held
  Duration took;
  double loss = 0;                                        ///< mean over the test examples, nats
  double accuracy = 0;                                    ///< share of the test examples
  double auc = std::numeric_limits<double>::quiet_NaN();  ///< two classes: area under ROC
  bool final = false;  ///< after the last update; not part of the training's time
};
using Report = std::variant<StepReport, EvalReport>;

/// The node's part is over; it requests nothing more.
struct Finished {
  std::int64_t updates = 0;    ///< updates that this node applied to its (first) bucket
  std::int64_t gradients = 0;  ///< gradients that this node accepted
  std::int64_t dropped = 0;    ///< gradients that came too late to count
  /// A server's: the largest lead, in gradients, of a worker over the slowest when it was answered.
  std::int64_t most_lead = 0;
  Instant last_update{};            ///< time of the last update; zero if there was none
  Payload weights{};                ///< the chief's: all parameters, in order
  std::vector<float> statistics{};  ///< the chief's (Network::statistics)
};
/// The training cannot continue. `peer` is the peer at fault, if a peer is.
struct Fault {
  std::optional<NodeId> peer;
  std::string why;
};
using Effect = std::variant<Send, Compute, SpentCost, ArmTimer, SaveState, Report, Finished, Fault>;
using Effects = std::vector<Effect>;

/// A node's program. It owns no socket, no thread and no clock; `now` is the reading of the
/// driver's clock when the input happened, and goes into reports only, never into computed values.
/// So the parameters are a function of the order of the inputs alone.
///
/// Called from one thread at a time. Effects are carried out in order.
class Node {
 public:
  virtual ~Node() = default;

  /// Appends to `effects` the effects that the node requests.
  virtual void handle(Instant now, Input input, Effects& effects) = 0;
  /// Before any other call: continues from a state that the same kind of node saved, as if all
  /// nodes had just saved that cut. @throws StateError
  virtual void restore(StateReader& /*state*/) {
    throw StateError("this kind of node saves no state");
  }
  /// Before any other call, instead of `restore`: takes the place of a lost node, as the
  /// `incarnation`-th process of its id. Only if `may_come_back` (registry.h). @throws StateError
  virtual void rejoin(std::int64_t /*incarnation*/) {
    throw StateError("this kind of node cannot be replaced");
  }
};

}  // namespace foretrain
