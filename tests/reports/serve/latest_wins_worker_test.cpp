// The latest-wins worker: one question at a time, the newest.
#include "reports/serve/latest_wins_worker.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::serve {
namespace {

TEST_CASE("asker: a newer question drops the one under way, and those that wait") {
  LatestWinsWorker asker;
  std::promise<void> begun;
  std::promise<std::vector<std::string>> all;
  std::vector<std::string> response;  // on the worker's thread only
  asker.ask([&](const LatestWinsWorker::Dropped& dropped) {
    response.push_back(dropped() ? "1 dropped" : "1 begun");
    begun.set_value();
    while (!dropped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    response.emplace_back("1 dropped");
  });
  begun.get_future().wait();
  // Both arrive before the first one notices: the second never begins.
  asker.ask([&](const LatestWinsWorker::Dropped& dropped) {
    response.push_back(dropped() ? "2 dropped" : "2");
  });
  asker.ask([&](const LatestWinsWorker::Dropped& dropped) {
    response.push_back(dropped() ? "3 dropped" : "3");
    all.set_value(response);
  });
  const auto order = all.get_future().get();
  REQUIRE(order.size() == 4);
  CHECK(order[0] == "1 begun");
  CHECK(order[1] == "1 dropped");
  CHECK(order[3] == "3");
}

TEST_CASE("asker: whoever leaves waits for what is under way, and takes no more questions") {
  LatestWinsWorker asker;
  std::atomic<bool> ended{false};
  std::promise<void> begun;
  asker.ask([&](const LatestWinsWorker::Dropped& dropped) {
    begun.set_value();
    while (!dropped()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ended = true;
  });
  begun.get_future().wait();
  asker.leave();
  CHECK(ended);
  bool dropped_at_once = false;
  asker.ask([&](const LatestWinsWorker::Dropped& dropped) { dropped_at_once = dropped(); });
  CHECK(dropped_at_once);
}

}  // namespace
}  // namespace foretrain::serve
