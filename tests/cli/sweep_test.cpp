// Sweeps on the command line that are killed midway.
#include "tests/cli/child.h"
#include "tests/reports/support.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace foretrain::testing {
namespace {

constexpr int kCases = 24;

/// A sweep of this many simulations of some milliseconds each.
class SweepFolder {
 public:
  SweepFolder() {
    write_text(folder_.path() / "sweep.yaml",
               "foretrain: 1\nname: killed\ndataset: {take: 2000, test_take: 200}\n"
               "training: {workers: 2, batch_size: 32, steps: 200}\n"
               "cluster:\n  hosts:\n"
               "    - {name: n, count: 3, cores: 2, nic: 1 Gbps, latency: 20 us, compute: 1 ms}\n"
               "sweep: {seed: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], "
               "training.strategy: [sync, async]}\n");
  }

  /// Starts the program and returns its process id.
  pid_t start(bool json) const {
    const std::string out = (folder_.path() / "out").string();
    const std::string scenario = (folder_.path() / "sweep.yaml").string();
    const std::string answer = (folder_.path() / "answer.json").string();
    std::fflush(nullptr);  // or the child would write it again
    const pid_t child = fork();
    if (child == 0) {
      if (std::freopen(answer.c_str(), "w", stdout) == nullptr) _exit(126);
      if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(126);
      std::vector<std::string> words{"sweep", scenario, "--out", out, "--jobs", "2"};
      if (json) words.emplace_back("--json");
      become_program(std::move(words));
    }
    return child;
  }
  [[nodiscard]] nlohmann::json answer() const {
    return nlohmann::json::parse(read_text(folder_.path() / "answer.json"));
  }
  [[nodiscard]] std::string out(const std::string& name) const {
    const auto path = folder_.path() / "out" / name;
    return std::filesystem::exists(path) ? read_text(path) : std::string();
  }

 private:
  TemporaryFolder folder_;
};

/// The number of complete rows of each case.
std::map<int, int> rows_by_case(const SweepFolder& sweep) {
  std::map<int, int> counts;
  std::istringstream lines(sweep.out("rows.1-of-1.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto row = nlohmann::json::parse(line, nullptr, false);
    if (row.is_object()) ++counts[row.at("case").get<int>()];
  }
  return counts;
}

TEST_CASE("sweep: killed by force it goes on without doing a finished case twice") {
  const SweepFolder sweep;
  for (const std::size_t until : {2U, 7U, 15U}) {
    const pid_t child = sweep.start(false);
    // As soon as some more cases are done while others run.
    wait_until([&] { return rows_by_case(sweep).size() >= until; }, std::chrono::milliseconds(1));
    kill(child, SIGKILL);
    CHECK(exit_of(child) == 128 + SIGKILL);
    CHECK(sweep.out("sweep.csv").empty());
  }
  const std::size_t before = rows_by_case(sweep).size();
  CHECK(before >= 15);
  CHECK(exit_of(sweep.start(true)) == 0);
  CHECK(sweep.answer().at("found") == before);
  CHECK(sweep.answer().at("done") == kCases);
  const auto counts = rows_by_case(sweep);
  CHECK(counts.size() == kCases);
  for (const auto& [number, times] : counts) {
    CAPTURE(number);
    CHECK(times == 1);
  }
  const std::string table = sweep.out("sweep.csv");
  CHECK(std::ranges::count(table, '\n') == kCases + 1);
}

}  // namespace
}  // namespace foretrain::testing
