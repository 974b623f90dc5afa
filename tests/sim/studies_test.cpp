// Every study of the library gives the answer in its header.
#include "reports/record/summary.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/resolve/read.h"
#include "tests/support/cases.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::filesystem::path kStudies =
    std::filesystem::path(source_dir()) / "scenarios" / "studies";

// The studies with a test below.
const std::set<std::string> kAnswered{"batch_size",     "checkpoint_interval", "jitter",
                                      "oversubscribed", "ring_or_server",      "server_shards",
                                      "slow_worker"};

std::vector<Summary> answers(const std::string& study) {
  std::vector<Summary> summaries;
  for (const Case& each : read_scenario((kStudies / (study + ".yaml")).string(), {})) {
    const Record record = simulate(each);
    INFO(each.label() << ": " << record.failure);
    REQUIRE(record.outcome == Outcome::done);
    summaries.push_back(summarize(record));
  }
  return summaries;
}

double rate(const Summary& summary) { return summary.gradients_per_s.value(); }
double step_s(const Summary& summary) { return summary.step_time_s_median.value(); }

TEST_CASE("studies: each has a question with an expected answer that a test holds it to") {
  std::set<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(kStudies)) {
    if (entry.path().extension() != ".yaml") continue;
    found.insert(entry.path().stem().string());
    CAPTURE(entry.path());
    const auto cases = read_scenario(entry.path().string(), {});
    CHECK(!cases.front().scenario.question.empty());
    CHECK(read_text(entry.path().string()).find("# Expected: ") != std::string::npos);
  }
  CHECK(found == kAnswered);
}

TEST_CASE("studies: a slow worker holds back sync and ssp but not async or a backup") {
  const auto s = answers("slow_worker");
  REQUIRE(s.size() == 4);
  const double alone = 1 / 0.02;                     // gradients/s of a worker that always computes
  CHECK(rate(s[0]) == Approx(alone).epsilon(0.02));  // sync: 4 at a quarter of the speed
  CHECK(rate(s[1]) == Approx(3.25 * alone).epsilon(0.02));  // async
  CHECK(rate(s[2]) == Approx(alone).epsilon(0.02));         // ssp
  CHECK(rate(s[3]) == Approx(3 * alone).epsilon(0.02));     // a backup worker
  CHECK(s[3].staleness_mean.value() == 0);
}

TEST_CASE("studies: one server feeds four workers and a second one nearly doubles what many get") {
  const auto s = answers("server_shards");
  REQUIRE(s.size() == 10);
  const double port = 1.25e9 / (13.1e6 * 1514 / 1448);
  CHECK(rate(s[2]) > 3.3 * rate(s[0]));
  CHECK(rate(s[4]) < 1.1 * rate(s[3]));
  CHECK(rate(s[4]) < port);
  CHECK(rate(s[8]) == Approx(rate(s[3]) * 5 / 3).epsilon(0.05));
  CHECK(rate(s[9]) == Approx(rate(s[4]) * 7 / 4).epsilon(0.05));
}

TEST_CASE("studies: a ring bears oversubscription until its one connection fills an uplink") {
  const auto s = answers("oversubscribed");
  REQUIRE(s.size() == 6);
  const double ring = 2 * 15.0 / 16 * 4 * 3'274'634 * 1514 / 1448 / 1.25e9;
  CHECK(step_s(s[1]) == Approx(step_s(s[0])).epsilon(0.001));
  // Only nearly: the order of buckets depends on when they are handed over.
  CHECK(step_s(s[2]) - step_s(s[0]) == Approx(3 * ring).epsilon(0.05));
  CHECK(step_s(s[4]) > 1.2 * step_s(s[3]));
  CHECK(step_s(s[5]) > 2 * step_s(s[2]));
}

TEST_CASE("studies: neither the smallest batch nor the largest reaches the accuracy first") {
  const auto s = answers("batch_size");
  REQUIRE(s.size() == 5);
  std::vector<double> times;
  for (const Summary& each : s) times.push_back(each.time_to_target_s.value_or(1e9));
  const auto best = std::ranges::min_element(times) - times.begin();
  CAPTURE(times);
  CHECK(best > 0);
  CHECK(best < 4);
  CHECK(times.front() > 1.2 * times[static_cast<std::size_t>(best)]);
  CHECK(times.back() > 1.5 * times[static_cast<std::size_t>(best)]);
}

TEST_CASE("studies: states are kept best at the interval of Young") {
  const auto s = answers("checkpoint_interval");
  REQUIRE(s.size() == 5);
  const double compute_s = 43'200 * 60.0;
  const std::vector<double> intervals_s{60, 180, 360, 720, 1920};
  for (std::size_t i = 0; i < s.size(); ++i) {
    // Daly 2006: a failure per hour, 20 s per checkpoint, 60 s until it continues.
    const double m_s = 3600;
    const double expected =
        m_s * std::exp(60 / m_s) * (std::exp((intervals_s[i] + 20) / m_s) - 1) / intervals_s[i];
    CAPTURE(intervals_s[i]);
    CHECK(s[i].time_s / compute_s == Approx(expected).epsilon(0.02));
  }
  for (const std::size_t other : {0U, 1U, 3U, 4U}) CHECK(s[2].time_s < s[other].time_s);
}

TEST_CASE("studies: async gains where speed varies and nothing where it does not") {
  const auto s = answers("jitter");
  REQUIRE(s.size() == 4);
  CHECK(rate(s[2]) == Approx(rate(s[0])).epsilon(0.01));
  CHECK(rate(s[3]) == Approx(1.85 * rate(s[1])).epsilon(0.1));
  CHECK(s[2].staleness_mean.value() == Approx(7).epsilon(0.01));
  CHECK(s[3].staleness_mean.value() == Approx(7).epsilon(0.01));
}

TEST_CASE("studies: a ring beats one server from two workers on and hardly grows") {
  const auto s = answers("ring_or_server");
  REQUIRE(s.size() == 10);
  for (std::size_t i = 0; i < 5; ++i) CHECK(step_s(s[5 + i]) < step_s(s[i]));
  CHECK(step_s(s[4]) == Approx(32 * 0.012).epsilon(0.05));
  CHECK(step_s(s[9]) < 0.05);
}

}  // namespace
}  // namespace foretrain::testing
