// CPU use by other processes: from a made-up text, from this machine with a busy child.
#include "exec/system/others_use.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <string>
#include <thread>

namespace foretrain::exec {
namespace {

const std::string kStat =
    "cpu  600 0 400 2000 0 0 0 0 0 0\n"
    "cpu0 100 20 200 300 40 5 6 29 0 0\n"
    "cpu1 500 0 200 1000 300 0 0 0 0 0\n"
    "cpu11 1 1 1 1 1 1 1 1 0 0\n"
    "intr 12 0 0\n";

TEST_CASE("others' use: threads, other virtual machines are busy, interrupts are not") {
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto one = core_times(kStat, {0});
  REQUIRE(one);
  CHECK(one->busy == Approx(349 / ticks));
  CHECK(one->all == Approx(700 / ticks));
  const auto two = core_times(kStat, {0, 1});
  REQUIRE(two);
  CHECK(two->busy == Approx(1049 / ticks));
  CHECK(two->all == Approx(2700 / ticks));
}

TEST_CASE("others' use: of cores that it does not tell nothing is known") {
  CHECK(!core_times(kStat, {0, 2}));
  CHECK(!core_times(kStat, {}));
  CHECK(!core_times("cpu0 100 20", {0}));
  CHECK(!core_times("", {0}));
}

void be_busy_for(std::chrono::milliseconds time) {
  const auto until = std::chrono::steady_clock::now() + time;
  while (std::chrono::steady_clock::now() < until) {
  }
}

// A running child counts as another process until it has ended.
TEST_CASE("others' use: a child that has ended is none of them") {
  const OthersUse use;
  CHECK(!use.share());  // too early
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    for (;;) be_busy_for(std::chrono::milliseconds(100));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(1'000));
  const auto with_it = use.share();
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  const auto without = use.share();
  REQUIRE(with_it);
  REQUIRE(without);
  CHECK(*with_it > *without);
  CHECK(*with_it <= 1);
}

}  // namespace
}  // namespace foretrain::exec
