// Draws an example's fields by the popularity of values, then the label by their weights.
#include "models/data/drawn_clicks.h"

#include "models/base/check.h"
#include "models/base/random.h"
#include "models/data/data_error.h"
#include "models/data/feature_hash.h"
#include "models/data/sparse_examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <string_view>
#include <vector>

namespace foretrain {
namespace {

constexpr int kCounts = 13;
constexpr int kMagnitudes = 16;  // of a count
// The sizes of the categories' vocabularies, in octaves: from 3 values to 65,535.
constexpr std::array kOctaves{10, 9,  16, 16, 8,  5,  13, 9,  2, 16, 12, 16, 11,
                              5,  14, 16, 3,  12, 11, 2,  16, 4, 4,  15, 7,  15};
constexpr int kFields = kCounts + static_cast<int>(kOctaves.size());

constexpr double kWeight = 0.75;  // the largest one, before a field is centred
constexpr double kBias = -1;      // so that about one in three is clicked

using Weights = std::vector<double>;  // [value]; the first is not used for a category

/// The mean over the values of a field, weighted by their frequency.
double mean_of(const Weights& weights, int field) {
  double mean = 0;
  if (field < kCounts) {
    double share = 0.5;
    for (int value = 0; value < kMagnitudes; ++value) {
      mean += share * weights[static_cast<std::size_t>(value)];
      if (value + 2 < kMagnitudes) share /= 2;  // the last two are equally frequent
    }
    return mean;
  }
  const auto octaves =
      static_cast<std::size_t>(kOctaves[static_cast<std::size_t>(field - kCounts)]);
  for (std::size_t k = 0; k < octaves; ++k) {
    double sum = 0;
    for (std::size_t value = std::size_t{1} << k; value >> k == 1; ++value) sum += weights[value];
    mean += sum / static_cast<double>(std::size_t{1} << k);
  }
  return mean / static_cast<double>(octaves);
}

std::size_t values_of(int field) {
  if (field < kCounts) return kMagnitudes;
  return std::size_t{1} << kOctaves[static_cast<std::size_t>(field - kCounts)];
}

Weights draw_weights(int field, std::uint64_t seed) {
  Stream stream(seed, fmt::format("data.clicks.weights.{}", field));
  Weights weights(values_of(field));
  for (double& weight : weights) weight = kWeight * (2 * stream.uniform() - 1);
  const double mean = mean_of(weights, field);
  for (double& weight : weights) weight -= mean;
  return weights;
}

/// The value of a field, from 64 uniform bits.
std::uint64_t value_of(int field, std::uint64_t bits) {
  if (field < kCounts) {
    return static_cast<std::uint64_t>(std::min(std::countr_zero(bits), kMagnitudes - 1));
  }
  const auto octaves =
      static_cast<std::uint64_t>(kOctaves[static_cast<std::size_t>(field - kCounts)]);
  const std::uint64_t octave = (bits >> 32) * octaves >> 32;
  const std::uint64_t first = std::uint64_t{1} << octave;
  return first | (bits & (first - 1));
}

std::uint32_t feature_of(int field, std::uint64_t value, int hash_bits) {
  FeatureHash hash;
  hash.add(static_cast<std::uint64_t>(field));
  hash.add(value);
  return hash.below(hash_bits);
}

SparseTable draw(std::int64_t count, const ClicksSpec& spec, const std::vector<Weights>& weights,
                 std::string_view name) {
  const auto examples = static_cast<std::size_t>(count);
  SparseTable table;
  table.starts.reserve(examples + 1);
  table.labels.reserve(examples);
  table.features.reserve(examples * kFields);
  table.values.assign(examples * kFields, 1.0F);
  for (std::size_t i = 0; i < examples; ++i) {
    Stream stream(spec.seed, fmt::format("data.clicks.{}.{}", name, i));
    double z = kBias;
    for (int field = 0; field < kFields; ++field) {
      const std::uint64_t value = value_of(field, stream.bits());
      z += weights[static_cast<std::size_t>(field)][value];
      table.features.push_back(feature_of(field, value, spec.hash_bits));
    }
    const bool clicked = stream.uniform() < 1 / (1 + portable_exp(-z));
    table.labels.push_back(clicked ? 1 : 0);
    table.starts.push_back(table.features.size());
  }
  return table;
}

void check_count(const char* what, std::int64_t count) {
  constexpr std::int64_t kCountMax = 1'000'000'000;
  if (count >= 0 && count <= kCountMax) return;
  throw DataError(
      fmt::format("clicks: {} count {} is out of range; write 0 to {}", what, count, kCountMax));
}

}  // namespace

Bytes clicks_drawing() {
  std::size_t values = 0;
  for (int field = 0; field < kFields; ++field) values += values_of(field);
  return {static_cast<std::int64_t>(values * sizeof(Weights::value_type))};
}

InputShape clicks_shape(const ClicksSpec& spec) {
  check_hash_bits(spec.hash_bits);
  check_count("training", spec.train_count);
  check_count("test", spec.test_count);
  InputShape shape;
  shape.sparse_features = std::int64_t{1} << spec.hash_bits;
  shape.sparse_fields = kFields;
  shape.sparse_entries = kFields;
  shape.classes = 2;
  return shape;
}

DataSplit draw_clicks(const ClicksSpec& spec) {
  const InputShape shape = clicks_shape(spec);
  std::vector<Weights> weights;
  weights.reserve(kFields);
  for (int field = 0; field < kFields; ++field) weights.push_back(draw_weights(field, spec.seed));
  return {make_dataset(draw(spec.train_count, spec, weights, "train"), shape),
          make_dataset(draw(spec.test_count, spec, weights, "test"), shape)};
}

}  // namespace foretrain
