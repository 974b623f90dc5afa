// Sparse rows in memory, numbered anew for each batch.
#include "models/data/sparse_examples.h"

#include "models/base/check.h"
#include "models/base/prefetch.h"

#include <array>
#include <utility>

namespace foretrain {
namespace {

constexpr int kDigitBits = 11;  // bits of one pass: its counters fit the first-level cache
constexpr int kPosition = 32;   // bits of a key below the feature: the place of its entry

/// Examples that are prefetched ahead of the one being read; the places of their entries twice as
/// early. An example has some hundred bytes, and memory delivers a few KB in its latency.
constexpr std::size_t kRowsAhead = 8;

/// One stable pass of a radix sort by the digit from bit `shift` up.
void sort_pass(const std::vector<std::uint64_t>& from, std::vector<std::uint64_t>& to, int shift) {
  constexpr std::uint64_t kMask = (1u << kDigitBits) - 1;
  std::array<std::uint32_t, kMask + 1> next{};
  for (const std::uint64_t key : from) ++next[key >> shift & kMask];
  std::uint32_t before = 0;
  for (std::uint32_t& count : next) before += std::exchange(count, before);
  for (const std::uint64_t key : from) to[next[key >> shift & kMask]++] = key;
}

class SparseExamples : public Dataset {
 public:
  SparseExamples(SparseTable table, const InputShape& shape)
      : table_(std::move(table)), shape_(shape) {
    FT_CHECK_OP(table_.starts.size(), ==, table_.labels.size() + 1);
    FT_CHECK_OP(table_.features.size(), ==, table_.values.size());
    FT_CHECK_OP(table_.starts.back(), ==, table_.features.size());
  }

  [[nodiscard]] std::int64_t examples() const override {
    return static_cast<std::int64_t>(table_.labels.size());
  }
  [[nodiscard]] InputShape shape() const override { return shape_; }

  void gather(std::span<const std::int64_t> which, Stream* /*augment*/,
              Batch& batch) const override {
    SparseRows& rows = batch.sparse;
    batch.begin_rows(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      FT_CHECK_OP(which[i], >=, 0);
      FT_CHECK_OP(which[i], <, examples());
      const auto row = static_cast<std::size_t>(which[i]);
      const auto first = static_cast<std::int64_t>(table_.starts[row]);
      const auto last = static_cast<std::int64_t>(table_.starts[row + 1]);
      rows.columns.insert(rows.columns.end(), table_.features.begin() + first,
                          table_.features.begin() + last);
      rows.values.insert(rows.values.end(), table_.values.begin() + first,
                         table_.values.begin() + last);
      rows.starts.push_back(static_cast<std::uint32_t>(rows.columns.size()));
      batch.labels[i] = table_.labels[row];
      if (i + kRowsAhead < which.size()) coming(which[i + kRowsAhead]);
      if (i + 2 * kRowsAhead < which.size()) {
        prefetch_lines(table_.starts.data() + which[i + 2 * kRowsAhead],
                       2 * sizeof table_.starts[0]);
      }
    }
    number_columns(rows, shape_.sparse_features);
  }

 private:
  /// Prefetches an example that is read soon.
  void coming(std::int64_t index) const {
    FT_CHECK_OP(index, >=, 0);
    FT_CHECK_OP(index, <, examples());
    const std::uint64_t first = table_.starts[static_cast<std::size_t>(index)];
    const std::uint64_t count = table_.starts[static_cast<std::size_t>(index) + 1] - first;
    prefetch_lines(table_.labels.data() + index, sizeof table_.labels[0]);
    prefetch_lines(table_.features.data() + first, count * sizeof table_.features[0]);
    prefetch_lines(table_.values.data() + first, count * sizeof table_.values[0]);
  }

  SparseTable table_;
  InputShape shape_;
};

}  // namespace

std::shared_ptr<const Dataset> make_dataset(SparseTable table, const InputShape& shape) {
  return std::make_shared<const SparseExamples>(std::move(table), shape);
}

void number_columns(SparseRows& rows, std::int64_t feature_count) {
  rows.sorted.resize(rows.columns.size());
  rows.unsorted.resize(rows.columns.size());
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    rows.sorted[i] = static_cast<std::uint64_t>(rows.columns[i]) << kPosition | i;
  }
  for (int bit = 0; (feature_count - 1) >> bit != 0; bit += kDigitBits) {
    std::swap(rows.sorted, rows.unsorted);
    sort_pass(rows.unsorted, rows.sorted, kPosition + bit);
  }
  rows.features.clear();
  for (const std::uint64_t key : rows.sorted) {
    const auto feature = static_cast<std::uint32_t>(key >> kPosition);
    if (rows.features.empty() || rows.features.back() != feature) rows.features.push_back(feature);
    rows.columns[key & 0xffffffff] = static_cast<std::uint32_t>(rows.features.size() - 1);
  }
}

}  // namespace foretrain
