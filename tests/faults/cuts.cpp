#include "tests/faults/cuts.h"

#include "models/protocol/async.h"
#include "models/protocol/node_state.h"
#include "models/protocol/registry.h"
#include "reports/record/summary.h"
#include "tests/faults/envelope.h"
#include "tests/support/shuffled.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace foretrain::faults {
namespace {

/// A checkpoint with the training that resumes from it.
class GoingOn {
 public:
  GoingOn(std::int64_t cut, const testing::KeptCut& kept,
          const std::shared_ptr<const Training>& training)
      : cut_(cut),
        kept_(kept),
        training_(*training),
        nodes_(training, static_cast<std::uint64_t>(cut), &kept) {
    nodes_.run();
  }

  void check_end() const {
    for (const Fault& fault : nodes_.faults) {
      const std::string who = fault.peer ? training_.role(*fault.peer) : "nobody";
      require(false, fmt::format("{}: {}", who, fault.why));
    }
    require(nodes_.finished == training_.nodes(),
            fmt::format("{} of {} nodes end", nodes_.finished, training_.nodes()));
  }

  void check_updates(std::int64_t plain, bool lost) const {
    const Protocol& protocol = *training_.protocol;
    const bool own = reads(protocol, kQuota) && training_.options.word(kQuota) == kOwnQuota;
    const bool as_many = own && lost ? nodes_.updates <= plain : nodes_.updates == plain;
    require(as_many, fmt::format("{} updates are made, {} without faults", nodes_.updates, plain));
  }

  // Steps that a worker had not reported are removed, because they are computed again.
  void check_steps(const Record& record) const {
    std::set<std::pair<int, std::int64_t>> steps;
    for (const StepRow& row : record.steps) {
      const std::int64_t step = row.report.step.value;
      if (step < kept_.reported.at(row.worker)) steps.emplace(row.worker, step);
    }
    for (std::size_t i = 0; i < nodes_.steps.size(); ++i) {
      const std::pair step(nodes_.step_workers[i], nodes_.steps[i].step.value);
      require(steps.insert(step).second,
              fmt::format("worker{} makes step {} again", step.first, step.second));
    }
  }

  void check_bits(const std::string& plain) const {
    require(weights_sha256(nodes_.weights) == plain, "other weights than without faults");
  }

 private:
  void require(bool holds, const std::string& what) const {
    if (!holds) throw Broken(fmt::format("going on from cut {}: {}", cut_, what));
  }

  std::int64_t cut_;
  const testing::KeptCut& kept_;
  const Training& training_;
  testing::Shuffled nodes_;
};

bool anybody_lost(const Record& record) {
  return std::ranges::any_of(
      record.nodes, [](const auto& node) { return !node.lost.empty() || !node.away.empty(); });
}

}  // namespace

void check_cuts(const testing::KeptStates& kept, const std::shared_ptr<const Training>& training,
                const Record& plain, const Record& record) {
  if (kept.moved > 0) throw Broken("a state changed while it was kept, or is of another size");
  const bool lost = anybody_lost(record);
  const bool same_bits = training->protocol->deterministic(training->options) && !lost;
  for (const auto& [cut, states] : kept.cuts) {
    if (std::ssize(states.states) < training->nodes()) continue;  // it was given up
    try {
      const GoingOn going_on(cut, states, training);
      going_on.check_end();
      going_on.check_updates(plain.updates, lost);
      going_on.check_steps(record);
      if (same_bits) going_on.check_bits(plain.weights_sha256);
    } catch (const StateError& error) {
      throw Broken(fmt::format("going on from cut {}: {}", cut, error.what()));
    }
  }
}

}  // namespace foretrain::faults
