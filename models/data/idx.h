// The IDX file format of the MNIST data set.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/image_source.h"
#include "models/data/images.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

// An IDX file is a header of big-endian 32-bit numbers, then unsigned bytes:
//   images  magic 0x00000803, examples, rows, columns, then examples * rows * columns pixels
//   labels  magic 0x00000801, examples, then one label an example
// (http://yann.lecun.com/exdb/mnist). By the same rules images with several channels have magic
// 0x00000804, with the channels as the last number of the header; more than 256 classes have magic
// 0x00000b01, with two bytes a label, the high one first. Whether a file is packed with gzip is
// decided by its content, not by its name. Every function here throws DataError if a file does not
// have this format.

enum class IdxKind { kImages, kLabels };

/// The header of a file.
struct IdxHeader {
  IdxKind kind = IdxKind::kImages;
  std::int64_t examples = 0;  ///< at least 1
  int rows = 0;               ///< images: 1 to 4,096; labels: 0
  int columns = 0;            ///< as rows
  int channels = 0;           ///< images: 1 to 4; labels: 0
  int label_bytes = 0;        ///< labels: 1 or 2; images: 0
};

/// The four files of a data set.
struct IdxFiles {
  std::string train_images;
  std::string train_labels;
  std::string test_images;
  std::string test_labels;
};

/// MNIST's classes, the default range of labels.
constexpr int kIdxClasses = 10;

/// Only the header, without reading the data: enough for the shape of a data set. The length of a
/// plain file is checked too; that of a packed one is known only when its data is read.
IdxHeader read_idx_header(const std::string& path);

/// The images with their labels, which must be below `classes`.
Images read_idx_dataset(const std::string& images_path, const std::string& labels_path,
                        int classes = kIdxClasses);

/// The same from the bytes of both files; the paths are for errors.
Images parse_idx(std::span<const std::uint8_t> images, const std::string& images_path,
                 std::span<const std::uint8_t> labels, const std::string& labels_path,
                 int classes = kIdxClasses);

/// As `read_idx_dataset`, but plain images of more than `memory_limit` bytes stay in their file.
std::shared_ptr<const ImageSource> open_idx_dataset(const std::string& images_path,
                                                    const std::string& labels_path, int classes,
                                                    Bytes memory_limit);

/// The four files by their MNIST names: `train-images-idx3-ubyte`, `train-labels-idx1-ubyte`,
/// `t10k-images-idx3-ubyte`, `t10k-labels-idx1-ubyte`, each also with a dot before `idx`, each also
/// with `.gz`. A plain file is preferred to a packed one.
IdxFiles find_idx_files(const std::string& folder);

/// The data set whose four files are in `folder`, each part opened as by `open_idx_dataset`.
ImageSources open_idx_folder(const std::string& folder, int classes, Bytes memory_limit);

/// The headers of images and labels of one part, checked to match.
struct IdxPart {
  IdxHeader images;
  IdxHeader labels;
};
struct IdxFolder {
  IdxPart train;
  IdxPart test;
};
IdxFolder read_idx_headers(const std::string& folder);

}  // namespace foretrain
