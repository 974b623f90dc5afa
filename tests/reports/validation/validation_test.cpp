// The comparison of two modes, both of them made up.
#include "reports/validation/validation.h"

#include "reports/terminal/text.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using namespace testing;

/// A record whose time is `ms` milliseconds, in which every step takes a tenth of that.
Record timed(Mode mode, const Case& scenario_case, std::int64_t ms) {
  Record record = small_record(mode, scenario_case.scenario.training.strategy);
  record.scenario_case = scenario_case;
  record.time = {ms * 1'000'000};
  for (StepRow& row : record.steps) row.report.phases = {{ms * 100'000}, {}, {}, {}, {}, {}};
  return record;
}

/// Runs of a case take these times, one after the other; the simulation takes one.
struct Times {
  std::vector<std::int64_t> runs_ms;
  std::int64_t simulated_ms = 0;
};

/// Validates sync and async, whose gradients are the same number.
Validation validate_times(const Times& sync, const Times& async) {
  std::vector<std::size_t> next(2);
  const auto times = [&](const Case& c) -> const Times& {
    return c.scenario.training.strategy == "sync" ? sync : async;
  };
  const auto run = [&](const Case& c) {
    std::size_t& at = next[c.scenario.training.strategy == "sync" ? 0 : 1];
    return timed(Mode::run, c, times(c).runs_ms.at(at++));
  };
  const auto simulate = [&](const Case& c) {
    return timed(Mode::simulate, c, times(c).simulated_ms);
  };
  return validate({case_of("sync"), case_of("async")}, static_cast<int>(sync.runs_ms.size()), run,
                  simulate);
}

const Comparison& metric(const CaseValidation& c, const std::string& name) {
  const Comparison* found = c.find(name);
  REQUIRE(found != nullptr);
  return *found;
}

std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    REQUIRE(end != std::string::npos);
    widest = std::max(widest, columns_of(std::string_view(text).substr(at, end - at)));
    at = end + 1;
  }
  return widest;
}

}  // namespace

TEST_CASE("validate: runs alternate over the cases, simulations come once each") {
  std::string order;
  const auto note = [&](Mode mode) {
    return [&order, mode](const Case& c) {
      order += (mode == Mode::run ? "run " : "simulate ") + c.scenario.training.strategy + "; ";
      return timed(mode, c, 100);
    };
  };
  (void)validate({case_of("sync"), case_of("async")}, 2, note(Mode::run), note(Mode::simulate));
  CHECK(order == "run sync; run async; run sync; run async; simulate sync; simulate async; ");
}

TEST_CASE("validate: measured is the median, spread half the interquartile range over it") {
  const auto v = validate_times({{140, 100, 90, 200, 110}, 121}, {{50, 50, 50, 50, 50}, 40});
  const Comparison& time = metric(v.cases[0], "time_s");
  CHECK(time.measured == Approx(0.110));
  CHECK(time.spread.value() == Approx((140.0 - 100.0) / 2 / 110));
  CHECK(time.predicted == Approx(0.121));
  CHECK(time.error.value() == Approx(0.1));
  CHECK(time.difference == Approx(0.011));
  CHECK(metric(v.cases[0], "step_time_ms").measured == Approx(11));
  CHECK(metric(v.cases[0], "gradients_per_s").measured == Approx(4 / 0.110));
  CHECK(metric(v.cases[0], "compute_ms").predicted == Approx(12.1));
  CHECK(metric(v.cases[0], "bytes_sent").error.value() == 0);
  CHECK(metric(v.cases[1], "time_s").error.value() == Approx(-0.2));
  CHECK(v.cases[0].run.time == Duration{110'000'000});
}

TEST_CASE("validate: one run has no spread") {
  const auto v = validate_times({{100}, 100}, {{50}, 50});
  CHECK_FALSE(metric(v.cases[0], "time_s").spread.has_value());
}

TEST_CASE("validate: what is not zero against a measured zero has no relative error") {
  const auto run = [](const Case& c) {
    Record record = timed(Mode::run, c, 100);
    for (StepRow& row : record.steps) row.report.staleness = 0;
    return record;
  };
  const auto simulate = [](const Case& c) { return timed(Mode::simulate, c, 100); };
  const auto v = validate({case_of("async")}, 1, run, simulate);
  const Comparison& staleness = metric(v.cases[0], "staleness_mean");
  CHECK_FALSE(staleness.error.has_value());
  CHECK(staleness.difference == Approx(1.25));
  CHECK(metric(v.cases[0], "push_ms").error.value() == 0);  // zero against zero
}

TEST_CASE("validate: what one mode does not know is not compared") {
  const auto run = [](const Case& c) { return timed(Mode::run, c, 100); };
  const auto simulate = [](const Case& c) {
    Record record = timed(Mode::simulate, c, 100);
    record.evals.clear();
    record.weights_sha256.clear();
    return record;
  };
  const auto v = validate({case_of("sync")}, 1, run, simulate);
  CHECK(v.cases[0].find("test_accuracy") == nullptr);
  CHECK_FALSE(v.weights_equal().has_value());
  CHECK(to_json(v)["weights_equal"].is_null());
}

TEST_CASE("validate: weights are compared where the protocol is deterministic") {
  std::string run_weights(64, 'a');
  std::string kernels = "avx2";
  const auto run = [&](const Case& c) {
    Record record = timed(Mode::run, c, 100);
    record.weights_sha256 = run_weights;
    record.kernel_set = kernels;
    return record;
  };
  const auto simulate = [](const Case& c) { return timed(Mode::simulate, c, 100); };
  const auto check = [&] {
    return validate({case_of("sync"), case_of("async")}, 2, run, simulate);
  };
  CHECK(check().cases[0].weights_equal == std::optional(true));
  CHECK_FALSE(check().cases[1].weights_equal.has_value());
  run_weights[63] = 'b';
  CHECK(check().weights_equal() == std::optional(false));
  CHECK_THAT(to_table(check()), Catch::Contains("WEIGHTS OF sync DIFFER"));
  kernels = "avx512";  // other sums, so not comparable
  CHECK_FALSE(check().weights_equal().has_value());
}

TEST_CASE("validate: the order of the cases is lost when the forecast inverts it") {
  CHECK(validate_times({{100}, 90}, {{50}, 80}).order_kept() == std::optional(true));
  CHECK(validate_times({{100}, 80}, {{50}, 90}).order_kept() == std::optional(false));
  CHECK(validate_times({{100}, 80}, {{50}, 80}).order_kept() == std::optional(false));
}

TEST_CASE("validate: cases that their runs do not tell apart have no order") {
  const auto v = validate_times({{80, 100, 120}, 80}, {{70, 99, 120}, 90});
  CHECK_FALSE(v.order_kept().has_value());
}

TEST_CASE("validate: a training that was not done is no measurement") {
  const auto run = [](const Case& c) {
    Record record = timed(Mode::run, c, 100);
    record.outcome = Outcome::failed;
    record.failure = "worker1 was lost";
    return record;
  };
  CHECK_THROWS_WITH(validate({case_of("sync")}, 1, run, run),
                    "the run of sync was not done (failed): worker1 was lost");
}

TEST_CASE("validation table: the sentence that matters comes first") {
  const auto v = validate_times({{100}, 97}, {{50}, 53});
  const std::string table = to_table(v);
  INFO(table);
  CHECK(table.substr(0, table.find("\n\n")) ==
        "Forecast of the step time: sync -3.0 %, async +6.0 %; weights of sync equal bit\n"
        "for bit. The order of the cases by gradients/s is kept.");
}

TEST_CASE("validation table: it fits a terminal, whatever the figures") {
  Case wide = case_of("sync");
  wide.settings.push_back({"dataset.path", std::string(200, 'x')});
  const auto huge = [](const Case& c) {
    Record record = timed(Mode::run, c, 9'000'000'000'000);
    record.nodes[0].tx = {9'000'000'000'000'000'000};
    record.evals.back().loss = 1.234567e300;
    return record;
  };
  const auto tiny = [](const Case& c) {
    Record record = timed(Mode::simulate, c, 1);
    record.evals.back().loss = 1.2345e-300;
    return record;
  };
  const std::string table = to_table(validate({wide, case_of("async")}, 1, huge, tiny));
  INFO(table);
  CHECK(widest_line(table) <= 80);
  CHECK(widest_line(to_table(validate_times({{100}, 97}, {{50}, 53}))) <= 80);
}

TEST_CASE("validation as JSON: one object a case and metric, errors by strategy") {
  const auto json = to_json(validate_times({{100}, 90}, {{50}, 60}));
  CHECK(json["repetitions"] == 1);
  const auto& first = json["cases"][0];
  CHECK(first["settings"]["training.strategy"] == "sync");
  CHECK(first["metric"] == "step_time_ms");
  CHECK(first["measured"].get<double>() == Approx(10));
  CHECK(first["predicted"].get<double>() == Approx(9));
  CHECK(first["error"].get<double>() == Approx(-0.1));
  CHECK(first["spread"].is_null());
  CHECK(json["strategies"]["sync"]["time_error_median"].get<double>() == Approx(0.1));
  CHECK(json["strategies"]["async"]["time_error_p95"].get<double>() == Approx(0.2));
  CHECK(json["strategies"]["async"]["time_error_max"].get<double>() == Approx(0.2));
  CHECK(json["weights_equal"] == true);
  CHECK(json["order_kept"] == true);
}

TEST_CASE("validation as JSON: errors of a strategy are over its cases, without signs") {
  std::int64_t predicted_ms = 0;
  const auto run = [](const Case& c) { return timed(Mode::run, c, 100); };
  const auto simulate = [&](const Case& c) {
    return timed(Mode::simulate, c, 80 + 10 * predicted_ms++);  // 80, 90, 100
  };
  const auto v = validate({case_of("sync"), case_of("sync"), case_of("sync")}, 1, run, simulate);
  const ErrorRange range = v.errors("time_s").at("sync");
  CHECK(range.median == Approx(0.1));
  CHECK(range.p95 == Approx(0.19));
  CHECK(range.max == Approx(0.2));
  CHECK_THAT(to_table(v), Catch::Contains("sync -20.0 % to +0.0 % (3 cases)"));
}

}  // namespace foretrain
