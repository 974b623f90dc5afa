// The rule by which a strategy with servers makes updates from gradients.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/options.h"
#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace foretrain {

/// Defines a strategy with servers: how many gradients an update takes, and which workers are
/// answered after it.
///
///                  gradients   in_step   answered after an update
///     sync         N           yes       all workers
///     b backups    N - b       yes       workers whose gradients it took; late ones are dropped
///     async        1           no        the worker of the gradient
///     ssp          1           no        all workers at most `bound` ahead of the slowest
struct UpdateRule {
  int gradients = 1;     ///< gradients in an update
  bool in_step = false;  ///< all are of the previous version, `gradients` of each step
  /// Gradients that a worker may be ahead of the slowest. 0: they are applied in the order of the
  /// workers, so the weights do not depend on timing.
  std::optional<std::int64_t> bound{};
  bool own_quota = false;  ///< each worker makes `steps` gradients; else all share the total

  /// The least number of workers that must be present: the others may be lost and come back.
  [[nodiscard]] int least() const { return in_step ? gradients : 1; }
  /// Some gradients of a step are left out.
  [[nodiscard]] bool chooses(int workers) const { return in_step && gradients < workers; }
};

/// Besides its buckets, a checkpoint of a server has the time of the last update, the number of
/// dropped gradients (unless updates take all), the largest lead of a worker (unless in step). For
/// each bucket and worker it has the clock, the staleness and the skipped numbers of the clock;
/// with backup workers instead the step that was answered last, and whether it was dropped.
ServerState server_state_of(const UpdateRule& rule, int workers);
/// The programs of a training by this rule: Workers and ParameterServers.
std::unique_ptr<Node> make_node_by(const UpdateRule& rule,
                                   const std::shared_ptr<const Training>& training, NodeId id);
/// Nodes `a` and `b` are connected in a training by this rule.
bool linked_by(const UpdateRule& rule, const Training& training, NodeId a, NodeId b);

/// A description with all that follows from the rule; the strategy adds its name, doc, options.
template <UpdateRule (*kRule)(const ProtocolOptions& options, int workers)>
Protocol protocol_by_rule() {
  static constexpr int kMany = 1'000'000;  // workers, for what does not depend on their number
  const auto gradients = [](const ProtocolOptions& o, int workers) {
    return std::int64_t{kRule(o, workers).gradients};
  };
  Protocol protocol;
  protocol.servers = true;
  protocol.synchronous = kRule(ProtocolOptions(), kMany).in_step;
  protocol.deterministic = [](const ProtocolOptions& o) {
    const UpdateRule rule = kRule(o, kMany);
    return rule.in_step ? rule.gradients == kMany : rule.bound == 0;
  };
  protocol.gradients_an_update = gradients;
  protocol.gradients_an_apply = gradients;
  protocol.most_lost = [](const ProtocolOptions& o, int workers) {
    return workers - kRule(o, workers).least();
  };
  protocol.takes_back = [](const ProtocolOptions& o) { return kRule(o, kMany).least() < kMany; };
  protocol.server_state = [](const ProtocolOptions& o) {
    return server_state_of(kRule(o, kMany), kMany);
  };
  protocol.linked = [](const Training& training, NodeId a, NodeId b) {
    return linked_by(kRule(training.options, training.workers), training, a, b);
  };
  protocol.make_node = [](const std::shared_ptr<const Training>& training, NodeId id) {
    return make_node_by(kRule(training->options, training->workers), training, id);
  };
  return protocol;
}

}  // namespace foretrain
