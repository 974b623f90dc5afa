// Runs with shared memory between nodes give the same weights.
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

// The number of mapped rings in child processes of this process.
int rings_of_nodes() {
  int rings = 0;
  const std::string parent = "PPid:\t" + std::to_string(getpid()) + "\n";
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream status(entry.path() / "status");
    const std::string all{std::istreambuf_iterator<char>(status), {}};
    if (all.find(parent) == std::string::npos) continue;
    std::ifstream maps(entry.path() / "maps");
    for (std::string line; std::getline(maps, line);) {
      rings += line.find("memfd:foretrain") != std::string::npos ? 1 : 0;
    }
  }
  return rings;
}

TEST_CASE("shared memory: nodes of one host have a ring each way, and end with the same weights") {
  const auto [strategy, links] =
      GENERATE(table<std::string, int>({{"sync", 2}, {"all_reduce", 1}, {"local_sgd", 1}}));
  CAPTURE(strategy);
  Case scenario_case = small_case(strategy, 2, 3'000);
  const Record by_tcp = real_run(scenario_case);
  scenario_case.scenario.transport.shared_memory = true;
  int most = 0;
  exec::RunOptions options;
  options.progress = [&](std::int64_t, std::int64_t, Duration) {
    most = std::max(most, rings_of_nodes());
  };
  const Record record = real_run(scenario_case, options);
  CHECK(record.weights_sha256 == by_tcp.weights_sha256);
  CHECK(most == 2 * links);  // one ring per link, mapped by both ends
}

TEST_CASE("shared memory: a forecast is of TCP, and says so") {
  Case scenario_case = small_case("sync", 2, 10);
  scenario_case.scenario.transport.shared_memory = true;
  CHECK_THROWS_WITH(
      simulate(scenario_case),
      Catch::Contains("transport.shared_memory: on, but forecasts assume TCP; write off, or only "
                      "run it"));
}

}  // namespace
}  // namespace foretrain::testing
