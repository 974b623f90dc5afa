// Text files with one sparse example a line.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/dataset.h"
#include "models/data/file_bytes.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain {

/// The line number of a line that was valid when first read, so no error mentions it.
constexpr std::int64_t kLineUnknown = 0;

/// One line, with its place for errors.
struct TextLine {
  std::string_view text;  ///< without its end, `\n` or `\r\n`
  const std::string& path;
  std::int64_t number = 0;  ///< counted from 1
};

/// Converts a line to an example. Immutable.
class LineFormat {
 public:
  virtual ~LineFormat() = default;
  /// Appends the features with their values; returns the label, or nothing if the line has no
  /// example (it is blank or a comment). @throws DataError that names the line
  virtual std::optional<std::int64_t> read(const TextLine& line,
                                           std::vector<std::uint32_t>& features,
                                           std::vector<float>& values) const = 0;
};

/// A file's text; `owner` keeps it in memory, or is null if the caller does.
struct SparseText {
  explicit SparseText(const FileBytes& file)
      : path(file.path()), text(file.text()), owner(std::make_shared<const FileBytes>(file)) {}
  SparseText(std::string name, std::string_view content) : path(std::move(name)), text(content) {}

  std::string path;
  std::string_view text;
  std::shared_ptr<const void> owner;
};

/// A piece of a file as shown in an error: in back quotes, shortened, without control characters.
std::string quoted(std::string_view text);

/// Properties of a text whose lines have all been read and are valid.
struct ScannedText {
  SparseText source;
  std::vector<std::uint64_t> starts;  ///< [examples]: offset of each example's line
  std::int64_t entries = 0;           ///< features of all examples
  std::uint32_t largest_feature = 0;
  std::int64_t lowest_label = std::numeric_limits<std::int64_t>::max();
  std::int64_t highest_label = std::numeric_limits<std::int64_t>::min();
};

/// Reads every line once. @throws DataError for the first wrong line, or if there is no example
ScannedText scan_text(SparseText source, const LineFormat& format);

/// The examples of several texts, one after another. They are held in memory; if that takes more
/// than `memory_limit`, lines are read on demand. The format yields features below
/// `shape.sparse_features`, labels 0 to `shape.classes` - 1.
std::shared_ptr<const Dataset> make_sparse_dataset(std::vector<ScannedText> texts,
                                                   std::shared_ptr<const LineFormat> format,
                                                   const InputShape& shape, Bytes memory_limit);

}  // namespace foretrain
