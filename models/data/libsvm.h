// The LIBSVM text format of sparse examples.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace foretrain {

// A line is `label index:value index:value ...` with indices from 1 that ascend
// (https://www.csie.ntu.edu.tw/~cjlin/libsvm). Labels are -1, +1 (classes 0, 1) or 0 .. classes
// - 1. `qid:N` after the label is passed over, so is everything after a `#`, so are blank lines.
// Every function here throws DataError that names file, line where one is not as it should be.

struct LibsvmOptions {
  /// 2^hash_bits features, 1 to 30. Where every index fits, feature index - 1; else they are
  /// hashed.
  int hash_bits = 20;
  int classes = 0;                         ///< 0: as many as the labels name, at least 2
  std::int64_t index_max = 4'294'967'295;  ///< of an index in the file; at most this
};

/// The files of a folder, found by their ends.
struct LibsvmFiles {
  std::string train;  ///< `*.train`
  std::string test;   ///< `*.test`
};

LibsvmFiles find_libsvm_files(const std::string& folder);

/// The data set whose files are in `folder`: what the labels are, whether indices are hashed is
/// decided for both together.
DataSplit open_libsvm_folder(const std::string& folder, const LibsvmOptions& options,
                             Bytes memory_limit);

/// The examples of a text, held in memory; the name is for errors.
std::shared_ptr<const Dataset> parse_libsvm(std::string_view text, const std::string& name,
                                            const LibsvmOptions& options);

}  // namespace foretrain
