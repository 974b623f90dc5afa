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

// A line is `label index:value index:value ...` with ascending indices from 1
// (https://www.csie.ntu.edu.tw/~cjlin/libsvm). Labels are -1, +1 (classes 0, 1) or the classes, 0
// .. classes - 1. `qid:N` after the label, everything after a `#`, and blank lines are skipped.
// Every function here throws DataError, naming file and line, if a line does not have this format.

struct LibsvmOptions {
  /// 2^hash_bits features, 1 to 30. If every index fits, the feature is index - 1; else indices are
  /// hashed.
  int hash_bits = 20;
  int classes = 0;                         ///< 0: the number that the labels imply, at least 2
  std::int64_t index_max = 4'294'967'295;  ///< limit of an index in the file; at most this default
};

/// The files of a folder, found by their suffixes.
struct LibsvmFiles {
  std::string train;  ///< `*.train`
  std::string test;   ///< `*.test`
};

LibsvmFiles find_libsvm_files(const std::string& folder);

/// The data set whose files are in `folder`: the kind of labels, and whether indices are hashed,
/// are decided for both files together.
DataSplit open_libsvm_folder(const std::string& folder, const LibsvmOptions& options,
                             Bytes memory_limit);

/// The examples of a text, held in memory; `name` is for errors.
std::shared_ptr<const Dataset> parse_libsvm(std::string_view text, const std::string& name,
                                            const LibsvmOptions& options);

}  // namespace foretrain
