// The CIFAR-10 data set in its binary version.
#pragma once

#include "models/base/quantity.h"
#include "models/data/data_error.h"
#include "models/data/image_source.h"
#include "models/data/images.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace foretrain {

// A file is records of 3,073 bytes: the label, 0 to 9, then 1,024 bytes of red, of green, of blue,
// each 32 rows of 32 pixels (https://www.cs.toronto.edu/~kriz/cifar.html). Reading an image
// interleaves the channels of each pixel. Every function here throws DataError if a file does not
// have this format; records are counted from 0.

constexpr int kCifarSide = 32;  // pixels
constexpr int kCifarChannels = 3;
constexpr int kCifarClasses = 10;
constexpr std::int64_t kCifarRecord = 1 + kCifarSide * kCifarSide * kCifarChannels;  // bytes

/// The files of a folder, in the order of their names.
struct CifarFiles {
  std::vector<std::string> train;  ///< `data_batch_*.bin`
  std::vector<std::string> test;   ///< `test_*.bin`
};

CifarFiles find_cifar10_files(const std::string& folder);

/// The number of images in the files, by their lengths alone.
std::int64_t count_cifar10(const std::vector<std::string>& files);

/// The images of one file from its bytes; `path` is for errors.
Images parse_cifar10(std::span<const std::uint8_t> file, const std::string& path);

/// The images of these files, one after another; if they have more than `memory_limit` bytes, they
/// are read from their files on demand.
std::shared_ptr<const ImageSource> open_cifar10(const std::vector<std::string>& files,
                                                Bytes memory_limit);

/// The data set whose files are in `folder`.
ImageSources open_cifar10_folder(const std::string& folder, Bytes memory_limit);

}  // namespace foretrain
