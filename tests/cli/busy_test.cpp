// A training on a busy machine, which its result reports.
#include "reports/record/files.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <thread>
#include <vector>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

// Two busy processes per core, as long as this exists.
class BusyCores {
 public:
  BusyCores() {
    const unsigned processes = 2 * std::thread::hardware_concurrency();
    for (unsigned i = 0; i < processes; ++i) {
      const pid_t process = fork();
      REQUIRE(process >= 0);
      if (process == 0) {
        for (std::atomic<unsigned> turns{0};; ++turns) {
        }
      }
      processes_.push_back(process);
    }
  }
  BusyCores(const BusyCores&) = delete;
  BusyCores& operator=(const BusyCores&) = delete;
  ~BusyCores() {
    for (const pid_t process : processes_) kill(process, SIGKILL);
    for (const pid_t process : processes_) waitpid(process, nullptr, 0);
  }

 private:
  std::vector<pid_t> processes_;
};

TEST_CASE("busy: a run beside other work says how much of the machine that had") {
  Sandbox sandbox;
  Called run;
  {
    const BusyCores others;
    run = sandbox.call("run small.yaml --quiet --set training.steps=3000 --out busy");
  }
  INFO(run.err);
  REQUIRE(run.status == 0);
  std::ranges::replace(run.out, '\n', ' ');
  CHECK_THAT(run.out, Catch::Contains("Other programs took ") &&
                          Catch::Contains(" % of this machine's CPU: these times are too long"));
  CHECK(read_record(sandbox.path("busy")).others_used > 0.1);
  Called report = sandbox.call("report busy --out figures");
  std::ranges::replace(report.out, '\n', ' ');
  CHECK_THAT(report.out, Catch::Contains("Other programs took "));
}

TEST_CASE("busy: with --json the share is a number, of a simulation there is none") {
  Sandbox sandbox;
  const Called run = sandbox.call("run small.yaml --json --set training.steps=3000 --out r");
  const auto of_run = nlohmann::json::parse(run.out);
  REQUIRE(of_run.contains("others_used"));
  const auto& share = of_run.at("others_used");
  CHECK((share.is_null() || (share.get<double>() >= 0 && share.get<double>() <= 1)));
  const Called simulated =
      sandbox.call("simulate small.yaml --machine machine.yaml --json --out s");
  CHECK(!nlohmann::json::parse(simulated.out).contains("others_used"));
}

}  // namespace
}  // namespace foretrain
