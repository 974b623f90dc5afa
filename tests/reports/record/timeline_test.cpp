// Timelines: nested slices, correct phases, limited size.
#include "reports/record/timeline.h"

#include "tests/reports/support.h"
#include "tests/support/timeline_checks.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace foretrain {
namespace {

using namespace testing;
using namespace literals;

/// Slices as `name start-end` in milliseconds.
std::string text_of(const std::vector<TimelineSlice>& slices) {
  std::string text;
  for (const TimelineSlice& s : slices) {
    text += fmt::format("{} {}-{}, ", s.name, s.start / 1'000'000, s.end / 1'000'000);
  }
  return text;
}

Record many_steps(std::int64_t steps) {
  Record record = small_record(Mode::simulate, "sync");
  const StepRow usual = record.steps.back();
  record.steps.clear();
  record.evals.clear();
  for (std::int64_t step = 0; step < steps; ++step) {
    record.steps.push_back(usual);
    record.steps.back().report.step = {step};
    record.steps.back().report.start = Instant{} + 50_ms * step;
  }
  return record;
}

}  // namespace

TEST_CASE("timeline: a step holds its phases, one after the other") {
  auto slices = check_timeline(timeline_json(small_record(Mode::run, "sync")));
  CHECK(text_of(slices[1]) ==
        "step 0 0-15, compute 0-4, push 4-5, wait 5-7, apply 7-8, pull 8-10, evaluate 10-15, "
        "step 1 15-45, compute 15-27, push 27-30, wait 30-36, apply 36-39, pull 39-45, "
        "final evaluation 100-120, ");
  CHECK(text_of(slices[2]) ==
        "step 0 0-20, compute 0-8, push 8-10, wait 10-14, apply 14-16, pull 16-20, "
        "step 1 20-70, compute 20-40, push 40-45, wait 45-55, apply 55-60, pull 60-70, ");
}

TEST_CASE("timeline: it says where it comes from, what each node used") {
  const auto json = nlohmann::json::parse(timeline_json(small_record(Mode::simulate, "async")));
  CHECK(json.at("otherData").at("mode") == "simulate");
  CHECK(json.at("otherData").at("case") == "async");
  std::vector<std::string> names;
  for (const auto& event : json.at("traceEvents")) {
    if (event.at("name") == "process_name") names.push_back(event.at("args").at("name"));
    if (event.at("name") == "CPU [%]" && event.at("pid") == 1) {
      CHECK(event.at("ts") == 0);
      CHECK(event.at("args").at("user") == 80);
      CHECK(event.at("args").at("system") == 20);
    }
    if (event.at("name") == "memory [MB]") CHECK(event.at("args").at("resident") == 0.9);
  }
  CHECK(names == std::vector<std::string>{"worker0 on localhost", "worker1 on localhost",
                                          "server0 on localhost"});
}

TEST_CASE("timeline: names from outside leave it JSON") {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    INFO("random_record(" << seed << ")");
    CHECK_NOTHROW(nlohmann::json::parse(timeline_json(random_record(seed))));
  }
  Record empty = small_record(Mode::run, "sync");
  empty.nodes.clear();
  CHECK_NOTHROW(nlohmann::json::parse(timeline_json(empty)));
}

TEST_CASE("timeline: of many steps the longest is drawn, the others are told together") {
  Record record = many_steps(100'000);
  record.steps[77'777].report.phases.wait += 7_s;
  for (std::size_t i = 77'778; i < record.steps.size(); ++i) {
    record.steps[i].report.start = record.steps[i].report.start + 7_s;
  }
  const std::string text = timeline_json(record);
  CHECK(text.size() < 12'000'000);
  const auto slices = check_timeline(text)[2];
  const auto longest = std::ranges::find(slices, "step 77777", &TimelineSlice::name);
  REQUIRE(longest != slices.end());
  CHECK(longest->end - longest->start == 7'050'000'000);
  // Merged or not, the slices have the record's phase times in all.
  std::int64_t compute = 0;
  for (const TimelineSlice& s : slices) compute += s.name == "compute" ? s.end - s.start : 0;
  CHECK(compute == 100'000 * 20'000'000LL);
  CHECK(slices.back().end == 100'000 * 50'000'000LL + 7'000'000'000);
}

TEST_CASE("timeline: as many steps as are drawn one by one are all drawn") {
  const auto slices = check_timeline(timeline_json(many_steps(kMostStepsDrawn)))[2];
  const auto steps = std::ranges::count_if(
      slices, [](const TimelineSlice& s) { return s.name.starts_with("step "); });
  CHECK(steps == static_cast<std::ptrdiff_t>(kMostStepsDrawn));
}

}  // namespace foretrain
