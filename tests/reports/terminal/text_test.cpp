// Text for a terminal: widths in characters, figures with few digits.
#include "reports/terminal/text.h"

#include "reports/terminal/summary_table.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <limits>

namespace foretrain {

using namespace testing;

TEST_CASE("terminal text: characters count, not bytes") {
  CHECK(columns_of("± 1 %") == 5);
  CHECK(left("±", 3) == "±  ");
  CHECK(right("±", 3) == "  ±");
  CHECK(left("äöüäöü", 5) == "äö...");
}

TEST_CASE("terminal text: lines break at spaces, overlong words anywhere") {
  CHECK(wrap("one two") == "one two\n");
  const std::string half(50, 'a');
  CHECK(wrap(half + " " + half) == half + "\n" + half + "\n");
  CHECK(wrap(std::string(100, 'b')) == std::string(80, 'b') + "\n" + std::string(20, 'b') + "\n");
  CHECK(wrap("").empty());
}

TEST_CASE("terminal text: figures have four digits, unknown ones a dash") {
  CHECK(figure(0.123456) == "0.1235");
  CHECK(figure(999.94) == "999.9");
  CHECK(figure(1234.6) == "1,235");
  CHECK(figure(12345678) == "12,345,678");
  CHECK(figure(-12345.6) == "-12,346");
  CHECK(figure(std::nullopt) == "-");
  CHECK(figure(std::numeric_limits<double>::quiet_NaN()) == "-");
  CHECK(grouped(-123) == "-123");
  CHECK(grouped(1000) == "1,000");
}

TEST_CASE("terminal text: percentages carry their sign, zero is positive") {
  CHECK(signed_percent(-0.031) == "-3.1 %");
  CHECK(signed_percent(0.5) == "+50.0 %");
  CHECK(signed_percent(-0.0001) == "+0.0 %");
  CHECK(signed_percent(std::nullopt) == "-");
}

TEST_CASE("summary table: the sentence tells what came out") {
  const std::string table = summary_table(small_record(Mode::simulate, "sync"));
  INFO(table);
  CHECK(table.substr(0, table.find('\n')) ==
        "sync simulated: 4 gradients in 0.1 s, 40 a second; test accuracy 0.8750.");
  CHECK_THAT(table, Catch::Contains("25 ms, the median of 4 steps"));
  CHECK_THAT(table, Catch::Contains("server0"));
}

TEST_CASE("summary table: a failure is said first, with its reason") {
  Record record = small_record(Mode::run, "sync");
  record.outcome = Outcome::failed;
  record.failure = "worker1 was lost";
  CHECK_THAT(summary_table(record),
             Catch::StartsWith("sync run failed after 4 steps: worker1 was lost\n"));
}

TEST_CASE("summary table: no line is wider than a terminal") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    INFO("random_record(" << seed << ")");
    Record record = random_record(seed);
    record.failure += std::string(150, 'x');
    record.nodes.front().host = std::string(150, 'h');
    const std::string table = summary_table(record);
    INFO(table);
    for (std::size_t at = 0; at < table.size(); at = table.find('\n', at) + 1) {
      const std::size_t end = table.find('\n', at);
      REQUIRE(end != std::string::npos);
      REQUIRE(columns_of(table.substr(at, end - at)) <= kTerminalColumns);
    }
  }
}

}  // namespace foretrain
