#include "tests/support/layer_check.h"

#include "models/tensor/simd.h"
#include "tests/support/sparse_rows.h"
#include "tests/support/threads.h"
#include "tests/support/twin.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace foretrain::testing {
namespace {

constexpr double kStep = 1e-6;  // of a central difference: error 1e-12, rounding 1e-9

/// A copy of numbers, or uninitialised numbers, at an offset from a 64-byte boundary.
class Placed {
 public:
  Placed(std::size_t count, int offset) : offset_(static_cast<std::size_t>(offset)), count_(count) {
    const auto all = memory_.reserve(count + offset_ + kMargin);
    std::ranges::fill(all, std::numeric_limits<float>::quiet_NaN());
    std::ranges::fill(all.last(kMargin), kUntouched);
  }
  Placed(const std::vector<float>& from, int offset) : Placed(from.size(), offset) {
    std::ranges::copy(from, data());
  }
  float* data() { return memory_.data() + offset_; }
  std::span<float> span() { return {data(), count_}; }
  std::vector<float> copy() {
    check_margin();
    return {data(), data() + count_};
  }
  /// Checks that nothing was written past the numbers.
  void check_margin() {
    const std::span<const float> margin(data() + count_, kMargin);
    REQUIRE(std::ranges::count(margin, kUntouched) == std::ssize(margin));
  }

 private:
  static constexpr std::size_t kMargin = 64;
  static constexpr float kUntouched = -12345.0F;
  Floats memory_;
  std::size_t offset_;
  std::size_t count_;
};

SparseRows draw_rows(std::int64_t batch, std::int64_t features, int fields, Stream& stream) {
  SparseRows rows;
  std::vector<std::uint32_t> chosen;
  rows.starts.push_back(0);
  for (std::int64_t i = 0; i < batch; ++i) {
    const auto any = stream.below(6);  // some rows are empty
    const auto count = fields > 0 ? static_cast<std::uint64_t>(fields) : any;
    for (std::uint64_t e = 0; e < count; ++e) {
      const auto bound = static_cast<std::uint64_t>(features);
      chosen.push_back(static_cast<std::uint32_t>(
          stream.uniform() < 0.5 ? stream.below(std::min<std::uint64_t>(bound, 4))
                                 : stream.below(bound)));
      rows.values.push_back(static_cast<float>(stream.normal()));
    }
    rows.starts.push_back(static_cast<std::uint32_t>(chosen.size()));
  }
  number_columns(chosen, rows);
  return rows;
}

/// Numbers spread evenly over -2 .. 2 in random order. They differ by more than the step of the
/// differences, which therefore cross no kink; the same holds for their distance from zero.
std::vector<float> draw_apart(std::int64_t count, Stream& stream) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double place = (static_cast<double>(i) + 0.25) / static_cast<double>(count);
    numbers[i] = static_cast<float>(4 * place - 2);
  }
  stream.shuffle(std::span(numbers));
  return numbers;
}

/// sum of output_gradient * twin(input + nudge, parameters + nudge), whose derivatives are the
/// layer's gradients.
struct TwinObjective {
  const LayerCase& layer_case;
  const LayerNumbers& numbers;

  [[nodiscard]] Activations output(const std::optional<Nudge>& input_nudge,
                                   const std::optional<Nudge>& parameter_nudge) const {
    Activations input{layer_case.input, numbers.batch, {}};
    if (layer_case.sparse_features > 0) {
      input.shape = {1, 1, static_cast<int>(layer_case.sparse_features)};
    }
    const TwinParameters moved(numbers.input, input_nudge);
    input.numbers.resize(numbers.input.size());
    for (std::size_t i = 0; i < input.numbers.size(); ++i) {
      input.numbers[i] = moved[static_cast<std::int64_t>(i)];
    }
    std::optional<Stream> dropout = numbers.dropout;
    const TwinParameters parameters(numbers.parameters, parameter_nudge);
    const Activations output =
        twin_forward(layer_case.spec, layer_case.classes, input, &numbers.sparse, parameters,
                     dropout ? &*dropout : nullptr);
    if (!layer_case.relu) return output;
    return twin_forward({.kind = "relu"}, layer_case.classes, output, nullptr, {{}, {}}, nullptr);
  }

  [[nodiscard]] double value(const std::optional<Nudge>& input_nudge,
                             const std::optional<Nudge>& parameter_nudge) const {
    const Activations y = output(input_nudge, parameter_nudge);
    double sum = 0;
    for (std::size_t i = 0; i < y.numbers.size(); ++i) {
      sum += y.numbers[i] * static_cast<double>(numbers.output_gradient[i]);
    }
    return sum;
  }
};

/// `value(nudge)`: the objective, nudged in the variables of `gradient`.
template <class Value>
void check_gradient(const std::vector<float>& gradient, std::uint64_t seed, const Value& value) {
  if (gradient.empty()) return;
  const auto count = static_cast<std::int64_t>(gradient.size());
  double square = 0;
  for (const float g : gradient) square += static_cast<double>(g) * static_cast<double>(g);
  Stream stream(seed, "test.coordinates");
  for (int trial = 0; trial < 12; ++trial) {
    // Two directions through all numbers, then ten single numbers.
    Nudge nudge{0, count, kStep, seed + static_cast<std::uint64_t>(trial)};
    if (trial >= 2) {
      nudge.first = static_cast<std::int64_t>(stream.below(gradient.size()));
      nudge.count = 1;
    }
    double along = 0;
    for (std::int64_t i = 0; i < nudge.count; ++i) {
      along +=
          nudge.sign(i) * static_cast<double>(gradient[static_cast<std::size_t>(nudge.first + i)]);
    }
    Nudge back = nudge;
    back.step = -kStep;
    const double difference = (value(nudge) - value(back)) / (2 * kStep);
    const double size =
        trial < 2 ? std::sqrt(square) : std::sqrt(square / static_cast<double>(count));
    CAPTURE(trial, nudge.first, along, difference, size);
    REQUIRE(std::abs(along - difference) <= 1e-4 * size + 1e-6);
  }
}

/// A range of the examples.
LayerNumbers some(const LayerNumbers& numbers, std::int64_t first, std::int64_t count) {
  const auto slice = [&](const std::vector<float>& all) {
    const auto each = std::ssize(all) / numbers.batch;
    return std::vector<float>(all.begin() + each * first, all.begin() + each * (first + count));
  };
  LayerNumbers part;
  part.batch = count;
  part.input = slice(numbers.input);
  part.parameters = numbers.parameters;
  part.output_gradient = slice(numbers.output_gradient);
  part.dropout = numbers.dropout;
  return part;
}

bool same_as_slice(const std::vector<float>& one, const std::vector<float>& all,
                   std::int64_t example) {
  return std::equal(one.begin(), one.end(), all.begin() + std::ssize(one) * example);
}

}  // namespace

double relative_error(const std::vector<float>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double error = 0;
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = static_cast<double>(a[i]) - b[i];
    error += difference * difference;
    square += b[i] * b[i];
  }
  return std::sqrt(error) / std::max(std::sqrt(square), 1e-30);
}

LayerNumbers draw_numbers(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                          std::uint64_t seed) {
  Stream stream(seed, "test.numbers");
  const auto draw = [&](std::int64_t count) {
    std::vector<float> numbers(static_cast<std::size_t>(count));
    for (float& x : numbers) x = static_cast<float>(stream.normal());
    return numbers;
  };
  LayerNumbers numbers;
  numbers.batch = batch;
  if (layer_case.sparse_features > 0) {
    numbers.sparse = draw_rows(batch, layer_case.sparse_features, layer_case.sparse_fields, stream);
  } else {
    numbers.input = draw_apart(batch * layer_case.input.size(), stream);
  }
  numbers.parameters = draw(layer.parameters());
  numbers.output_gradient = draw(batch * layer.output().size());
  for (const Statistic& each : layer.statistics()) {
    numbers.statistics.insert(numbers.statistics.end(), static_cast<std::size_t>(each.count),
                              each.start);
  }
  numbers.dropout.emplace(seed, "test.dropout");
  return numbers;
}

LayerResult run_layer(const Layer& layer, const LayerNumbers& numbers, Parallel& parallel,
                      int offset, bool input_gradient) {
  Placed input(numbers.input, offset);
  Placed parameters(numbers.parameters, offset);
  Placed output(numbers.output_gradient.size(), offset);
  Placed statistics(numbers.statistics, offset);
  Placed saved(static_cast<std::size_t>((layer.saved_bytes(numbers.batch) + 3) / 4), offset);
  std::optional<Stream> dropout = numbers.dropout;
  const std::int64_t scratch_floats =
      dropout ? layer.scratch_floats(numbers.batch, Simd::kCount)
              : layer.forward_scratch_floats(numbers.batch, Simd::kCount);
  Placed scratch(static_cast<std::size_t>(scratch_floats), offset);
  const bool sparse = !numbers.sparse.starts.empty();
  const auto fill = [&](LayerPass& pass) {
    pass.batch = numbers.batch;
    pass.parameters = parameters.span();
    pass.input = sparse ? nullptr : input.data();
    pass.sparse = sparse ? &numbers.sparse : nullptr;
    pass.compact =
        sparse && static_cast<std::int64_t>(numbers.parameters.size()) != layer.parameters();
    pass.statistics = statistics.data();
    pass.saved = reinterpret_cast<std::byte*>(saved.data());
    pass.scratch = scratch.data();
    pass.parallel = &parallel;
  };
  ForwardPass forward;
  fill(forward);
  forward.output = output.data();
  forward.dropout = dropout ? &*dropout : nullptr;
  layer.forward(forward);
  LayerResult result;
  result.output = output.copy();
  result.statistics = statistics.copy();
  scratch.check_margin();
  saved.check_margin();
  if (!dropout) return result;

  constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
  std::ranges::fill(scratch.span(), kNothing);
  if (!layer.reads().input) std::ranges::fill(input.span(), kNothing);
  if (!layer.reads().output) std::ranges::fill(output.span(), kNothing);
  Placed output_gradient(numbers.output_gradient, offset);
  Placed by_input(numbers.input.size(), offset);
  Placed gradient(numbers.parameters.size(), offset);
  BackwardPass backward;
  fill(backward);
  backward.output = layer.reads().output ? output.data() : nullptr;
  backward.add = !numbers.gradient.empty();
  std::ranges::copy(numbers.gradient, gradient.data());
  backward.output_gradient = output_gradient.data();
  backward.input_gradient = sparse || !input_gradient ? nullptr : by_input.data();
  backward.gradient = gradient.span();
  layer.backward(backward);
  scratch.check_margin();
  output_gradient.check_margin();
  if (!sparse && input_gradient) result.input_gradient = by_input.copy();
  result.gradient = gradient.copy();
  return result;
}

void check_against_twin(const Layer& layer, const LayerCase& layer_case, std::int64_t batch,
                        std::uint64_t seed) {
  CAPTURE(layer.name(), to_string(layer_case.input), batch, seed);
  LayerNumbers numbers = draw_numbers(layer, layer_case, batch, seed);
  const TwinObjective twin{layer_case, numbers};
  Serial serial;
  const LayerResult result = run_layer(layer, numbers, serial);
  REQUIRE(twin.output({}, {}).shape == layer.output());
  REQUIRE(relative_error(result.output, twin.output({}, {}).numbers) < 1e-6);
  check_gradient(result.input_gradient, seed,
                 [&](const Nudge& nudge) { return twin.value(nudge, {}); });
  check_gradient(result.gradient, seed, [&](const Nudge& nudge) { return twin.value({}, nudge); });
  REQUIRE((run_layer(layer, numbers, serial, 0, false).gradient == result.gradient));
  numbers.dropout.reset();
  const LayerResult judged = run_layer(layer, numbers, serial);
  REQUIRE(relative_error(judged.output, twin.output({}, {}).numbers) < 1e-6);
}

void check_same_bits(const Layer& layer, const LayerCase& layer_case, std::int64_t batch) {
  CAPTURE(layer.name(), to_string(layer_case.input), batch);
  const LayerNumbers numbers = draw_numbers(layer, layer_case, batch, 7);
  Serial serial;
  const LayerResult expected = run_layer(layer, numbers, serial);
  for (const int threads : {2, 3}) {
    Threads parallel(threads);
    CAPTURE(threads);
    REQUIRE((run_layer(layer, numbers, parallel) == expected));
  }
  for (int offset = 1; offset < 64; ++offset) {
    CAPTURE(offset);
    REQUIRE((run_layer(layer, numbers, serial, offset) == expected));
  }
  const std::string& kind = layer_case.spec.kind;
  if (numbers.input.empty() || kind == "dropout" || kind == "batch_norm") return;
  for (std::int64_t example = 0; example < std::min<std::int64_t>(batch, 5); ++example) {
    CAPTURE(example);
    const LayerResult one = run_layer(layer, some(numbers, example, 1), serial, 3);
    REQUIRE(same_as_slice(one.output, expected.output, example));
    REQUIRE(same_as_slice(one.input_gradient, expected.input_gradient, example));
  }
  if (!layer.by_example() || batch == 1) return;
  const std::int64_t third = (batch + 2) / 3;
  REQUIRE(layer.saved_bytes(batch) == layer.saved_bytes(1) * batch);
  LayerNumbers rest = some(numbers, third, batch - third);
  rest.gradient = run_layer(layer, some(numbers, 0, third), serial).gradient;
  REQUIRE((run_layer(layer, rest, serial).gradient == expected.gradient));
}

}  // namespace foretrain::testing
