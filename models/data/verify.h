// Says what a data file holds.
#pragma once

#include "models/data/data_error.h"

#include <string>

namespace foretrain {

/// Finds out what the file or the folder `path` holds (IDX plain or packed, CIFAR-10, LIBSVM,
/// Criteo), reads all of it, and tells in a few lines: format, examples, shape, classes with their
/// counts, range of values; of sparse data how dense it is, of Criteo how much is missing.
/// @throws DataError for what is wrong with it
std::string describe_data(const std::string& path);

}  // namespace foretrain
