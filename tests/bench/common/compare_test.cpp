// Comparison of two builds: medians, ratios, spreads, rows that differ.
#include "tests/bench/common/compare.h"

#include <catch2/catch.hpp>

#include <utility>

namespace foretrain::bench {
namespace {

/// Results of a call: one row with a time, one with a rate.
Results made_up(const std::string& build, double ms, double rate) {
  Results results;
  results.program.build = build;
  results.rows = {result_of("time", "ms", Better::less, {ms}),
                  result_of("rate", "messages/s", Better::more, {rate})};
  return results_of(to_json(results), "made-up");
}

std::vector<Results> three_rounds() {
  return {made_up("one", 10, 100), made_up("two", 5, 110),  made_up("one", 12, 120),
          made_up("two", 5, 108),  made_up("one", 11, 110), made_up("two", 5.5, 115.5)};
}

TEST_CASE("bench compare: medians, their ratio, half the range of the rounds") {
  const Comparison found = compare(three_rounds());
  CHECK(found.rounds == 3);
  CHECK(found.a == "one");
  CHECK(found.b == "two");
  REQUIRE(found.rows.size() == 2);
  const Compared& time = found.rows[0];
  CHECK(time.a == 11);
  CHECK(time.b == 5);
  CHECK(time.ratio == Approx(2.2));
  CHECK(time.spread == Approx(0.2));  // rounds: 2, 2.4, 2
  CHECK(time.differs());
  const Compared& rate = found.rows[1];
  CHECK(rate.ratio == Approx(1));
  CHECK(rate.spread == Approx(0.1));  // rounds: 1.1, 0.9, 1.05
  CHECK_FALSE(rate.differs());
}

TEST_CASE("bench compare: the text says which rows differ, which way") {
  const std::string text = text_of(compare(three_rounds()));
  CHECK_THAT(text, Catch::Contains("A: one\nB: two\n3 rounds") &&
                       Catch::Contains("2.200  +- 0.200  better\n") &&
                       Catch::EndsWith("by more than its spread differs: time\n"));
  auto turned = three_rounds();
  for (std::size_t i = 0; i < turned.size(); i += 2) std::swap(turned[i], turned[i + 1]);
  CHECK_THAT(text_of(compare(turned)), Catch::Contains("  worse\n"));
}

TEST_CASE("bench compare: a row that one file lacks is named, not compared") {
  auto files = three_rounds();
  files[3].rows.pop_back();
  const Comparison found = compare(files);
  CHECK(found.rows.size() == 1);
  CHECK(found.left_out == std::vector<std::string>{"rate"});
  CHECK_THAT(text_of(found), Catch::EndsWith("not in every file: rate\n"));
}

TEST_CASE("bench compare: equal rounds differ in nothing") {
  std::vector<Results> files;
  for (int i = 0; i < 6; ++i) files.push_back(made_up("one", 10, 100));
  CHECK_THAT(text_of(compare(files)), Catch::EndsWith("no row differs by more than its spread\n"));
}

TEST_CASE("bench compare: what cannot be compared is refused") {
  auto files = three_rounds();
  CHECK_THROWS_WITH(compare({files.begin(), files.begin() + 4}),
                    "4 files: compare takes those of A and B in turn, 3 of each at least");
  CHECK_THROWS_WITH(compare({files.begin(), files.begin() + 5}), Catch::StartsWith("5 files: "));
  files[2].program.build = "three";
  CHECK_THROWS_WITH(compare(files), "file 3 is of three, which should be of one");
  files = three_rounds();
  files[1].rows[0].unit = "s";
  CHECK_THROWS_WITH(compare(files), "time: in ms here, in s there");
  files = three_rounds();
  files[4].rows[1].figure = 0;
  CHECK_THROWS_WITH(compare(files), "rate: 0 messages/s, which is not above zero");
}

}  // namespace
}  // namespace foretrain::bench
