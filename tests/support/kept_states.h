// The states that nodes save per checkpoint, for tests that resume from them.
#pragma once

#include "models/protocol/node.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace foretrain::testing {

/// A checkpoint, with the progress that its nodes had reported.
struct KeptCut {
  std::map<int, std::string> states;     // by node
  std::map<int, std::int64_t> reported;  // steps, by node
  std::int64_t evaluated = 0;            // evaluations of the chief
};

class KeptStates {
 public:
  /// `now`: number of inputs of all nodes so far.
  void keep(int node, SaveState keep, int now = 0) {
    begun_at.try_emplace(keep.cut, now);
    KeptCut& cut = cuts[keep.cut];
    cut.states[node] = keep.state();
    cut.reported[node] = keep.reported.value;
    cut.evaluated = std::max(cut.evaluated, keep.evaluated);
    if (std::ssize(cut.states[node]) != keep.size.value) ++moved;
    under_way_[{node, keep.job}] = std::move(keep);
  }
  /// The node learns that its state is saved; until now the state may have been read.
  void told(int node, JobId job) {
    const auto keep = under_way_.find({node, job});
    if (keep == under_way_.end()) return;
    if (keep->second.state() != cuts[keep->second.cut].states[node]) ++moved;
    under_way_.erase(keep);
  }

  std::map<std::int64_t, KeptCut> cuts;
  std::map<std::int64_t, int> begun_at;  // by checkpoint: inputs before its first state
  /// Number of states whose size differs from the announced one, or that changed while readable.
  int moved = 0;

 private:
  std::map<std::pair<int, JobId>, SaveState> under_way_;
};

}  // namespace foretrain::testing
