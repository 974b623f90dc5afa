// Sparse rows in a batch.
#include "models/data/sparse_examples.h"

#include "models/base/random.h"
#include "models/data/open_data.h"
#include "tests/models/data/drawn_sparse_rows.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <set>
#include <vector>

using namespace foretrain;

namespace {

/// Rows of up to 12 entries, some of them with the same feature.
SparseTable random_table(int examples, std::int64_t features, std::uint64_t seed) {
  SparseTable table;
  Stream stream(seed, "test.sparse");
  for (int i = 0; i < examples; ++i) {
    for (auto left = stream.below(13); left > 0; --left) {
      table.features.push_back(
          static_cast<std::uint32_t>(stream.below(static_cast<std::uint64_t>(features))));
      table.values.push_back(static_cast<float>(stream.uniform()));
    }
    table.starts.push_back(table.features.size());
    table.labels.push_back(static_cast<std::uint16_t>(stream.below(2)));
  }
  return table;
}

}  // namespace

TEST_CASE("sparse: a batch has its rows and their distinct features in order", "[sparse]") {
  for (const std::int64_t features : {1LL, 2LL, 2'048LL, 2'049LL, 1LL << 20, 1LL << 30}) {
    CAPTURE(features);
    const SparseTable table = random_table(300, features, 3);
    const auto dataset =
        make_dataset(table, {.image = {}, .sparse_features = features, .classes = 2});
    Stream stream(4, "test.which");
    Batch batch;
    for (const std::size_t size : {1u, 7u, 200u, 3u}) {
      std::vector<std::int64_t> which(size);
      for (auto& example : which) example = static_cast<std::int64_t>(stream.below(300));
      dataset->gather(which, nullptr, batch);
      const auto rows = rows_of(batch);
      REQUIRE(rows.size() == size);
      std::set<std::uint32_t> distinct;
      for (std::size_t i = 0; i < size; ++i) {
        const auto example = static_cast<std::size_t>(which[i]);
        SparseExample row{table.labels[example], {}};
        for (std::uint64_t at = table.starts[example]; at < table.starts[example + 1]; ++at) {
          row.entries.emplace_back(table.features[at], table.values[at]);
          distinct.insert(table.features[at]);
        }
        CHECK(rows[i] == row);
      }
      CHECK(std::ranges::equal(batch.sparse.features, distinct));
    }
  }
}

TEST_CASE("sparse: a batch as large as one before allocates nothing", "[sparse]") {
  const auto dataset = make_dataset(random_table(100, 5'000, 3),
                                    {.image = {}, .sparse_features = 5'000, .classes = 2});
  std::vector<std::int64_t> all(100);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  Batch batch;
  dataset->gather(all, nullptr, batch);
  const auto* columns = batch.sparse.columns.data();
  const auto* features = batch.sparse.features.data();
  const auto* values = batch.sparse.values.data();
  std::reverse(all.begin(), all.end());
  dataset->gather(all, nullptr, batch);
  CHECK(batch.sparse.columns.data() == columns);
  CHECK(batch.sparse.features.data() == features);
  CHECK(batch.sparse.values.data() == values);
}

TEST_CASE("sparse: the mean of distinct features is that of the batches", "[sparse]") {
  // Example i has the shared feature 0 and its own feature i + 1.
  SparseTable table;
  for (std::uint32_t i = 0; i < 50; ++i) {
    table.features.insert(table.features.end(), {0, i + 1});
    table.values.insert(table.values.end(), {1, 1});
    table.starts.push_back(table.features.size());
    table.labels.push_back(0);
  }
  const auto dataset = make_dataset(table, {.image = {}, .sparse_features = 64, .classes = 2});
  CHECK(mean_distinct(*dataset, 1) == 2);
  CHECK(mean_distinct(*dataset, 20) == 21);
  CHECK(mean_distinct(*dataset, 50) == 51);
  CHECK(mean_distinct(*dataset, 1'000) == 51);
  const auto random =
      make_dataset(random_table(400, 300, 5), {.image = {}, .sparse_features = 300, .classes = 2});
  const double mean = mean_distinct(*random, 40);
  CHECK(mean == mean_distinct(*random, 40));
  CHECK(mean > mean_distinct(*random, 20));
  CHECK(mean < 40 * 6.5);
}
