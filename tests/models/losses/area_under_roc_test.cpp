// The area under the ROC curve, compared with a count of all pairs.
#include "models/base/random.h"
#include "models/losses/losses.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace foretrain;

namespace {

/// Compares each example of class 1 with each of class 0.
double by_pairs(const std::vector<float>& scores, const std::vector<std::int32_t>& labels) {
  double won = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (std::size_t j = 0; j < scores.size(); ++j) {
      if (labels[i] != 1 || labels[j] != 0) continue;
      pairs += 1;
      won += scores[i] > scores[j] ? 1 : scores[i] == scores[j] ? 0.5 : 0;
    }
  }
  return won / pairs;
}

}  // namespace

TEST_CASE("area under roc: the share of pairs in the right order", "[losses]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    CAPTURE(seed);
    Stream stream(seed, "test.scores");
    std::vector<float> scores;
    std::vector<std::int32_t> labels;
    const std::uint64_t levels = 1 + stream.below(50);  // few levels give many ties
    const std::uint64_t examples = 2 + stream.below(100);
    for (std::uint64_t i = 0; i < examples; ++i) {
      scores.push_back(static_cast<float>(stream.below(levels)) - 10);
      labels.push_back(static_cast<std::int32_t>(stream.below(2)));
    }
    labels[0] = 0;
    labels[1] = 1;
    CHECK(area_under_roc(scores, labels) == Approx(by_pairs(scores, labels)).epsilon(1e-12));
  }
}

TEST_CASE("area under roc: 1 where all are in order, 0 in reverse, a half for equals", "[losses]") {
  const std::vector<std::int32_t> labels{0, 0, 1, 1, 1};
  CHECK(area_under_roc(std::vector<float>{1, 2, 3, 4, 5}, labels) == 1);
  CHECK(area_under_roc(std::vector<float>{5, 4, 3, 2, 1}, labels) == 0);
  CHECK(area_under_roc(std::vector<float>{7, 7, 7, 7, 7}, labels) == 0.5);
}

TEST_CASE("area under roc: NaN without both classes or with a NaN among the scores", "[losses]") {
  const std::vector<float> scores{1, 2};
  CHECK(std::isnan(area_under_roc(scores, std::vector<std::int32_t>{1, 1})));
  CHECK(std::isnan(area_under_roc(scores, std::vector<std::int32_t>{0, 0})));
  CHECK(std::isnan(area_under_roc({}, {})));
  const std::vector<float> bad{1, std::numeric_limits<float>::quiet_NaN()};
  CHECK(std::isnan(area_under_roc(bad, std::vector<std::int32_t>{0, 1})));
}
