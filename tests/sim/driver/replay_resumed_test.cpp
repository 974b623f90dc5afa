// The replay of a resumed run, for any inputs around its checkpoint.
#include "reports/record/summary.h"
#include "scenarios/resolve/prepared.h"
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/shuffled.h"

#include <catch2/catch.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {

Case kept_case(const std::string& strategy, int servers) {
  Case result = small_case(strategy, 3, 12);
  TrainingSpec& training = result.scenario.training;
  training.servers = servers;
  training.bucket_size = {8'000};
  training.evaluate_every = 3;
  set_option(training.protocol, "staleness", std::int64_t{1});
  set_option(training.protocol, "local_steps", std::int64_t{2});
  result.scenario.checkpoint.every.steps = 2;
  return result;
}

/// Adds, for each node, its inputs until it saved its state for the checkpoint, and a random part
/// of the later inputs that it reported before it was killed.
void add_until(std::vector<InputRow>& rows, const Shuffled& killed, std::int64_t cut,
               Stream& stream) {
  for (std::size_t node = 0; node < killed.input_rows.size(); ++node) {
    const std::vector<InputRow>& all = killed.input_rows[node];
    const std::size_t kept = killed.input_rows_until.at({static_cast<int>(node), cut});
    const std::size_t told = kept + stream.below(all.size() - kept + 1);
    rows.insert(rows.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(told));
  }
}

/// Trains from the start, or from saved states.
Shuffled trained(const std::shared_ptr<const Training>& training, std::uint64_t seed,
                 const KeptCut* from = nullptr) {
  Shuffled nodes(training, seed, from);
  nodes.started_first = true;
  nodes.run();
  REQUIRE(nodes.faults.empty());
  REQUIRE(nodes.finished == training->nodes());
  return nodes;
}

TEST_CASE("replay: of a run that went on, whatever of its killed nodes was not told any more") {
  const auto [strategy, servers] = GENERATE(
      std::pair<std::string, int>{"single", 0}, std::pair<std::string, int>{"sync", 1},
      std::pair<std::string, int>{"sync", 2}, std::pair<std::string, int>{"async", 1},
      std::pair<std::string, int>{"async", 2}, std::pair<std::string, int>{"ssp", 2},
      std::pair<std::string, int>{"all_reduce", 0}, std::pair<std::string, int>{"local_sgd", 0},
      std::pair<std::string, int>{"gather_scatter", 0});
  const auto seed = static_cast<std::uint64_t>(GENERATE(range(1, 9)));
  CAPTURE(strategy, servers, seed);
  Case scenario_case = kept_case(strategy, servers);
  if (strategy == "single") scenario_case.scenario.training.workers = 1;
  const auto training = prepare(scenario_case, Need::examples).training;
  const Shuffled killed = trained(training, seed);
  REQUIRE(!killed.kept.cuts.empty());
  for (const auto& [cut, states] : killed.kept.cuts) {
    CAPTURE(cut);
    Stream stream(seed, "told");
    Record record;
    record.outcome = Outcome::done;
    record.scenario_case = scenario_case;
    record.resumed = {cut};
    add_until(record.inputs, killed, cut, stream);
    const Shuffled after = trained(training, seed + 100, &states);
    for (const auto& rows : after.input_rows) {
      record.inputs.insert(record.inputs.end(), rows.begin(), rows.end());
    }
    const Record replayed = sim::replay(record);
    CHECK(replayed.weights_sha256 == weights_sha256(after.weights));
    CHECK(replayed.updates == after.updates);
    CHECK(replayed.steps.size() == 12U * static_cast<unsigned>(training->workers));
  }
}

}  // namespace
}  // namespace foretrain::testing
