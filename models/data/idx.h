// The IDX file format, in which the MNIST data set comes.
#pragma once

#include "models/data/data_error.h"
#include "models/data/dataset.h"

#include <cstdint>
#include <string>

namespace foretrain {

// An IDX file is a header of big-endian 32-bit numbers, then unsigned bytes:
//   images  magic 0x00000803, examples, rows, columns, then examples * rows * columns pixels
//   labels  magic 0x00000801, examples, then one label an example
// (http://yann.lecun.com/exdb/mnist). Whether a file is packed with gzip is decided by its
// content, not by its name. Every function here throws DataError where a file is not as it should.

enum class IdxKind { kImages, kLabels };

/// What a file says of itself before its data.
struct IdxHeader {
  IdxKind kind = IdxKind::kImages;
  std::int64_t examples = 0;  ///< at least 1
  int rows = 0;               ///< images: 1 to 4,096; labels: 0
  int columns = 0;            ///< as rows
};

/// The four files of a data set.
struct IdxFiles {
  std::string train_images;
  std::string train_labels;
  std::string test_images;
  std::string test_labels;
};

/// The header alone, without reading the data: enough to know the shape of a data set. The length
/// of a plain file is checked too; that of a packed one is known only when its data is read.
IdxHeader read_idx_header(const std::string& path);

/// The images with their labels, which are 0 to 9.
Dataset read_idx_dataset(const std::string& images_path, const std::string& labels_path);

/// The four files by their MNIST names: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
/// `t10k-images-idx3-ubyte`, `t10k-labels-idx1-ubyte`, each also with a dot before `idx`, each
/// also with `.gz`. A plain file is preferred to a packed one.
IdxFiles find_idx_files(const std::string& folder);

/// The data set whose four files are in `folder`.
DataSplit read_idx_folder(const std::string& folder);

/// Writes two plain files that `read_idx_dataset` reads back as the same data set.
void write_idx(const Dataset& dataset, const std::string& images_path,
               const std::string& labels_path);

}  // namespace foretrain
