// The gradient time behind a step time: closed forms of steps.
#include "scenarios/import/measured_step.h"

#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <algorithm>

namespace foretrain {
namespace {

TEST_CASE("measured step: where messages follow compute, the rest of the step is the gradient") {
  int asked = 0;
  const FoundGradient found = gradient_behind(0.35, [&](double gradient_s) {
    ++asked;
    return gradient_s + 0.1;
  });
  CHECK(found.gradient_s == Approx(0.25).margin(4e-4));
  CHECK(found.step_s == Approx(0.35).margin(4e-4));
  CHECK(found.alone_s == 0.1);
  CHECK(asked <= 6);
}

TEST_CASE("measured step: where they overlap, the gradient is found on either side of the bend") {
  const double step_s = GENERATE(0.21, 0.3, 0.31, 0.5, 2.0);
  CAPTURE(step_s);
  // Up to a step of 0.3 s messages hide most of the gradient; above that the gradient hides them.
  const auto step_of = [](double gradient_s) {
    return std::max(0.2 + gradient_s / 3, gradient_s + 1e-3);
  };
  const FoundGradient found = gradient_behind(step_s, step_of);
  CHECK(step_of(found.gradient_s) == Approx(step_s).epsilon(1.1e-3));
  CHECK(found.step_s == step_of(found.gradient_s));
}

TEST_CASE("measured step: nothing computed is the least, what takes longer is refused") {
  const auto step_of = [](double gradient_s) { return 0.35 + gradient_s; };
  CHECK(gradient_behind(0.35, step_of).gradient_s <= 0.35e-3);
  const std::string error = error_of([&] { (void)gradient_behind(0.2, step_of); });
  CHECK(error.find(
            "0.2 s, but messages and other overhead of the described cluster alone take 0.35 s") ==
        0);
}

TEST_CASE("measured step: its layers are alike, and have all parameters, all of the time") {
  const std::int64_t parameters = GENERATE(1, 7, 16, 110'000'003);
  CAPTURE(parameters);
  const ImportedJob job = even_job(parameters, 0.3);
  CHECK(std::ssize(job.layers) == std::min<std::int64_t>(kEvenLayers, parameters));
  std::int64_t bytes = 0;
  double time_s = 0;
  for (const ImportedLayer& layer : job.layers) {
    bytes += layer.parameters.value;
    time_s += layer.forward_s + layer.backward_s;
    CHECK(layer.parameters >= job.layers.front().parameters);
    CHECK(layer.backward_s == Approx(2 * layer.forward_s));
  }
  CHECK(bytes == 4 * parameters);
  CHECK(time_s == Approx(0.3));
}

}  // namespace
}  // namespace foretrain
