// Reads the lines of the Criteo data, hashing every field to one feature.
#include "models/data/criteo.h"

#include "models/base/random.h"
#include "models/data/feature_hash.h"
#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "models/data/sparse_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

/// The kind of a field's value, hashed before it, so that kinds are not confused.
enum class ValueKind : std::uint8_t { kMissing, kSmall, kLogarithm, kCategory };

FeatureHash hash_of(int field, ValueKind kind) {
  FeatureHash hash;
  hash.add(static_cast<std::uint64_t>(field) << 8 | static_cast<std::uint64_t>(kind));
  return hash;
}

FeatureHash hash_of_integer(int field, std::int64_t value) {
  constexpr std::int64_t kSmallest = 2;  // up to here each value is a feature
  if (value <= kSmallest) {
    FeatureHash hash = hash_of(field, ValueKind::kSmall);
    hash.add(static_cast<std::uint64_t>(value));
    return hash;
  }
  const double log = portable_log(static_cast<double>(value));
  FeatureHash hash = hash_of(field, ValueKind::kLogarithm);
  hash.add(static_cast<std::uint64_t>(std::floor(log * log)));
  return hash;
}

/// The fields of a line. @throws DataError if there are not 40
std::array<std::string_view, kCriteoFields> split(const TextLine& line) {
  std::array<std::string_view, kCriteoFields> fields;
  std::size_t start = 0;
  std::size_t count = 0;
  for (bool more = true; more; ++count) {
    const std::size_t end = std::min(line.text.find('\t', start), line.text.size());
    if (count < fields.size()) fields[count] = line.text.substr(start, end - start);
    more = end < line.text.size();
    start = end + 1;
  }
  if (count != fields.size()) {
    refuse_line(line.path, line.number, "{} fields between tabs where a row has {}", count,
                fields.size());
  }
  return fields;
}

class CriteoFormat : public LineFormat {
 public:
  explicit CriteoFormat(int hash_bits) : hash_bits_(hash_bits) { check_hash_bits(hash_bits); }

  std::optional<std::int64_t> read(const TextLine& line, std::vector<std::uint32_t>& features,
                                   std::vector<float>& values) const override {
    const auto fields = split(line);
    if (fields[0] != "0" && fields[0] != "1") {
      refuse_line(line.path, line.number, "label {} where labels are 0, 1", quoted(fields[0]));
    }
    for (int field = 1; field < kCriteoFields; ++field) {
      features.push_back(hash_field(line, field, fields[static_cast<std::size_t>(field)]));
      values.push_back(1);
    }
    return fields[0] == "1" ? 1 : 0;
  }

 private:
  [[nodiscard]] std::uint32_t hash_field(const TextLine& line, int field,
                                         std::string_view text) const {
    if (text.empty()) return hash_of(field, ValueKind::kMissing).below(hash_bits_);
    if (field > kCriteoIntegers) {
      FeatureHash hash = hash_of(field, ValueKind::kCategory);
      hash.add(text);
      return hash.below(hash_bits_);
    }
    std::int64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end) {
      refuse_line(line.path, line.number, "integer {}, field {} (the label is field 1), is {}",
                  quoted(text), field + 1, "no whole number");
    }
    return hash_of_integer(field, value).below(hash_bits_);
  }

  int hash_bits_;
};

std::shared_ptr<const Dataset> open_texts(const std::vector<SparseText>& sources, int hash_bits,
                                          Bytes memory_limit) {
  auto format = std::make_shared<const CriteoFormat>(hash_bits);
  std::vector<ScannedText> texts;
  texts.reserve(sources.size());
  for (const SparseText& source : sources) texts.push_back(scan_text(source, *format));
  InputShape shape;
  shape.sparse_features = std::int64_t{1} << hash_bits;
  shape.sparse_fields = kCriteoFields - 1;
  shape.sparse_entries = shape.sparse_fields;
  shape.classes = 2;
  return make_sparse_dataset(std::move(texts), std::move(format), shape, memory_limit);
}

SparseText criteo_text(const std::string& path) {
  return SparseText(FileBytes(path, "a Criteo file"));
}

}  // namespace

DataSplit open_criteo_folder(const std::string& folder, int hash_bits, Bytes memory_limit) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    refuse(folder, "no such folder; name the one that holds train.csv");
  }
  std::vector<SparseText> test;
  test.reserve(2);
  for (const char* name : {"test.csv", "dev.csv"}) {
    const std::string path = folder + "/" + name;
    if (fs::exists(path, ignored)) test.push_back(criteo_text(path));
  }
  if (test.empty()) refuse(folder, "the folder has no test.csv, no dev.csv; put one there");
  DataSplit split;
  split.train = open_texts({criteo_text(folder + "/train.csv")}, hash_bits, memory_limit);
  split.test = open_texts(test, hash_bits, memory_limit);
  return split;
}

std::shared_ptr<const Dataset> parse_criteo(std::string_view text, const std::string& name,
                                            int hash_bits) {
  return open_texts({SparseText(name, text)}, hash_bits,
                    Bytes{std::numeric_limits<std::int64_t>::max()});
}

}  // namespace foretrain
