// Sparse examples from text: read once to check it, then held in memory or read again line by line.
#include "models/data/sparse_text.h"

#include "models/base/check.h"
#include "models/data/refuse.h"
#include "models/data/sparse_examples.h"

#include <algorithm>
#include <utility>

namespace foretrain {
namespace {

/// The line that begins at `start`, without its end.
std::string_view line_at(std::string_view text, std::size_t start) {
  std::string_view line = text.substr(start, text.find('\n', start) - start);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

/// Reads the line of an example of a scanned text.
int read_example(const ScannedText& text, std::size_t example, const LineFormat& format,
                 std::vector<std::uint32_t>& features, std::vector<float>& values) {
  const auto start = static_cast<std::size_t>(text.starts[example]);
  const TextLine line{line_at(text.source.text, start), text.source.path, kLineUnknown};
  const auto label = format.read(line, features, values);
  if (!label) refuse(text.source.path, "has changed while it was read; start again");
  return static_cast<int>(*label);
}

/// Examples whose lines are read on demand.
class StreamedExamples : public Dataset {
 public:
  StreamedExamples(std::vector<ScannedText> texts, std::shared_ptr<const LineFormat> format,
                   const InputShape& shape)
      : texts_(std::move(texts)), format_(std::move(format)), shape_(shape) {
    firsts_.reserve(texts_.size());
    for (const ScannedText& text : texts_) {
      firsts_.push_back(examples_);
      examples_ += static_cast<std::int64_t>(text.starts.size());
    }
  }

  [[nodiscard]] std::int64_t examples() const override { return examples_; }
  [[nodiscard]] InputShape shape() const override { return shape_; }
  [[nodiscard]] bool worth_prefetching() const override { return true; }

  void gather(std::span<const std::int64_t> which, Stream* /*augment*/,
              Batch& batch) const override {
    SparseRows& rows = batch.sparse;
    batch.begin_rows(which.size());
    for (std::size_t i = 0; i < which.size(); ++i) {
      FT_CHECK_OP(which[i], >=, 0);
      FT_CHECK_OP(which[i], <, examples_);
      const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), which[i]);
      const auto text = static_cast<std::size_t>(after - firsts_.begin()) - 1;
      const auto example = static_cast<std::size_t>(which[i] - firsts_[text]);
      const int label = read_example(texts_[text], example, *format_, rows.columns, rows.values);
      check_unchanged(texts_[text], label, rows);
      batch.labels[i] = label;
      rows.starts.push_back(static_cast<std::uint32_t>(rows.columns.size()));
    }
    number_columns(rows, shape_.sparse_features);
  }

 private:
  /// A line that was valid when scanned may have been overwritten since.
  void check_unchanged(const ScannedText& text, int label, const SparseRows& rows) const {
    const auto fresh = rows.columns.begin() + rows.starts.back();
    const bool fits = label >= 0 && label < shape_.classes &&
                      std::all_of(fresh, rows.columns.end(), [&](std::uint32_t feature) {
                        return feature < shape_.sparse_features;
                      });
    if (!fits) refuse(text.source.path, "has changed while it was read; start again");
  }

  std::vector<ScannedText> texts_;
  std::vector<std::int64_t> firsts_;  ///< the first example of each text
  std::shared_ptr<const LineFormat> format_;
  InputShape shape_;
  std::int64_t examples_ = 0;
};

SparseTable hold(const std::vector<ScannedText>& texts, const LineFormat& format,
                 std::size_t examples, std::size_t entries) {
  SparseTable table;
  table.starts.reserve(examples + 1);
  table.labels.reserve(examples);
  table.features.reserve(entries);
  table.values.reserve(entries);
  for (const ScannedText& text : texts) {
    for (std::size_t i = 0; i < text.starts.size(); ++i) {
      const int label = read_example(text, i, format, table.features, table.values);
      table.labels.push_back(static_cast<std::uint16_t>(label));
      table.starts.push_back(table.features.size());
    }
  }
  return table;
}

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string safe = "`";
  for (const char c : text.substr(0, kLongest)) safe += c >= ' ' && c <= '~' ? c : '?';
  return safe + (text.size() > kLongest ? "...`" : "`");
}

ScannedText scan_text(SparseText source, const LineFormat& format) {
  ScannedText scanned{.source = std::move(source), .starts = {}};
  const std::string_view text = scanned.source.text;
  std::vector<std::uint32_t> features;
  std::vector<float> values;
  std::int64_t number = 1;
  for (std::size_t start = 0; start < text.size(); ++number) {
    features.clear();
    values.clear();
    const auto label =
        format.read({line_at(text, start), scanned.source.path, number}, features, values);
    if (label) {
      scanned.starts.push_back(start);
      scanned.entries += static_cast<std::int64_t>(features.size());
      for (const std::uint32_t feature : features) {
        scanned.largest_feature = std::max(scanned.largest_feature, feature);
      }
      scanned.lowest_label = std::min(scanned.lowest_label, *label);
      scanned.highest_label = std::max(scanned.highest_label, *label);
    }
    const std::size_t end = text.find('\n', start);
    start = end == std::string_view::npos ? text.size() : end + 1;
  }
  if (scanned.starts.empty()) refuse(scanned.source.path, "has no examples; is it the right file?");
  return scanned;
}

std::shared_ptr<const Dataset> make_sparse_dataset(std::vector<ScannedText> texts,
                                                   std::shared_ptr<const LineFormat> format,
                                                   const InputShape& shape, Bytes memory_limit) {
  std::size_t examples = 0;
  std::size_t entries = 0;
  for (const ScannedText& text : texts) {
    examples += text.starts.size();
    entries += static_cast<std::size_t>(text.entries);
  }
  const std::size_t bytes = examples * (sizeof(std::uint64_t) + sizeof(std::uint16_t)) +
                            entries * (sizeof(std::uint32_t) + sizeof(float));
  if (static_cast<std::int64_t>(bytes) > memory_limit.value) {
    return std::make_shared<const StreamedExamples>(std::move(texts), std::move(format), shape);
  }
  return make_dataset(hold(texts, *format, examples, entries), shape);
}

}  // namespace foretrain
