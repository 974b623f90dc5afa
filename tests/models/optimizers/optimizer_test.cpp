// Every update rule, compared with its scalar twin, in parts, on sparse gradients.
#include "models/optimizers/optimizer.h"

#include "models/base/random.h"
#include "tests/models/optimizers/twins.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace foretrain {
namespace {

constexpr std::size_t kCount = 2500;  // many blocks, the last one incomplete
constexpr std::int64_t kExamples = 20;

/// Each rule, plain, then with all of its options.
std::vector<OptimizerSpec> specs() {
  std::vector<OptimizerSpec> all;
  for (const std::string& name : optimizer_names()) {
    OptimizerSpec spec;
    spec.name = name;
    spec.learning_rate = default_learning_rate(name);
    if (name == "ftrl") spec.l1 = 0.3;
    all.push_back(spec);
    if (name == "momentum") {
      spec.nesterov = true;
      all.push_back(spec);
    }
    spec.weight_decay = 0.01;
    spec.biases = {.rate_factor = 2, .weight_decay = 0.001};
    spec.initial_accumulator = 0.1;
    spec.l2 = 0.5;
    if (name != "ftrl") {
      spec.schedule = {.kind = "cosine", .warmup = 200, .examples = 900, .floor = 0.1};
    }
    all.push_back(spec);
  }
  return all;
}

std::vector<float> draw(Stream& stream, std::size_t count) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

/// The initial parameters; ftrl has to begin at 0.
std::vector<float> start_of(const OptimizerSpec& spec, Stream& stream) {
  return spec.name == "ftrl" ? std::vector<float>(kCount) : draw(stream, kCount);
}

UpdateContext context_of(int step) { return {.version = step, .examples = step * kExamples}; }

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return std::ranges::equal(
      a, b, {}, [](float x) { return std::bit_cast<std::uint32_t>(x); },
      [](float x) { return std::bit_cast<std::uint32_t>(x); });
}

/// |a - b| relative to the larger of 1 and their size.
double difference(double a, double b) {
  return std::abs(a - b) / std::max({1.0, std::abs(a), std::abs(b)});
}

}  // namespace

TEST_CASE("optimizers: 50 updates agree with a scalar twin in double precision") {
  constexpr std::uint64_t kSeed = 11;
  CAPTURE(kSeed);
  for (const OptimizerSpec& spec : specs()) {
    for (const bool bias : {false, true}) {
      CAPTURE(spec.name, spec.nesterov, spec.weight_decay, bias);
      Stream stream(kSeed, spec.name);
      const auto rule = make_optimizer(spec);
      std::vector<float> values = start_of(spec, stream);
      RuleState state(*rule, kCount);
      std::vector<TwinParameter> twins(kCount);
      for (std::size_t i = 0; i < kCount; ++i) twins[i].w = values[i];
      for (TwinParameter& twin : twins) {
        if (spec.name == "adagrad") twin.a = spec.initial_accumulator;
      }
      const double group = bias ? spec.biases.rate_factor : 1;
      const double decay = bias ? spec.biases.weight_decay : spec.weight_decay;
      for (int step = 0; step < 50; ++step) {
        const std::vector<float> gradient = draw(stream, kCount);
        const UpdateContext context = context_of(step);
        rule->apply(context, bias, values, gradient, values, state.from(0));
        const double rate =
            spec.learning_rate * group * rate_factor(spec.schedule, context.examples);
        for (std::size_t i = 0; i < kCount; ++i) {
          twin_update(spec, rate, decay, step + 1, gradient[i], twins[i]);
        }
      }
      double worst = 0;
      for (std::size_t i = 0; i < kCount; ++i) {
        worst = std::max(worst, difference(values[i], twins[i].w));
      }
      CHECK(worst < 1e-5);
    }
  }
}

TEST_CASE("optimizers: applied in parts they give the same bits as applied whole") {
  constexpr std::uint64_t kSeed = 12;
  CAPTURE(kSeed);
  for (const OptimizerSpec& spec : specs()) {
    CAPTURE(spec.name, spec.nesterov, spec.weight_decay);
    Stream stream(kSeed, spec.name);
    const auto rule = make_optimizer(spec);
    const std::vector<float> start = start_of(spec, stream);
    std::vector<float> whole = start;
    std::vector<float> parts = start;
    RuleState state_whole(*rule, kCount);
    RuleState state_parts(*rule, kCount);
    for (int step = 0; step < 5; ++step) {
      const std::vector<float> gradient = draw(stream, kCount);
      rule->apply(context_of(step), false, whole, gradient, whole, state_whole.from(0));
      for (std::size_t first = 0; first < kCount;) {
        const auto length =
            std::min<std::size_t>(kCount - first, 1 + static_cast<std::size_t>(stream.below(700)));
        const std::span<float> part = std::span(parts).subspan(first, length);
        rule->apply(context_of(step), false, part, std::span(gradient).subspan(first, length), part,
                    state_parts.from(first));
        first += length;
      }
    }
    CHECK(same_bits(whole, parts));
    CHECK(same_bits(state_whole.numbers, state_parts.numbers));
  }
}

TEST_CASE("optimizers: in place they give the same bits as into another buffer") {
  for (const OptimizerSpec& spec : specs()) {
    CAPTURE(spec.name, spec.nesterov, spec.weight_decay);
    Stream stream(13, spec.name);
    const auto rule = make_optimizer(spec);
    std::vector<float> values = start_of(spec, stream);
    std::vector<float> elsewhere(kCount);
    RuleState state(*rule, kCount);
    RuleState other(*rule, kCount);
    const std::vector<float> gradient = draw(stream, kCount);
    const UpdateContext context{.version = 3, .examples = 300};
    rule->apply(context, true, values, gradient, elsewhere, other.from(0));
    rule->apply(context, true, values, gradient, values, state.from(0));
    CHECK(same_bits(values, elsewhere));
    CHECK(same_bits(state.numbers, other.numbers));
  }
}

TEST_CASE("optimizers: touching only the rows present equals gradients of zero elsewhere") {
  constexpr std::uint64_t kSeed = 14;
  CAPTURE(kSeed);
  for (const OptimizerSpec& spec : specs()) {
    CAPTURE(spec.name, spec.nesterov, spec.weight_decay);
    Stream stream(kSeed, spec.name);
    const auto rule = make_optimizer(spec);
    std::vector<float> dense = start_of(spec, stream);
    std::vector<float> sparse = dense;
    RuleState dense_state(*rule, kCount);
    RuleState sparse_state(*rule, kCount);
    for (int step = 0; step < 20; ++step) {
      std::vector<float> gradient(kCount);
      // Rows of 10 parameters, of which a few are present.
      for (std::size_t row = 0; row < kCount; row += 10) {
        if (stream.below(4) != 0) continue;
        std::ranges::copy(draw(stream, 10), gradient.begin() + static_cast<std::ptrdiff_t>(row));
        const std::span<float> values = std::span(sparse).subspan(row, 10);
        rule->apply(context_of(step), false, values, std::span(gradient).subspan(row, 10), values,
                    sparse_state.from(row));
      }
      rule->apply(context_of(step), false, dense, gradient, dense, dense_state.from(0));
    }
    CHECK(same_bits(dense, sparse) == sparse_equals_dense(spec));
  }
}

TEST_CASE("optimizers: which rules keep absent rows is known") {
  for (const std::string& name : optimizer_names()) {
    OptimizerSpec spec;
    spec.name = name;
    CHECK(sparse_equals_dense(spec) == (name != "momentum" && name != "adam"));
    spec.biases.weight_decay = 0.1;
    CHECK_FALSE(sparse_equals_dense(spec));
  }
}

TEST_CASE("optimizers: state has as many numbers a parameter as slots say") {
  const std::vector<int> slots{0, 1, 2, 1, 2};
  const std::vector<std::string> names = optimizer_names();
  REQUIRE(names == std::vector<std::string>{"sgd", "momentum", "adam", "adagrad", "ftrl"});
  for (std::size_t i = 0; i < names.size(); ++i) {
    OptimizerSpec spec;
    spec.name = names[i];
    const auto rule = make_optimizer(spec);
    CHECK(rule->slots() == slots[i]);
    const double plain = rule->flops_per_parameter().value;
    CHECK(plain > 0);
    spec.weight_decay = 1e-4;
    CHECK(make_optimizer(spec)->flops_per_parameter().value == plain + 2);
  }
}

TEST_CASE("adam: the first update moves each parameter by the learning rate") {
  const auto adam = make_optimizer({.name = "adam", .learning_rate = 0.5});
  std::vector<float> values{1, 1, 1};
  RuleState state(*adam, 3);
  adam->apply({}, false, values, std::vector<float>{4, -0.01F, 0}, values, state.from(0));
  CHECK(values[0] == Approx(0.5).epsilon(1e-6));
  CHECK(values[1] == Approx(1.5).epsilon(1e-5));
  CHECK(values[2] == 1);
}

TEST_CASE("ftrl: gradients that sum to no more than l1 leave a weight at zero") {
  const auto ftrl = make_optimizer({.name = "ftrl", .learning_rate = 0.5, .l1 = 1});
  std::vector<float> values(3);
  RuleState state(*ftrl, 3);
  ftrl->apply({}, false, values, std::vector<float>{1, -1, 3}, values, state.from(0));
  // Third parameter: -(3 - 1) / ((1 + 3) / 0.5)
  CHECK(same_bits(values, {0, 0, -0.25F}));
}

TEST_CASE("ftrl: biases with a rate of zero stay as they are") {
  OptimizerSpec spec{.name = "ftrl"};
  spec.biases.rate_factor = 0;
  const auto ftrl = make_optimizer(spec);
  std::vector<float> values{2, -1};
  RuleState state(*ftrl, 2);
  ftrl->apply({}, true, values, std::vector<float>{1, 1}, values, state.from(0));
  CHECK(same_bits(values, {2, -1}));
}

}  // namespace foretrain
