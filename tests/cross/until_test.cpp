// Trainings that stop at a target, over TCP as in virtual time.
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/protocol_options.h"
#include "tests/support/real_run.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

Case aiming(const std::string& strategy, int workers) {
  Case scenario_case = small_case(strategy, workers, 60);
  Scenario& scenario = scenario_case.scenario;
  scenario.training.servers = 2;
  scenario.training.bucket_size = {8'000};
  scenario.training.evaluate_every = 4;
  scenario.training.until = {.accuracy = 0.6};
  set_option(scenario.training.protocol, "staleness", 0);
  return scenario_case;
}

Record run_shaken(const Case& scenario_case, Duration max_delay) {
  exec::RunOptions options;
  options.max_delay = max_delay;
  Record record = real_run(scenario_case, options);
  REQUIRE(!record.evals.empty());
  // It stopped before its length.
  CHECK(record.gradients < 60 * (scenario_case.scenario.training.workers));
  CHECK(summarize(record).time_to_target_s.has_value());
  return record;
}

TEST_CASE("until: a run and a simulation end at the same step with the same weights") {
  const std::string strategy = GENERATE("single", "sync", "ssp", "all_reduce");
  CAPTURE(strategy);
  const Case scenario_case = aiming(strategy, strategy == "single" ? 1 : 3);
  const Record simulated = simulate(scenario_case);
  REQUIRE(simulated.weights_sha256.size() == 64);
  const Record real = run_shaken(scenario_case, 1_ms);
  CHECK(real.weights_sha256 == simulated.weights_sha256);
  CHECK(real.updates == simulated.updates);
  CHECK(real.gradients == simulated.gradients);
  CHECK(real.evals.size() == simulated.evals.size());
  // The target is not already met at the first evaluation.
  CHECK(real.evals.size() >= 2);
  CHECK(real.gradients == static_cast<std::int64_t>(real.steps.size()));
}

TEST_CASE("until: the replay of a run without an order ends where the run did") {
  const int backups = GENERATE(0, 1);
  CAPTURE(backups);
  Case scenario_case = aiming(backups > 0 ? "sync" : "async", 3);
  set_option(scenario_case.scenario.training.protocol, "backup_workers", backups);
  const Record real = run_shaken(scenario_case, 1_ms);
  const TempFolder folder;
  write_record(real, folder.path());
  const Record again = sim::replay(read_record(folder.path()));
  CHECK(again.weights_sha256 == real.weights_sha256);
  CHECK(again.updates == real.updates);
  CHECK(again.gradients == real.gradients);
}

}  // namespace
}  // namespace foretrain::testing
