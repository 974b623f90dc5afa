// Agreements of tasks before they connect.
#include "exec/launch/task_start.h"

#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

#include <functional>
#include <string>

namespace foretrain::exec {
namespace {

std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Task task_at(const std::string& address) {
  Task task;
  task.size = 4;
  task.addresses = {address};
  task.port = 4711;
  return task;
}

std::optional<std::string> no_variable(const char* /*name*/) { return {}; }

TEST_CASE("task start: a number of tasks that is wrong is told the right one") {
  const Task task = task_at("127.0.0.1");
  CHECK_NOTHROW(check_size({testing::small_case("sync", 3, 10)}, task));
  const std::string why = refusal([&] { check_size({testing::small_case("sync", 2, 10)}, task); });
  CHECK(mentions(why, "3 nodes (workers: 2, servers: 1), but started were 4 tasks: start 3"));
}

TEST_CASE("task start: a sweep whose cases need different numbers of tasks is refused") {
  const std::vector<Case> cases{testing::small_case("sync", 3, 10),
                                testing::small_case("sync", 2, 10)};
  const std::string why = refusal([&] { check_size(cases, task_at("127.0.0.1")); });
  CHECK(mentions(why, "start 3 for every case of the sweep"));
}

TEST_CASE("task start: off loopback a missing key says how to make one") {
  const Duration soon{1'000'000};
  const auto meeting = meeting_point(task_at("127.0.0.1"), {}, soon);
  CHECK(meeting.address().is_loopback());
  CHECK(meeting.port() == 4711);
  const Task elsewhere = task_at("192.0.2.77");
  const std::string why = refusal([&] { meeting_point(elsewhere, {}, soon); });
  CHECK(mentions(why, "a job key is needed"));
  CHECK(mentions(why, "openssl rand -hex 32 > job.key"));
  const auto there = meeting_point(elsewhere, JobKey("0123456789abcdef"), soon);
  CHECK(there.address().to_string() == "192.0.2.77");
}

TEST_CASE("task start: of several addresses the first counts that is known") {
  Task task = task_at("no-such-host.invalid");
  task.addresses.emplace_back("127.0.0.1");
  CHECK(meeting_point(task, {}, {1'000'000}).address().is_loopback());
  task.addresses.pop_back();
  const std::string why = refusal([&] { meeting_point(task, {}, {1'000'000}); });
  CHECK(mentions(why, "no address is known for no-such-host.invalid"));
  CHECK(mentions(why, "set MASTER_ADDR"));
}

TEST_CASE("task start: a name that is loopback at home is no place to meet for other machines") {
  Task task = task_at("localhost");
  CHECK_NOTHROW(meeting_point(task, {}, {1'000'000}));
  task.elsewhere = true;
  const std::string why = refusal([&] { meeting_point(task, {}, {1'000'000}); });
  CHECK(mentions(why, "which other machines cannot reach: set MASTER_ADDR"));
}

TEST_CASE("task start: how long tasks wait for each other can be said with its unit") {
  const auto with = [](const char* value) {
    return [value](const char* /*name*/) -> std::optional<std::string> { return value; };
  };
  CHECK(!read_join_limit(no_variable));
  CHECK(read_join_limit(with("90 s")) == Duration{90'000'000'000});
  CHECK(mentions(refusal([&] { read_join_limit(with("90")); }), "FORETRAIN_JOIN_LIMIT: "));
}

}  // namespace
}  // namespace foretrain::exec
