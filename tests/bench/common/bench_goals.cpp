#include "tests/bench/common/bench_goals.h"

#include <fmt/format.h>

#include <algorithm>

namespace foretrain::bench {
namespace {

// Peers: PyTorch on one thread, its DDP and all-reduce over gloo, a parameter server over gloo,
// SimGrid. A higher ratio is better.
constexpr Goal kGoals[] = {
    {"models/softmax/64", 6},
    {"models/softmax/128", 4},
    {"models/softmax/512", 2.5},
    {"models/lenet/8", 6},
    {"models/lenet/64", 4},
    {"models/lenet/512", 3.5},
    {"models/lenet_large/8", 3},
    {"models/lenet_large/64", 2},
    {"models/lenet_large/512", 2},
    {"models/alexnet_cifar/64", 2.5},
    {"models/alexnet_cifar/128", 2.5},
    {"models/alexnet/16", 1.5},
    {"models/alexnet/64", 1.5},
    {"exec/server/async/2", 3},
    {"exec/server/sync/2", 1.5},
    {"exec/ddp/lenet/2", 4},
    {"exec/ddp/lenet_large/2", 1.6},
    {"exec/ddp/lenet/3", 4},
    {"exec/ddp/lenet_large/3", 1.6},
    {"exec/all_reduce/1MB/2", 4},
    {"exec/all_reduce/25MB/2", 2},
    {"exec/all_reduce/244MB/2", 2},
    {"sim/star/sync/8", 25},
    {"sim/star/sync/64", 25},
    {"sim/star/sync/512", 25},
    {"sim/star/sync/2048", 25},
    {"sim/star/async/2048", 1.2e6, false},
    {"sim/ring/64/25MB", 10},
    {"sim/ring/511/25MB", 10},
    {"sim/ring/512/25MB", 10},
    {"sim/large/softmax/10000", 2, false},
    {"sim/large/lenet/10000", 10, false},
    {"sim/sweep/520", 4, false},
    {"sim/first/quickstart", 0.2, false},
    {"sim/huge/softmax/100000", 20, false},
    {"sim/huge/softmax/100000/memory", 1, false},
};

}  // namespace

std::span<const Goal> goals() { return kGoals; }

const Goal* goal_of(std::string_view row) {
  const auto* const found = std::ranges::find(kGoals, row, &Goal::row);
  return found == std::end(kGoals) ? nullptr : found;
}

std::optional<bool> reached(const Goal& goal, const Result& result) {
  if (!goal.of_ratio) {
    return result.better == Better::more ? result.figure >= goal.figure
                                         : result.figure <= goal.figure;
  }
  const auto ratio = ratio_of(result);
  if (!ratio) return {};
  return *ratio >= goal.figure;
}

std::string goal_text(const Goal& goal, const std::string& unit) {
  if (goal.of_ratio) return fmt::format("{:g}", goal.figure);
  return fmt::format("{:g} {}", goal.figure, unit);
}

}  // namespace foretrain::bench
