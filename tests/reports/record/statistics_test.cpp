// Order statistics of sets small enough for a calculation by hand.
#include "reports/record/statistics.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <vector>

namespace foretrain {

TEST_CASE("statistics: the median of an even count is the mean of the two in the middle") {
  CHECK(median({3, 1, 2}).value() == 2);
  CHECK(median({4, 1, 3, 2}).value() == 2.5);
  CHECK_FALSE(median({}).has_value());
}

TEST_CASE("statistics: quantiles are interpolated between neighbours") {
  CHECK(quantile({10, 20, 30, 40, 50}, 0.25).value() == 20);
  CHECK(quantile({10, 20}, 0.95).value() == Approx(19.5));
  CHECK(quantile({7}, 0.95).value() == 7);
  CHECK(quantile({3, 1, 2}, 1).value() == 3);
  CHECK(quantile({3, 1, 2}, 0).value() == 1);
}

TEST_CASE("statistics: the spread of one value is not known") {
  CHECK_FALSE(relative_spread({5}).has_value());
  CHECK_FALSE(relative_spread({-1, 0, 1}).has_value());
  CHECK(relative_spread({5, 5, 5}).value() == 0);
  CHECK(relative_spread({8, 10, 12}).value() == Approx(0.1));
}

TEST_CASE("statistics: two samples are as far apart as their distribution functions") {
  CHECK(kolmogorov_smirnov({1, 2, 3}, {3, 2, 1}).value() == 0);
  CHECK(kolmogorov_smirnov({1, 2}, {3, 4}).value() == 1);
  CHECK(kolmogorov_smirnov({1, 2, 3, 4}, {3, 4, 5, 6}).value() == 0.5);
  CHECK(kolmogorov_smirnov({0, 0, 0, 1}, {0, 1}).value() == 0.25);  // ties, unequal sizes
  CHECK_FALSE(kolmogorov_smirnov({}, {1}).has_value());
}

TEST_CASE("statistics: Kendall's tau-b counts pairs and makes up for ties") {
  const auto sign = [](double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; };
  const auto tau = [&](const std::vector<double>& a, const std::vector<double>& b) {
    RankAgreement agreement;
    for (std::size_t i = 0; i < a.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) agreement.add(sign(a[i] - a[j]), sign(b[i] - b[j]));
    }
    return agreement.tau();
  };
  CHECK(tau({1, 2, 3}, {10, 20, 30}).value() == Approx(1));
  CHECK(tau({1, 2, 3}, {3, 2, 1}).value() == Approx(-1));
  CHECK(tau({1, 2, 3, 4}, {1, 2, 4, 3}).value() == Approx(4.0 / 6));  // five agree, one does not
  CHECK(tau({1, 1, 2}, {1, 2, 3}).value() == Approx(2 / std::sqrt(2.0 * 3)));
  CHECK_FALSE(tau({1, 1}, {1, 2}).has_value());
  CHECK_FALSE(tau({}, {}).has_value());
  // A relation with ties need not be transitive: the first and the last differ, but neither from
  // the second.
  RankAgreement agreement;
  agreement.add(1, 1);
  agreement.add(0, 1);
  agreement.add(0, 1);
  CHECK(agreement.tau().value() == Approx(1 / std::sqrt(3.0)));
}

}  // namespace foretrain
