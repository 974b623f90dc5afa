// The rule by which a strategy with servers makes updates of gradients.
#pragma once

#include "models/protocol/node.h"
#include "models/protocol/options.h"
#include "models/protocol/protocol.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace foretrain {

/// What a strategy with servers is: how many gradients an update takes, and which workers are
/// answered after it.
///
///                  gradients   in_step   answered after an update
///     sync         N           yes       all workers
///     b backups    N - b       yes       those whose gradients it took; late ones are dropped
///     async        1           no        the worker of the gradient
///     ssp          1           no        all that are at most `bound` ahead of the slowest
struct UpdateRule {
  int gradients = 1;     ///< that an update takes
  bool in_step = false;  ///< all of them by the version before, `gradients` of each step
  /// Gradients that a worker may be ahead of the slowest. 0: they are applied in the order of the
  /// workers, so the weights do not depend on the times.
  std::optional<std::int64_t> bound{};
  bool own_quota = false;  ///< each worker makes `steps` gradients; else all together make them

  /// Workers that have to be there: the others may be lost, and come back.
  [[nodiscard]] int least() const { return in_step ? gradients : 1; }
  /// Some gradients of a step are left out.
  [[nodiscard]] bool chooses(int workers) const { return in_step && gradients < workers; }
};

/// A checkpoint of a server has, beside its buckets: the time of the last update, the number of
/// dropped gradients unless updates take all, the most that a worker was ahead unless they are in
/// step. For each bucket and worker it has the clock, the staleness, the numbers that the clock
/// left out; with backup workers the step that was answered last, and whether it was dropped.
ServerState server_state_of(const UpdateRule& rule, int workers);
/// The programs of a training by such a rule: a Worker each, and ParameterServers.
std::unique_ptr<Node> make_node_by(const UpdateRule& rule,
                                   const std::shared_ptr<const Training>& training, NodeId id);
/// Who talks to whom there.
bool linked_by(const UpdateRule& rule, const Training& training, NodeId a, NodeId b);

/// What follows for a strategy from its rule; its name, what it is, its options are its own.
template <UpdateRule (*kRule)(const ProtocolOptions& options, int workers)>
Protocol protocol_by_rule() {
  static constexpr int kMany = 1'000'000;  // workers: for what does not depend on their number
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
