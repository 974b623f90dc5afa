// Fuzzes resharding with modified states of servers.
#include "exec/checkpoint/resharding.h"
#include "models/base/check.h"
#include "models/protocol/node_state.h"
#include "models/protocol/registry.h"
#include "scenarios/resolve/make_training.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/fuzz/changed_state.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/shuffled.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr int kMostServers = 4;
constexpr std::array kTrainings{
    "{strategy: sync, workers: 2, optimizer: {name: adam}",
    "{strategy: async, workers: 2, optimizer: {name: momentum}",
    "{strategy: ssp, workers: 2, staleness: 1, optimizer: {name: adagrad}",
    "{strategy: sync, workers: 3, backup_workers: 1",
};

/// A training with this number of servers, with a checkpoint of its nodes.
struct Dealt {
  std::shared_ptr<const Training> training;
  testing::KeptCut cut;
};

Dealt round_robin_owners(const std::string& training, int servers) {
  const Case scenario_case =
      parse_scenario(
          fmt::format("{{foretrain: 1, name: kept, model: softmax, dataset: {{format: images, "
                      "side: 8, channels: 1, classes: 2, take: 20, test_take: 4}}, checkpoint: "
                      "{{every: 2 steps}}, training: {}, servers: {}, bucket_size: 200 B}}}}",
                      training, servers),
          "kept", {"training.steps=7", "training.batch_size=2"})
          .front();
  Dealt dealt;
  dealt.training = prepare(scenario_case, Need::examples).training;
  testing::Shuffled nodes(dealt.training, 1);
  nodes.run();
  FT_CHECK(!nodes.kept.cuts.empty());
  dealt.cut = nodes.kept.cuts.begin()->second;
  return dealt;
}

/// By training, then by number of servers, from one.
const std::vector<std::vector<Dealt>>& all_dealt() {
  static const std::vector<std::vector<Dealt>> dealt = [] {
    std::vector<std::vector<Dealt>> all;
    for (const char* training : kTrainings) {
      auto& of_training = all.emplace_back();
      for (int servers = 1; servers <= kMostServers; ++servers) {
        of_training.push_back(round_robin_owners(training, servers));
      }
    }
    return all;
  }();
  return dealt;
}

/// Resumes with the servers of `after` from a checkpoint of the servers of `before`.
void go_on(const Dealt& before, const Dealt& after) {
  testing::KeptCut cut = before.cut;
  const Training& training = *after.training;
  for (int shard = 0; shard < training.servers; ++shard) {
    cut.states[training.workers + shard] = gathered_state(
        training, shard, before.training->layout,
        [&](int held_by) { return before.cut.states.at(training.workers + held_by); });
  }
  testing::Shuffled nodes(after.training, 1, &cut);
  nodes.run();
}

}  // namespace

/// The input selects the training, the old and new numbers of servers, the modified state, the
/// edits. The state is rejected, or the training resumes: nodes may report nonsense, but must not
/// crash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Chosen training = chosen_of(text_of(data, size), kTrainings.size());
  const Chosen from = chosen_of(training.text, kMostServers);
  const Chosen to = chosen_of(from.text, kMostServers);
  const Chosen server = chosen_of(to.text, from.which + 1);
  const auto& dealt = all_dealt()[training.which];
  Dealt before = dealt[from.which];
  const int node = before.training->workers + static_cast<int>(server.which);
  change_state(before.cut.states.at(node), server.text);
  try {
    go_on(before, dealt[to.which]);
  } catch (const StateError&) {  // expected
  }
  return 0;
}
