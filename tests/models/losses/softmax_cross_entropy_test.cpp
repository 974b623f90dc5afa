// The softmax cross-entropy against a plain twin, its gradient against finite differences.
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

struct Logits {
  std::int64_t batch;
  int classes;
  std::vector<float> numbers;
  std::vector<std::int32_t> labels;

  [[nodiscard]] std::vector<double> doubles() const { return {numbers.begin(), numbers.end()}; }
};

Logits draw(std::int64_t batch, int classes, double scale, std::uint64_t seed) {
  Stream stream(seed, "test.logits");
  Logits logits{batch, classes, {}, {}};
  for (std::int64_t i = 0; i < batch * classes; ++i) {
    logits.numbers.push_back(static_cast<float>(scale * stream.normal()));
  }
  for (std::int64_t i = 0; i < batch; ++i) {
    logits.labels.push_back(
        static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(classes))));
  }
  return logits;
}

const int kClasses[] = {1, 2, 3, 7, 10, 16, 32, 33, 100, 1000, 1001, 3000};

}  // namespace

TEST_CASE("softmax_cross_entropy: the loss is the double twin's", "[losses]") {
  for (const int classes : kClasses) {
    for (const std::int64_t batch : {1, 5, 150}) {
      for (const double scale : {0.1, 3.0, 60.0}) {
        const Logits z = draw(batch, classes, scale, 81);
        CAPTURE(classes, batch, scale);
        const BatchLoss loss =
            softmax_cross_entropy_loss(z.numbers.data(), batch, classes, z.labels);
        const double expected = twin_softmax_cross_entropy(z.doubles(), batch, z.labels);
        REQUIRE(loss.sum == Approx(expected).epsilon(2e-6).margin(1e-6));
      }
    }
  }
}

TEST_CASE("softmax_cross_entropy: the gradient agrees with differences of the double twin",
          "[losses]") {
  const std::int64_t batch = 4;
  for (const int classes : kClasses) {
    const Logits z = draw(batch, classes, 2, 82);
    std::vector<float> gradient = z.numbers;
    softmax_cross_entropy(gradient.data(), batch, classes, z.labels);
    std::vector<double> doubles = z.doubles();
    const auto step = static_cast<std::size_t>(std::max(classes / 10, 1));
    for (std::size_t i = 0; i < doubles.size(); i += step) {
      const double at = doubles[i];
      doubles[i] = at + 1e-5;
      const double up = twin_softmax_cross_entropy(doubles, batch, z.labels);
      doubles[i] = at - 1e-5;
      const double down = twin_softmax_cross_entropy(doubles, batch, z.labels);
      doubles[i] = at;
      const double expected = (up - down) / 2e-5 / static_cast<double>(batch);
      CAPTURE(classes, i);
      REQUIRE(static_cast<double>(gradient[i]) == Approx(expected).epsilon(1e-5).margin(1e-7));
    }
  }
}

TEST_CASE("softmax_cross_entropy: the loss alone is the same bits at any offset in memory",
          "[losses]") {
  for (const int classes : kClasses) {
    const std::int64_t batch = 70;
    const Logits z = draw(batch, classes, 3, 83);
    std::vector<float> gradient = z.numbers;
    const BatchLoss expected = softmax_cross_entropy(gradient.data(), batch, classes, z.labels);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      std::vector<float> moved(offset, 0.0F);
      moved.insert(moved.end(), z.numbers.begin(), z.numbers.end());
      float* at = moved.data() + offset;
      const BatchLoss alone = softmax_cross_entropy_loss(at, batch, classes, z.labels);
      const BatchLoss with = softmax_cross_entropy(at, batch, classes, z.labels);
      CAPTURE(classes, offset);
      REQUIRE(alone.sum == expected.sum);
      REQUIRE(alone.correct == expected.correct);
      REQUIRE(with.sum == expected.sum);
      REQUIRE((std::vector<float>(at, at + gradient.size()) == gradient));
    }
  }
}

// Batch sizes are powers of two, whose scaling only changes exponents.
TEST_CASE("softmax_cross_entropy: a slice of a batch is the same bits as the whole", "[losses]") {
  for (const int classes : kClasses) {
    const Logits z = draw(32, classes, 3, 84);
    std::vector<float> whole = z.numbers;
    softmax_cross_entropy(whole.data(), 32, classes, z.labels);
    for (const std::int64_t batch : {1, 4, 16}) {
      for (std::int64_t first = 0; first + batch <= 32; first += 3) {
        std::vector<float> part(z.numbers.begin() + first * classes,
                                z.numbers.begin() + (first + batch) * classes);
        softmax_cross_entropy(part.data(), batch, classes,
                              std::span(z.labels).subspan(static_cast<std::size_t>(first),
                                                          static_cast<std::size_t>(batch)));
        for (float& x : part) x *= static_cast<float>(batch) / 32;
        CAPTURE(classes, batch, first);
        REQUIRE(std::equal(part.begin(), part.end(), whole.begin() + first * classes));
      }
    }
  }
}

TEST_CASE("softmax_cross_entropy: of equal logits the first is the likeliest class", "[losses]") {
  for (const int classes : {10, 20, 50}) {
    const std::vector<float> z(static_cast<std::size_t>(classes) * 3, 0.5F);
    const std::vector<std::int32_t> labels{0, 1, classes - 1};
    const BatchLoss loss = softmax_cross_entropy_loss(z.data(), 3, classes, labels);
    CHECK(loss.correct == 1);
    CHECK(loss.sum == Approx(3 * std::log(classes)));
  }
}

TEST_CASE("softmax_cross_entropy: huge logits overflow nothing", "[losses]") {
  for (const int classes : {10, 40}) {
    std::vector<float> z(static_cast<std::size_t>(classes), -3e38F);
    z[3] = 3e38F;
    const std::vector<std::int32_t> labels{3};
    const BatchLoss loss = softmax_cross_entropy(z.data(), 1, classes, labels);
    CHECK(loss.sum == 0);
    CHECK(loss.correct == 1);
    // exp of a number far below zero is 0, or the smallest value of the vectorized exp.
    for (const float g : z) CHECK(std::abs(g) < 1e-37F);
  }
}

TEST_CASE("softmax_cross_entropy: NaN or infinity makes the loss NaN", "[losses]") {
  for (const int classes : {2, 10, 40}) {
    for (std::size_t at = 0; at < static_cast<std::size_t>(classes); ++at) {
      for (const float bad :
           {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        std::vector<float> z(static_cast<std::size_t>(classes), 1.0F);
        z[at] = bad;
        const std::vector<std::int32_t> labels{1};
        CAPTURE(classes, at, bad);
        CHECK(std::isnan(softmax_cross_entropy_loss(z.data(), 1, classes, labels).sum));
      }
    }
  }
}
