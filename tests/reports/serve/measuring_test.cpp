// A calibration that several questions wait for.
#include "reports/serve/measuring.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::serve {
namespace {

const LatestWinsWorker::Dropped kNever = [] { return false; };

void nap() { std::this_thread::sleep_for(std::chrono::milliseconds(1)); }

TEST_CASE("measuring: whoever waits hears what is measured, then that it is done") {
  Measuring measuring([](const Case&, const Tell& tell, const auto&) { tell("caches"); });
  std::vector<std::string> heard;
  const Tell told = [&](const std::string& line) { heard.push_back(line); };
  CHECK(measuring.wait_for_quiet(told, kNever));
  CHECK(heard.empty());
  CHECK(measuring.measure_for({}, told, kNever));
  CHECK(heard.size() <= 1);  // it may end before anybody listens
}

TEST_CASE("measuring: goes on where its question is dropped, and the next one joins it") {
  std::promise<void> go_on;
  std::atomic<int> begun{0};
  Measuring measuring([&](const Case&, const Tell& tell, const auto&) {
    ++begun;
    tell("messages over loopback");
    go_on.get_future().wait();
    tell("caches");
  });
  std::atomic<bool> dropped{false};
  const Tell drop = [&](const std::string& line) {
    CHECK(line == "messages over loopback");
    dropped = true;
  };
  CHECK_FALSE(measuring.measure_for({}, drop, [&] { return dropped.load(); }));
  std::string heard;
  const Tell told = [&](const std::string& line) {
    if (heard.empty()) go_on.set_value();
    heard += line + ";";
  };
  CHECK(measuring.measure_for({}, told, kNever));
  CHECK(heard.starts_with("messages over loopback;"));
  CHECK(begun == 1);
}

TEST_CASE(
    "measuring: what it throws is heard by those that want it, not by those that want quiet") {
  std::promise<void> go_on;
  const std::shared_future<void> now = go_on.get_future().share();
  Measuring measuring([now](const Case&, const Tell& tell, const auto&) {
    tell("caches");
    now.wait();
    throw std::runtime_error("no memory is left");
  });
  std::atomic<bool> dropped{false};
  const Tell drop = [&](const std::string&) { dropped = true; };
  CHECK_FALSE(measuring.measure_for({}, drop, [&] { return dropped.load(); }));
  CHECK(measuring.wait_for_quiet([&](const std::string&) { go_on.set_value(); }, kNever));
  CHECK_THROWS_WITH(measuring.measure_for(
                        {}, [](const std::string&) {}, kNever),
                    "no memory is left");
}

TEST_CASE("measuring: it is stopped by hand, and by its end") {
  std::atomic<int> stops{0};
  const Measure until_stopped = [&](const Case&, const Tell& tell, const auto& stopped) {
    tell("caches");
    while (!stopped()) nap();
    ++stops;
    throw std::runtime_error("stopped");
  };
  {
    Measuring measuring(until_stopped);
    CHECK_THROWS_WITH(measuring.measure_for(
                          {}, [&](const std::string&) { measuring.stop(); }, kNever),
                      "stopped");
    CHECK(stops == 1);
    std::atomic<bool> dropped{false};
    const Tell drop = [&](const std::string&) { dropped = true; };
    CHECK_FALSE(measuring.measure_for({}, drop, [&] { return dropped.load(); }));
    CHECK(stops == 1);  // a stop ends only the current measurement
  }
  CHECK(stops == 2);
}

}  // namespace
}  // namespace foretrain::serve
