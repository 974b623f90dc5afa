// Softmax regression against finite differences.
#include "models/data/digits.h"
#include "models/networks/network.h"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

namespace foretrain {
namespace {

// The mean loss in double precision, written out plainly.
double mean_loss(const std::vector<double>& parameters, const Dataset& data,
                 const std::vector<std::int64_t>& examples) {
  const int features = data.features();
  double sum = 0;
  for (const std::int64_t example : examples) {
    std::vector<double> logits(10);
    for (int c = 0; c < 10; ++c) {
      logits[c] = parameters[static_cast<std::size_t>(features) * 10 + c];
      for (int f = 0; f < features; ++f) {
        logits[c] += data.pixels[example * features + f] / 255.0 *
                     parameters[static_cast<std::size_t>(f) * 10 + c];
      }
    }
    double total = 0;
    for (const double logit : logits) total += std::exp(logit);
    sum += std::log(total) - logits[data.labels[static_cast<std::size_t>(example)]];
  }
  return sum / static_cast<double>(examples.size());
}

TEST_CASE("softmax: 784 x 10 + 10 parameters on 28 x 28 images of ten classes") {
  CHECK(make_network("softmax", {784, 10})->parameters() == 7'850);
}

TEST_CASE("softmax: loss and gradient agree with finite differences in double precision") {
  const DataSplit data = draw_digits(20, 1, 3);
  const auto network = make_network("softmax", {784, 10});
  std::vector<std::int64_t> examples(20);
  std::iota(examples.begin(), examples.end(), 0);
  Stream stream(5, "test");
  std::vector<float> parameters(7'850);
  for (float& p : parameters) p = static_cast<float>(0.1 * stream.normal());
  std::vector<float> gradient(7'850);
  const auto workspace = network->make_workspace();
  const double loss = network->gradient(parameters, data.train, examples, gradient, *workspace);
  std::vector<double> exact(parameters.begin(), parameters.end());
  CHECK(loss == Approx(mean_loss(exact, data.train, examples)).epsilon(1e-5));
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t i = trial < 10 ? 7'840 + trial : stream.below(7'850);
    CAPTURE(i);
    const double step = 1e-5;
    auto moved = exact;
    moved[i] += step;
    const double above = mean_loss(moved, data.train, examples);
    moved[i] -= 2 * step;
    const double below = mean_loss(moved, data.train, examples);
    CHECK(gradient[i] == Approx((above - below) / (2 * step)).epsilon(1e-3).margin(1e-6));
  }
}

TEST_CASE("softmax: before the first step every class is as likely as any other") {
  const DataSplit data = draw_digits(1, 300, 3);
  const auto network = make_network("softmax", {784, 10});
  const std::vector<float> zero(7'850, 0);
  const auto workspace = network->make_workspace();
  const Score score = network->evaluate(zero, data.test, 0, 300, *workspace);
  CHECK(score.loss / 300 == Approx(std::log(10)).epsilon(1e-6));
}

TEST_CASE("softmax: an evaluation in parts adds up to the whole") {
  const DataSplit data = draw_digits(1, 700, 4);
  const auto network = make_network("softmax", {784, 10});
  Stream stream(6, "test");
  std::vector<float> parameters(7'850);
  for (float& p : parameters) p = static_cast<float>(0.1 * stream.normal());
  const auto workspace = network->make_workspace();
  const Score whole = network->evaluate(parameters, data.test, 0, 700, *workspace);
  const Score head = network->evaluate(parameters, data.test, 0, 333, *workspace);
  const Score tail = network->evaluate(parameters, data.test, 333, 700, *workspace);
  CHECK(head.correct + tail.correct == whole.correct);
  CHECK(head.loss + tail.loss == Approx(whole.loss));
}

TEST_CASE("softmax: a gradient's counted cost grows with the batch") {
  const auto network = make_network("softmax", {784, 10});
  // Two products of 784 x 10 a row, a multiply-add being two operations.
  CHECK(network->gradient_cost(64).flops.value == 2.0 * 2 * 64 * 784 * 10);
}

}  // namespace
}  // namespace foretrain
