// Drawn clicks: reproducible from a seed, labelled by their weights, as popular as documented.
#include "models/data/drawn_clicks.h"

#include "models/data/open_data.h"
#include "tests/models/data/drawn_sparse_rows.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

/// FNV-1a over the labels and the features of all examples.
std::uint64_t checksum(const Dataset& dataset) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto add = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3u; };
  for (const SparseExample& row : rows_of(dataset)) {
    add(static_cast<std::uint64_t>(row.label));
    for (const auto& [feature, value] : row.entries) add(feature);
  }
  return hash;
}

std::vector<SparseExample> first(std::vector<SparseExample> rows, std::size_t count) {
  rows.resize(count);
  return rows;
}

double clicked(const Dataset& dataset) {
  double sum = 0;
  for (const SparseExample& row : rows_of(dataset)) sum += row.label;
  return sum / static_cast<double>(dataset.examples());
}

}  // namespace

TEST_CASE("drawn clicks: every example has a feature of value 1 for each of 39 fields") {
  const int bits = GENERATE(1, 12, 30);
  CAPTURE(bits);
  const ClicksSpec spec{.hash_bits = bits, .train_count = 30, .test_count = 20};
  const DataSplit split = draw_clicks(spec);
  CHECK(split.train->examples() == 30);
  CHECK(split.test->examples() == 20);
  for (const auto& dataset : {split.train, split.test}) {
    CHECK(dataset->shape() == clicks_shape(spec));
    CHECK(dataset->shape().sparse_features == std::int64_t{1} << bits);
    CHECK(dataset->shape().classes == 2);
    for (const SparseExample& row : rows_of(*dataset)) {
      REQUIRE(row.entries.size() == 39);
      CHECK(static_cast<double>(row.entries.size()) == dataset->shape().sparse_entries);
      CHECK(std::ssize(row.entries) == dataset->shape().sparse_fields);
      for (const auto& [feature, value] : row.entries) {
        REQUIRE(std::int64_t{feature} < dataset->shape().sparse_features);
        REQUIRE(value == 1);
      }
    }
  }
}

TEST_CASE("drawn clicks: an example is a function of the seed with its number") {
  const ClicksSpec spec{.train_count = 40, .test_count = 10, .seed = 3};
  const DataSplit few = draw_clicks(spec);
  const DataSplit many = draw_clicks({.train_count = 300, .test_count = 200, .seed = 3});
  const DataSplit other = draw_clicks({.train_count = 40, .test_count = 10, .seed = 4});
  CHECK(rows_of(*few.train) == first(rows_of(*many.train), 40));
  CHECK(rows_of(*few.test) == first(rows_of(*many.test), 10));
  CHECK(rows_of(*few.train) != rows_of(*other.train));
  CHECK(rows_of(*few.test) != first(rows_of(*few.train), 10));
}

// A changed drawing changes every figure ever reported on clicks: an intended change has to update
// these sums and the changelog.
TEST_CASE("drawn clicks: the drawing is the one whose checksum is known") {
  const DataSplit split = draw_clicks({.hash_bits = 20, .train_count = 500, .test_count = 100});
  CHECK(checksum(*split.train) == 0x9c44c5070484539fu);
  CHECK(checksum(*split.test) == 0x124d20fe817304a1u);
}

// Weights are centred per field, so popular values are balanced for every seed. The standard
// deviation of a share of 4,000 is 0.008.
TEST_CASE("drawn clicks: about one of three is clicked with every seed") {
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    CAPTURE(seed);
    const DataSplit split = draw_clicks({.train_count = 4'000, .test_count = 0, .seed = seed});
    CHECK(clicked(*split.train) > 0.33);
    CHECK(clicked(*split.train) < 0.41);
  }
}

// Expected from the distributions of fields: a count is 0 in half of all examples, 1 in a quarter;
// a category of b octaves has its first value in 1/b of them, its second and third in 1/(2 b) each.
TEST_CASE("drawn clicks: few values are in most examples and most are in one") {
  const DataSplit split = draw_clicks({.hash_bits = 30, .train_count = 4'000, .test_count = 0});
  std::map<std::uint32_t, int> count_of_field;     // the first field, a count
  std::map<std::uint32_t, int> category_of_field;  // the third category, of 16 octaves
  for (const SparseExample& row : rows_of(*split.train)) {
    ++count_of_field[row.entries[0].first];
    ++category_of_field[row.entries[13 + 2].first];
  }
  const auto descending = [](const std::map<std::uint32_t, int>& counts) {
    std::vector<int> sorted;
    sorted.reserve(counts.size());
    for (const auto& [feature, count] : counts) sorted.push_back(count);
    std::ranges::sort(sorted, std::greater{});
    return sorted;
  };
  const auto counts = descending(count_of_field);
  CHECK(counts[0] == Approx(2'000).margin(160));  // five standard deviations
  CHECK(counts[1] == Approx(1'000).margin(140));
  CHECK(counts.size() <= 16);
  const auto values = descending(category_of_field);
  CHECK(values[0] == Approx(250).margin(77));
  CHECK(values[1] == Approx(125).margin(56));
  CHECK(values.size() > 1'000);
  CHECK(std::ranges::count(values, 1) > 800);
}

TEST_CASE("drawn clicks: a larger batch touches more features but less than in proportion") {
  const DataSplit split = draw_clicks({.hash_bits = 18, .train_count = 2'000, .test_count = 0});
  const double of_one = mean_distinct(*split.train, 1);
  const double of_some = mean_distinct(*split.train, 32);
  const double of_many = mean_distinct(*split.train, 256);
  CHECK(of_one == Approx(39).margin(0.5));
  CHECK(of_some < 0.6 * 32 * of_one);
  CHECK(of_many < 0.7 * 8 * of_some);
  CHECK(of_many > 2 * of_some);
}

TEST_CASE("drawn clicks: what cannot be drawn is refused by summary and opening alike") {
  DataSource source;
  source.format = "clicks";
  source.train_count = 5;
  source.test_count = 5;
  const auto complaints = [&] {
    std::string opened = complaint([&] { open_data(source); });
    CHECK(complaint([&] { summarize_data(source); }) == opened);
    return opened;
  };
  source.hash_bits = 31;
  CHECK_THAT(complaints(), Contains("31 bits of hash"));
  source.hash_bits = 20;
  source.train_count = -1;
  CHECK_THAT(complaints(), Contains("clicks: training count -1"));
  source.train_count = 5;
  source.test_count = 2'000'000'000;
  CHECK_THAT(complaints(),
             Contains("test count 2000000000 is out of range; write 0 to 1000000000"));
}

TEST_CASE("drawn clicks: the summary says what the examples take in memory") {
  DataSource source;
  source.format = "clicks";
  source.train_count = 1'000;
  source.test_count = 200;
  // A row takes 8 bytes for its start and 2 for its label; an entry takes 4 for its feature and 4
  // for its value.
  CHECK(summarize_data(source)->memory == Bytes{1'200 * (8 + 2 + 39 * (4 + 4))});
}
