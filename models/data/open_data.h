// The common interface to every data set for training.
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

/// The data set and how it is read. A field is ignored if its comment omits the format.
struct DataSource {
  std::string format;                 ///< one of `data_formats()`
  std::string path;                   ///< idx, cifar10, libsvm, criteo: the folder of its files
  std::int64_t train_count = 10'000;  ///< digits, images, clicks: number of examples generated
  std::int64_t test_count = 2'000;    ///< as train_count
  std::uint64_t seed = 1;             ///< digits, images, clicks: seed of the generator
  ImageOptions image;                 ///< digits, images, idx, cifar10
  int side = 224;                     ///< images: pixels, 8 to 512
  int channels = 3;                   ///< images: 1 (grey) or 3
  int classes = 0;                    ///< images: 2 to 65,536, 0: 10. idx: limit of labels, 0: 10.
                                      ///< libsvm: likewise, 0: as labels imply
  int hash_bits = 20;                 ///< clicks, libsvm, criteo: 2^hash_bits features, 1 to 30
  Bytes memory_limit{2'000'000'000};  ///< for train and test each: larger data is read from its
                                      ///< file on demand (unless it is a gzip file)

  bool operator==(const DataSource&) const = default;
};

/// The formats that can be opened: `digits images clicks idx cifar10 libsvm criteo`. The first
/// three are generated, not read from files.
std::vector<std::string> data_formats();

/// A line for each format: its name and its description.
std::string describe_formats();

/// Opens the training and test examples. @throws DataError
DataSplit open_data(const DataSource& source);

/// The properties of a data set, without its examples.
struct DataSummary {
  std::int64_t train_examples = 0;
  std::int64_t test_examples = 0;
  InputShape shape;  ///< after the crop, if there is one
  /// Memory of all examples, in every process that opens them. It does not include examples
  /// generated on demand, nor a mapped file's pages, which belong to the kernel.
  Bytes memory{};
  bool prefetched = false;  ///< Dataset::worth_prefetching of the training examples
  Bytes drawing{};          ///< held in addition while examples are generated
};

/// The memory of `examples` sparse examples.
Bytes table_bytes(std::int64_t examples, const InputShape& shape);

/// The summary of what `open_data` would open, from parameters, headers, lengths of files;
/// nullopt for formats whose examples must be read (libsvm, criteo). @throws DataError
std::optional<DataSummary> summarize_data(const DataSource& source);

/// The first `count` examples; all of them if there are fewer.
std::shared_ptr<const Dataset> take(std::shared_ptr<const Dataset> dataset, std::int64_t count);

/// The mean number of distinct features in a batch of `batch_size` examples of a sparse data set:
/// the size of a sparse push. Batches are drawn with a fixed seed, so the same data set gives the
/// same number. A batch as large as the data set has all of its features.
double mean_distinct(const Dataset& dataset, std::int64_t batch_size);

/// Finds the format of the data set in `folder` by the names of its files (IDX plain or packed,
/// CIFAR-10, LIBSVM, Criteo) and reads all of its examples. Returns a few lines: the format; for
/// the training and the test examples their number, their shape, their classes with counts.
/// @throws DataError if the data set has an error
std::string describe_data(const std::string& folder);

}  // namespace foretrain
