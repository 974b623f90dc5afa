// The Criteo display advertising data in its text format.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace foretrain {

// A line has 40 fields between tabs: the label (0 or 1), 13 integers, 26 categories; an empty field
// is a missing value (https://www.kaggle.com/c/criteo-display-ad-challenge). Each field
// but the label becomes one feature of value 1, hashed together with the number of its field:
//   integer v <= 2   v itself
//   integer v > 2    floor(ln(v)^2), hashed differently from a small v of that value (the winners
//                    of Kaggle's contest,
//                    https://www.csie.ntu.edu.tw/~r01922136/kaggle-2014-criteo.pdf)
//   category         its text
//   missing          a separate feature
// Every function here throws DataError, naming file and line, if a line does not have this format.

constexpr int kCriteoIntegers = 13;
constexpr int kCriteoCategories = 26;
constexpr int kCriteoFields = 1 + kCriteoIntegers + kCriteoCategories;

/// The data set of a folder: train.csv for training; test.csv, then dev.csv for testing (one of
/// them may be absent).
DataSplit open_criteo_folder(const std::string& folder, int hash_bits, Bytes memory_limit);

/// The examples of a text, held in memory; `name` is for errors.
std::shared_ptr<const Dataset> parse_criteo(std::string_view text, const std::string& name,
                                            int hash_bits);

}  // namespace foretrain
