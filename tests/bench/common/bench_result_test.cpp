// Results of benchmarks: medians, ratios, JSON, lines, the table, goals.
#include "tests/bench/common/bench_result.h"

#include "tests/bench/common/bench_goals.h"
#include "tests/bench/common/bench_report.h"

#include <catch2/catch.hpp>

#include <set>

namespace foretrain::bench {
namespace {

Result star_beside_peer(double ours, double theirs) {
  Result row = result_of("sim/star/sync/64", "messages/s", Better::more, {ours});
  set_peer(row, "SimGrid", {theirs});
  return row;
}

TEST_CASE("bench: a result is the median of its rounds with their spread") {
  const Result row = result_of("models/softmax/64", "ms", Better::less, {4, 1, 2, 3, 5});
  CHECK(row.figure == 3);
  CHECK(row.rounds == 5);
  CHECK(row.spread.value() == Approx(1.0 / 3));  // quartiles 2, 4
  CHECK_FALSE(result_of("one", "ms", Better::less, {7}).spread);
  CHECK_FALSE(ratio_of(row));
}

TEST_CASE("bench: a ratio says how many times better ours is") {
  Result time = result_of("models/softmax/64", "ms", Better::less, {2});
  set_peer(time, "PyTorch", {5, 6, 7});
  CHECK(ratio_of(time).value() == 3);
  CHECK(ratio_of(star_beside_peer(600, 200)).value() == 3);
  set_peer(time, "nobody", {});
  CHECK(time.peer == "PyTorch");
}

TEST_CASE("bench: results are the same again from their JSON") {
  Results results;
  results.program = {
      "0.1.0 (abc, wire 2)", "2026-11-26T06:00:00Z", "host", {"bench", "sim"}, "a processor"};
  results.kernel_set = "avx2";
  results.remarks = {"peer: PyTorch 1.13.1, BLAS /usr/lib/openblas"};
  results.rows = {star_beside_peer(600, 200),
                  result_of("models/softmax/64", "ms", Better::less, {0.1, 0.2, 0.4})};
  results.rows[1].note = "12.3 GFLOP/s";
  const Results again = results_of(to_json(results), "a.json");
  CHECK(again.program == results.program);
  CHECK(again.kernel_set == "avx2");
  CHECK(again.remarks == results.remarks);
  CHECK(again.rows == results.rows);
}

TEST_CASE("bench: text that holds no results is refused by name") {
  CHECK_THROWS_WITH(results_of("{", "a.json"),
                    Catch::StartsWith("a.json: not what --json writes: "));
  CHECK_THROWS_WITH(results_of("{\"rows\": []}", "a.json"), Catch::Contains("foretrain_bench"));
  CHECK_THROWS_WITH(results_of("{\"foretrain_bench\": 9}", "a.json"),
                    Catch::Contains("another format"));
  CHECK_THROWS_WITH(read_results("none/such.json"), "none/such.json: cannot be read");
}

TEST_CASE("bench: a line has figure, peer, ratio, goal") {
  const std::string line = line_of(star_beside_peer(12'000, 1'000));
  CHECK_THAT(line, Catch::StartsWith("sim/star/sync/64 ") && Catch::Contains("12000 messages/s") &&
                       Catch::Contains("SimGrid 1000.0, ratio 12.00") &&
                       Catch::EndsWith("(goal 25)"));
}

TEST_CASE("bench: the table marks the goal that is missed, no other") {
  const std::vector<Result> rows{
      star_beside_peer(12'000, 1'000),
      result_of("sim/large/softmax/10000", "s", Better::less, {1.5}),
      result_of("models/softmax/64", "ms", Better::less, {0.1}),
      result_of("sim/star/async/2048", "messages/s", Better::more, {1.1e6}),
      result_of("without/goal", "s", Better::less, {1}),
  };
  const std::string table = table_of(rows);
  const auto row = [&](const std::string& name) {
    const auto at = table.find("\n" + name + " ") + 1;
    return table.substr(at, table.find('\n', at) - at);
  };
  CHECK_THAT(row("sim/star/sync/64"), Catch::EndsWith(" 12.00  25  MISSED"));
  CHECK_THAT(row("sim/large/softmax/10000"), Catch::EndsWith(" -  2 s"));
  CHECK_THAT(row("models/softmax/64"), Catch::EndsWith(" -       -  6"));
  CHECK_THAT(row("sim/star/async/2048"), Catch::EndsWith("  MISSED"));
  CHECK_THAT(row("without/goal"), Catch::EndsWith(" -"));
  CHECK_THAT(table, Catch::Contains("\n1 of 3 goals reached; no row for models/softmax/128, "));
}

TEST_CASE("bench: each row has one goal at most") {
  std::set<std::string_view> names;
  for (const Goal& goal : goals()) CHECK(names.insert(goal.row).second);
  REQUIRE(goal_of("exec/ddp/lenet/2") != nullptr);
  CHECK(goal_of("exec/ddp/lenet/2")->figure == 4);
  CHECK(goal_of("none") == nullptr);
}

}  // namespace
}  // namespace foretrain::bench
