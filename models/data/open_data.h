// One door to every data set that can be trained on.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/dataset.h"
#include "models/data/images.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// Which data set, how it is read. Fields that a format does not name below are not looked at.
struct DataSource {
  std::string format;                 ///< one of `data_formats()`
  std::string path;                   ///< idx, cifar10, libsvm, criteo: the folder of its files
  std::int64_t train_count = 10'000;  ///< digits, images, clicks: how many are drawn
  std::int64_t test_count = 2'000;    ///< as train_count
  std::uint64_t seed = 1;             ///< digits, images, clicks: what is drawn
  ImageOptions image;                 ///< digits, images, idx, cifar10
  int side = 224;                     ///< images: pixels, 8 to 512
  int channels = 3;                   ///< images: 1 (grey) or 3
  int classes = 0;                    ///< images: 2 to 65,536, 0: 10. idx: labels are below it,
                                      ///< 0: 10. libsvm: likewise, 0: as many as the labels name
  int hash_bits = 20;                 ///< clicks, libsvm, criteo: 2^hash_bits features, 1 to 30
  Bytes memory_limit{2'000'000'000};  ///< train, test each: a larger one stays in its file and is
                                      ///< read as it is used (not so where the file is packed)

  bool operator==(const DataSource&) const = default;
};

/// The formats that can be opened: `digits images clicks idx cifar10 libsvm criteo`. The first
/// three are drawn, not read.
std::vector<std::string> data_formats();

/// A line a format: its name, what it is.
std::string describe_formats();

/// Opens the examples to train on, the examples to judge by. @throws DataError
DataSplit open_data(const DataSource& source);

/// What a data set is, without its examples.
struct DataSummary {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  InputShape shape;  ///< after the crop, if there is one
  /// Of all examples, in every process that opens them. What is drawn along the way is not held; a
  /// mapped file's pages are the kernel's, so they are none of it.
  Bytes memory{};
  bool prefetched = false;  ///< Dataset::worth_prefetching of the training examples
  Bytes drawing{};          ///< held beside the examples while they are drawn
};

/// What so many sparse examples take in memory.
Bytes table_bytes(std::int64_t examples, const InputShape& shape);

/// The same as of `open_data`, from parameters, headers, lengths of files; nothing where only the
/// examples tell it: text. @throws DataError
std::optional<DataSummary> summarize_data(const DataSource& source);

/// The first `count` examples; all of them where there are no more.
std::shared_ptr<const Dataset> take(std::shared_ptr<const Dataset> dataset, std::int64_t count);

/// The mean number of distinct features in a batch of `batch_size` examples of a sparse data set:
/// what a sparse push carries. Batches are drawn from the stream `data.mean_distinct`, so the same
/// data set gives the same number. A batch as large as the data set has all of its features.
double mean_distinct(const Dataset& dataset, std::int64_t batch_size);

/// Finds the format of the data set in `folder` by the names of its files (IDX plain or packed,
/// CIFAR-10, LIBSVM, Criteo) and reads all of its examples. Returns a few lines: the format; for
/// the training and the test examples their number, their shape, their classes with counts.
/// @throws DataError for what is wrong with it
std::string describe_data(const std::string& folder);

}  // namespace foretrain
