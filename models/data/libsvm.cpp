// Reads LIBSVM lines.
#include "models/data/libsvm.h"

#include "models/data/feature_hash.h"
#include "models/data/file_bytes.h"
#include "models/data/refuse.h"
#include "models/data/sparse_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

constexpr std::int64_t kLabelsMax = 65'536;
constexpr std::string_view kBlank = " \t";

/// Removes the next word from `text` and returns it; empty at the end.
std::string_view next_word(std::string_view& text) {
  const std::size_t start = std::min(text.find_first_not_of(kBlank), text.size());
  text.remove_prefix(start);
  const std::string_view word = text.substr(0, text.find_first_of(kBlank));
  text.remove_prefix(word.size());
  return word;
}

/// The whole word as a number, or nothing.
template <class Number>
std::optional<Number> to_number(std::string_view word) {
  if (word.starts_with('+')) word.remove_prefix(1);
  Number number{};
  const char* end = word.data() + word.size();
  const auto [stopped, error] = std::from_chars(word.data(), end, number);
  if (word.empty() || error != std::errc{} || stopped != end) return std::nullopt;
  return number;
}

/// The properties of the data set, from both files together.
struct Reading {
  bool signs = false;       ///< labels are -1, +1
  bool hashed = false;      ///< an index does not fit
  bool known = false;       ///< else: the first reading, with labels and indices as in the file
  std::int64_t labels = 0;  ///< labels are below this
};

class LibsvmFormat : public LineFormat {
 public:
  LibsvmFormat(const LibsvmOptions& options, const Reading& reading)
      : options_(options), reading_(reading) {}

  std::optional<std::int64_t> read(const TextLine& line, std::vector<std::uint32_t>& features,
                                   std::vector<float>& values) const override {
    std::string_view rest = line.text.substr(0, line.text.find('#'));
    const std::string_view first = next_word(rest);
    if (first.empty()) return std::nullopt;
    const std::int64_t label = read_label(line, first);
    std::int64_t before = 0;
    bool query = true;  // allowed once, before the features
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest)) {
      if (std::exchange(query, false) && word.starts_with("qid:")) continue;
      const std::size_t colon = word.find(':');
      if (colon == std::string_view::npos) {
        refuse_line(line.path, line.number, "{} is no `index:value`", quoted(word));
      }
      const std::int64_t index = read_index(line, word.substr(0, colon), before);
      values.push_back(read_value(line, word.substr(colon + 1), index));
      features.push_back(feature_of(index));
      before = index;
    }
    return label;
  }

 private:
  [[nodiscard]] std::int64_t read_label(const TextLine& line, std::string_view word) const {
    const auto label = to_number<std::int64_t>(word);
    if (!label) refuse_line(line.path, line.number, "label {} is no whole number", quoted(word));
    if (reading_.signs) {
      if (*label != -1 && *label != 1) {
        refuse_line(line.path, line.number,
                    "label {}, but others are -1; labels are -1 and +1, or 0, 1, 2, ...", *label);
      }
      return *label == 1 ? 1 : 0;
    }
    // Until all labels are known, -1 may be one of two classes.
    const std::int64_t lowest = reading_.known ? 0 : -1;
    if (*label < lowest || *label >= reading_.labels) {
      refuse_line(line.path, line.number, "label {} where labels are -1, +1 or 0 to {}", *label,
                  reading_.labels - 1);
    }
    return *label;
  }

  [[nodiscard]] std::int64_t read_index(const TextLine& line, std::string_view word,
                                        std::int64_t before) const {
    const auto index = to_number<std::int64_t>(word);
    if (!index) refuse_line(line.path, line.number, "index {} is no whole number", quoted(word));
    if (*index < 1) {
      refuse_line(line.path, line.number, "index {}; indices count from 1", *index);
    }
    if (*index > options_.index_max) {
      refuse_line(line.path, line.number, "index {} is too large; at most {} is allowed",
                  grouped(*index), grouped(options_.index_max));
    }
    if (*index == before) refuse_line(line.path, line.number, "index {} occurs twice", *index);
    if (*index < before) {
      refuse_line(line.path, line.number, "index {} after {}; indices must ascend", *index, before);
    }
    return *index;
  }

  static float read_value(const TextLine& line, std::string_view word, std::int64_t index) {
    const auto value = to_number<double>(word);
    if (!value) {
      refuse_line(line.path, line.number, "value {} of index {} is no number", quoted(word), index);
    }
    // Values beyond the range of float have become infinite.
    if (!(std::abs(*value) <= static_cast<double>(std::numeric_limits<float>::max()))) {
      refuse_line(line.path, line.number, "value {} of index {} is not finite", quoted(word),
                  index);
    }
    return static_cast<float>(*value);
  }

  [[nodiscard]] std::uint32_t feature_of(std::int64_t index) const {
    if (!reading_.hashed) return static_cast<std::uint32_t>(index - 1);
    FeatureHash hash;
    hash.add(static_cast<std::uint64_t>(index));
    return hash.below(options_.hash_bits);
  }

  LibsvmOptions options_;
  Reading reading_;
};

/// Texts that were read once, with their common format and shape.
struct Scanned {
  std::vector<ScannedText> texts;
  std::shared_ptr<const LibsvmFormat> format;
  InputShape shape;
};

Scanned scan(std::vector<SparseText> sources, const LibsvmOptions& options) {
  check_hash_bits(options.hash_bits);
  Reading reading;
  reading.labels = options.classes > 0 ? options.classes : kLabelsMax;
  const LibsvmFormat as_they_are(options, reading);
  Scanned scanned;
  scanned.texts.reserve(sources.size());
  std::int64_t lowest = 0;
  std::int64_t highest = 0;
  std::uint32_t largest = 0;
  double examples = 0;
  double entries = 0;
  for (SparseText& source : sources) {
    const ScannedText& text = scanned.texts.emplace_back(scan_text(std::move(source), as_they_are));
    lowest = std::min(lowest, text.lowest_label);
    highest = std::max(highest, text.highest_label);
    largest = std::max(largest, text.largest_feature);
    examples += static_cast<double>(text.starts.size());
    entries += static_cast<double>(text.entries);
  }
  reading.known = true;
  reading.signs = lowest == -1;
  reading.hashed = largest >> options.hash_bits != 0;
  if (options.classes == 0) reading.labels = std::max<std::int64_t>(2, highest + 1);
  scanned.format = std::make_shared<const LibsvmFormat>(options, reading);
  if (reading.signs) {  // a label in conflict with -1 is found only now
    for (const ScannedText& text : scanned.texts) scan_text(text.source, *scanned.format);
  }
  scanned.shape.sparse_features = std::int64_t{1} << options.hash_bits;
  scanned.shape.sparse_entries = entries / examples;
  scanned.shape.classes = static_cast<int>(reading.labels);
  return scanned;
}

SparseText libsvm_text(const std::string& path) {
  return SparseText(FileBytes(path, "a LIBSVM file"));
}

}  // namespace

LibsvmFiles find_libsvm_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    refuse(folder, "no such folder; name the one that holds a .train file with its .test file");
  }
  LibsvmFiles files;
  const auto found = [&folder](std::string& file, const fs::path& path) {
    if (!file.empty()) {
      refuse(folder, "several {} files; leave one in the folder", path.extension().string());
    }
    file = path.string();
  };
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".train") found(files.train, entry->path());
    if (entry->path().extension() == ".test") found(files.test, entry->path());
  }
  if (error) refuse(folder, "cannot be read: {}", error.message());
  for (const auto& [file, ending] : {std::pair(&files.train, ".train"), {&files.test, ".test"}}) {
    if (!file->empty()) continue;
    refuse(folder, "the folder has no {} file of LIBSVM text; put it there, or name another folder",
           ending);
  }
  return files;
}

DataSplit open_libsvm_folder(const std::string& folder, const LibsvmOptions& options,
                             Bytes memory_limit) {
  const LibsvmFiles files = find_libsvm_files(folder);
  Scanned both = scan({libsvm_text(files.train), libsvm_text(files.test)}, options);
  const auto part = [&](ScannedText& text) {
    std::vector<ScannedText> alone;
    alone.push_back(std::move(text));
    return make_sparse_dataset(std::move(alone), both.format, both.shape, memory_limit);
  };
  DataSplit split;
  split.train = part(both.texts[0]);
  split.test = part(both.texts[1]);
  return split;
}

std::shared_ptr<const Dataset> parse_libsvm(std::string_view text, const std::string& name,
                                            const LibsvmOptions& options) {
  Scanned one = scan({SparseText(name, text)}, options);
  return make_sparse_dataset(std::move(one.texts), one.format, one.shape,
                             Bytes{std::numeric_limits<std::int64_t>::max()});
}

}  // namespace foretrain
