#include "tests/faults/trial.h"

#include "models/protocol/async.h"
#include "models/protocol/backup.h"
#include "models/protocol/registry.h"
#include "scenarios/resolve/prepared.h"
#include "scenarios/resolve/read.h"
#include "sim/driver/simulate.h"
#include "tests/faults/cuts.h"
#include "tests/faults/draw.h"
#include "tests/faults/invariants.h"
#include "tests/faults/liveness.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace foretrain::faults {
namespace {

constexpr int kMostLooks = 4'000;  // of 1,024 events: no training here takes a tenth of that

// The training has to end by itself.
sim::SimulateOptions options_of(int& looks) {
  sim::SimulateOptions options;
  options.machines = [](const std::string&) { return Machine{}; };
  options.usage_interval = {};
  options.interrupted = [&looks] { return ++looks > kMostLooks; };
  return options;
}

void require(bool holds, const std::string& what) {
  if (!holds) throw Broken(what);
}

bool somebody_lost(const Record& record) {
  return std::ranges::any_of(
      record.nodes, [](const auto& node) { return !node.lost.empty() || !node.away.empty(); });
}

void check_bytes(const Record& record, const Wire& wire) {
  Bytes left;
  Bytes undelivered;
  for (const NodeTotals& node : record.nodes) {
    left += node.tx - node.rx;
    left = left - *node.undelivered;
    undelivered += *node.undelivered;
  }
  // Messages may not have left a node yet, or may not have been read.
  require(
      left.value >= 0 && left <= wire.under_way(),
      fmt::format("{} bytes were sent, but neither received nor undeliverable, {} are under way",
                  left.value, wire.under_way().value));
  if (record.outcome == Outcome::done && !wire.parted()) {
    require(undelivered == Bytes{}, "bytes could not be delivered, though nobody lost a peer");
  }
}

void check_end(const Record& record, const Record& plain, const Training& training,
               Instant last_input) {
  require(record.outcome != Outcome::interrupted, "it does not come to an end");
  check_liveness(record, plain, training, last_input);
  if (record.outcome == Outcome::failed) return;
  const Protocol& protocol = *training.protocol;
  if (training.servers > 0) {
    const auto an_update = protocol.gradients_an_update(training.options, training.workers);
    require(record.gradients == record.updates * an_update,
            fmt::format("{} gradients in {} updates", record.gradients, record.updates));
  }
  if (!protocol.deterministic(training.options)) return;
  if (somebody_lost(record)) return;
  require(record.weights_sha256 == plain.weights_sha256, "other weights than without faults");
}

// Without faults, also observed.
Record simulate_watched(const Prepared& prepared, bool with_faults, const Record* plain) {
  int looks = 0;
  Invariants invariants(prepared.training);
  sim::SimulateOptions options = options_of(looks);
  int attempts = 0;  // each attempt starts one process of the chief
  options.around = [&](NodeId id, std::unique_ptr<Node> program) {
    if (id == NodeId(0)) ++attempts;
    return attempts > 1 ? std::move(program) : invariants.around(id, std::move(program));
  };
  Record record = sim::simulate(prepared, options);
  if (attempts == 1) check_bytes(record, invariants.wire());
  if (!with_faults) {
    require(record.outcome == Outcome::done, "without faults: " + record.failure);
  } else {
    check_end(record, *plain, *prepared.training, invariants.last_input());
    check_cuts(invariants.kept(), prepared.training, *plain, record);
  }
  return record;
}

// Checks the steps: all gradients of a shared quota are made, each step once.
void check_steps(const Record& record, const Training& training) {
  std::set<std::pair<int, std::int64_t>> steps;
  for (const StepRow& row : record.steps) steps.emplace(row.worker, row.report.step.value);
  require(steps.size() == record.steps.size(), "two steps of a worker have one number");
  const Protocol& protocol = *training.protocol;
  if (record.outcome != Outcome::done || !reads(protocol, kQuota)) return;
  if (training.options.word(kQuota) == kOwnQuota) return;
  require(record.gradients == training.steps * training.workers,
          fmt::format("{} gradients were accepted", record.gradients));
}

// `draw_what`: adds the faults, given the duration without faults.
template <class Draw>
Trial try_drawn(const Case& scenario_case, DataSets& data_sets, Draw draw_what) {
  Trial trial;
  trial.scenario = to_yaml(scenario_case.scenario);
  try {
    Prepared prepared = prepare(scenario_case, Need::examples, data_sets);
    const Record plain = simulate_watched(prepared, false, nullptr);
    draw_what(prepared.scenario_case, plain.time);
    trial.scenario = to_yaml(prepared.scenario_case.scenario);
    parse_scenario(trial.scenario, "faults.yaml");  // a file could contain it
    const Record record = simulate_watched(prepared, true, &plain);
    check_steps(record, *prepared.training);
    trial.done = record.outcome == Outcome::done;
    trial.lost = somebody_lost(record);
    for (const NodeTotals& node : record.nodes) trial.returned += std::ssize(node.away);
    trial.returned += record.restarts.count;
  } catch (const std::exception& error) {
    trial.broken = error.what();
  }
  return trial;
}

}  // namespace

Trial try_faults(std::uint64_t seed, const std::string& strategy, DataSets& data_sets) {
  Stream draw(seed, "faults." + strategy);
  Case scenario_case = draw_training(draw, strategy);
  return try_drawn(scenario_case, data_sets,
                   [&](Case& faulty, Duration length) { draw_faults(draw, faulty, length); });
}

Trial try_clogs(std::uint64_t seed, const std::string& strategy, DataSets& data_sets) {
  Stream draw(seed, "clogs." + strategy);
  Case scenario_case = draw_training(draw, strategy);
  return try_drawn(scenario_case, data_sets,
                   [&](Case& faulty, Duration length) { draw_clogs(draw, faulty, length); });
}

Trial try_returns(std::uint64_t seed, const std::string& strategy, DataSets& data_sets) {
  Stream draw(seed, "returns." + strategy);
  Case scenario_case = draw_training(draw, strategy);
  TrainingSpec& training = scenario_case.scenario.training;
  training.workers = std::max(training.workers, 2);
  training.servers = std::min(training.servers, 2);
  scenario_case.scenario.cluster.hosts.front().count += 1;
  // Without backup workers such a strategy takes no worker back: all nodes restart.
  const bool either = reads(protocol_called(strategy), kBackupWorkers);
  const bool backups = either && draw.below(2) == 0;
  if (either) training.protocol.set(kBackupWorkers, std::int64_t{0});
  if (either && !backups) training.rejoin_limit = Duration::from_seconds(1'000);
  if (backups) {
    training.rejoin_limit = {};
    const auto most = static_cast<std::uint64_t>(training.workers - 1);
    training.protocol.set(kBackupWorkers, 1 + static_cast<std::int64_t>(draw.below(most)));
    if (training.servers == 1) scenario_case.scenario.checkpoint = {};  // as in draw_training
  }
  Trial trial = try_drawn(scenario_case, data_sets, [&](Case& faulty, Duration length) {
    draw_returns(draw, faulty, length);
  });
  // With backups, more workers may be away than it can spare.
  if (trial.broken.empty() && !trial.done && !backups) {
    trial.broken = "a worker went, and it did not end";
  }
  return trial;
}

}  // namespace foretrain::faults
