// The logistic loss against a plain twin, its gradient against finite differences.
#include "models/base/random.h"
#include "models/losses/losses.h"
#include "tests/support/twin.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>
#include <vector>

using namespace foretrain;
using namespace foretrain::testing;

namespace {

struct BinaryLogits {
  std::vector<float> numbers;
  std::vector<std::int32_t> labels;

  [[nodiscard]] std::int64_t batch() const { return static_cast<std::int64_t>(numbers.size()); }
};

BinaryLogits draw(std::int64_t batch, double scale, std::uint64_t seed) {
  Stream stream(seed, "test.logits");
  BinaryLogits logits;
  for (std::int64_t i = 0; i < batch; ++i) {
    logits.numbers.push_back(static_cast<float>(scale * stream.normal()));
    logits.labels.push_back(static_cast<std::int32_t>(stream.below(2)));
  }
  return logits;
}

}  // namespace

TEST_CASE("logistic: the loss is the double twin's", "[losses]") {
  for (const std::int64_t batch : {1, 7, 8, 3000}) {
    for (const double scale : {0.01, 2.0, 100.0}) {
      const BinaryLogits z = draw(batch, scale, 91);
      const std::vector<double> doubles(z.numbers.begin(), z.numbers.end());
      CAPTURE(batch, scale);
      CHECK(logistic_loss(z.numbers.data(), batch, z.labels).sum ==
            Approx(twin_logistic(doubles, z.labels)).epsilon(1e-6));
    }
  }
}

TEST_CASE("logistic: the gradient agrees with differences of the double twin", "[losses]") {
  const BinaryLogits z = draw(37, 3, 92);
  std::vector<float> gradient = z.numbers;
  logistic(gradient.data(), z.batch(), z.labels);
  std::vector<double> doubles(z.numbers.begin(), z.numbers.end());
  for (std::size_t i = 0; i < doubles.size(); ++i) {
    const double at = doubles[i];
    doubles[i] = at + 1e-5;
    const double up = twin_logistic(doubles, z.labels);
    doubles[i] = at - 1e-5;
    const double down = twin_logistic(doubles, z.labels);
    doubles[i] = at;
    const double expected = (up - down) / 2e-5 / static_cast<double>(z.batch());
    CAPTURE(i);
    CHECK(static_cast<double>(gradient[i]) == Approx(expected).epsilon(1e-5).margin(1e-7));
  }
}

TEST_CASE("logistic: the loss alone is the same bits at any offset in memory", "[losses]") {
  const BinaryLogits z = draw(61, 3, 93);
  std::vector<float> gradient = z.numbers;
  const BatchLoss expected = logistic(gradient.data(), z.batch(), z.labels);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    std::vector<float> moved(offset, 0.0F);
    moved.insert(moved.end(), z.numbers.begin(), z.numbers.end());
    float* at = moved.data() + offset;
    CHECK(logistic_loss(at, z.batch(), z.labels).sum == expected.sum);
    CHECK(logistic(at, z.batch(), z.labels).sum == expected.sum);
    CHECK((std::vector<float>(at, at + gradient.size()) == gradient));
  }
}

// Batch sizes are powers of two, whose scaling only changes exponents.
TEST_CASE("logistic: a slice of a batch is the same bits as the whole", "[losses]") {
  const BinaryLogits z = draw(64, 3, 94);
  std::vector<float> whole = z.numbers;
  logistic(whole.data(), 64, z.labels);
  for (const std::int64_t batch : {1, 4, 16, 32}) {
    for (std::int64_t first = 0; first + batch <= 64; first += 5) {
      std::vector<float> part(z.numbers.begin() + first, z.numbers.begin() + first + batch);
      logistic(part.data(), batch,
               std::span(z.labels).subspan(static_cast<std::size_t>(first),
                                           static_cast<std::size_t>(batch)));
      for (float& x : part) x *= static_cast<float>(batch) / 64;
      CAPTURE(batch, first);
      REQUIRE(std::equal(part.begin(), part.end(), whole.begin() + first));
    }
  }
}

TEST_CASE("logistic: far from zero nothing overflows, nothing cancels", "[losses]") {
  std::vector<float> z{50, -50, 50, -50, 1e30F, -1e30F};
  const std::vector<std::int32_t> labels{1, 0, 0, 1, 1, 0};
  const BatchLoss loss = logistic(z.data(), 6, labels);
  CHECK(loss.sum == Approx(100));
  CHECK(loss.correct == 4);
  CHECK(static_cast<double>(z[0]) == Approx(-std::exp(-50.0) / 6));
  CHECK(static_cast<double>(z[1]) == Approx(std::exp(-50.0) / 6));
  CHECK(static_cast<double>(z[2]) == Approx(1.0 / 6));
  CHECK(static_cast<double>(z[3]) == Approx(-1.0 / 6));
  // exp(-1e30): 0, or the smallest value of the vectorized exp
  CHECK(std::abs(z[4]) < 1e-37F);
  CHECK(std::abs(z[5]) < 1e-37F);
}

TEST_CASE("logistic: at zero class 0 is the likelier", "[losses]") {
  const std::vector<float> z{0, 0};
  const std::vector<std::int32_t> labels{0, 1};
  CHECK(logistic_loss(z.data(), 2, labels).correct == 1);
  CHECK(logistic_loss(z.data(), 2, labels).sum == Approx(2 * std::log(2.0)));
}

TEST_CASE("logistic: NaN among the logits makes the loss NaN", "[losses]") {
  for (std::size_t at = 0; at < 9; ++at) {
    std::vector<float> z(9, 1.0F);
    z[at] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<std::int32_t> labels(9, 1);
    CHECK(std::isnan(logistic_loss(z.data(), 9, labels).sum));
  }
}
