// Fuzzes nodes with modified states.
#include "models/base/check.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "tests/fuzz/changed_state.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/shuffled.h"

#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace foretrain;
using namespace foretrain::fuzz;

namespace {

constexpr std::array kTrainings{
    "{strategy: single, optimizer: {name: adam}}",
    "{strategy: sync, workers: 2, servers: 2, optimizer: {name: momentum}}",
    "{strategy: async, workers: 2, servers: 1}",
    "{strategy: ssp, workers: 2, servers: 2, staleness: 1, optimizer: {name: adagrad}}",
    "{strategy: all_reduce, workers: 2, optimizer: {name: adam}}",
    "{strategy: local_sgd, workers: 2, local_steps: 2, outer: {name: nesterov}}",
    "{strategy: gather_scatter, workers: 2, optimizer: {name: momentum}}",
};

/// A training with a checkpoint of its nodes.
struct Kept {
  std::shared_ptr<const Training> training;
  testing::KeptCut cut;
};

Kept kept_in(const std::string& training) {
  Case scenario_case =
      parse_scenario(
          fmt::format("{{foretrain: 1, name: kept, model: softmax, dataset: {{format: images, "
                      "side: 8, channels: 1, classes: 2, take: 20, test_take: 4}}, checkpoint: "
                      "{{every: 2 steps}}, training: {}}}",
                      training),
          "kept", {"training.steps=7", "training.batch_size=2", "training.evaluate_every=2"})
          .front();
  Kept kept;
  kept.training = prepare(scenario_case, Need::examples).training;
  testing::Shuffled nodes(kept.training, 1);
  nodes.run();
  FT_CHECK(!nodes.kept.cuts.empty());
  kept.cut = nodes.kept.cuts.begin()->second;
  return kept;
}

const std::vector<Kept>& all_kept() {
  static const std::vector<Kept> kept = [] {
    std::vector<Kept> all;
    for (const char* training : kTrainings) all.push_back(kept_in(training));
    return all;
  }();
  return kept;
}

}  // namespace

/// A state is rejected, or the training resumes from it: nodes may report nonsense, but must not
/// crash.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto [which, text] = chosen_of(text_of(data, size), kTrainings.size());
  const Kept& kept = all_kept()[which];
  const Chosen node = chosen_of(text, static_cast<std::size_t>(kept.training->nodes()));
  testing::KeptCut cut = kept.cut;
  change_state(cut.states.at(static_cast<int>(node.which)), node.text);
  try {
    testing::Shuffled nodes(kept.training, 1, &cut);
    nodes.run();
  } catch (const StateError&) {  // expected
  }
  return 0;
}
