// Says what a data set holds.
#pragma once

#include "models/data/data_error.h"

#include <string>

namespace foretrain {

/// Finds the format of the data set in `folder` by the names of its files (IDX plain or packed,
/// CIFAR-10, LIBSVM, Criteo) and reads all of its examples. Returns a few lines: the format; for
/// the training and the test examples their number, their shape, their classes with counts.
/// @throws DataError for what is wrong with it
std::string describe_data(const std::string& folder);

}  // namespace foretrain
