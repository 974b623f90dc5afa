// Writes IDX files for tests that read them.
#pragma once

#include "models/data/images.h"

#include <cstdint>
#include <fstream>
#include <initializer_list>
#include <string>

namespace foretrain {

/// Writes two uncompressed files that `read_idx_dataset` reads as `images`.
inline void write_idx(const Images& images, const std::string& images_path,
                      const std::string& labels_path) {
  const auto put = [](std::ofstream& out, std::initializer_list<std::int64_t> header) {
    for (const std::int64_t number : header) {
      for (const int shift : {24, 16, 8, 0}) out.put(static_cast<char>(number >> shift & 0xff));
    }
  };
  std::ofstream out(images_path, std::ios::binary);
  if (images.channels == 1) {
    put(out, {0x803, images.examples, images.rows, images.columns});
  } else {
    put(out, {0x804, images.examples, images.rows, images.columns, images.channels});
  }
  out.write(reinterpret_cast<const char*>(images.pixels.data()), std::ssize(images.pixels));
  const bool wide = images.classes > 256;
  std::ofstream labels(labels_path, std::ios::binary);
  put(labels, {wide ? 0xb01 : 0x801, images.examples});
  for (const std::uint16_t label : images.labels) {
    if (wide) labels.put(static_cast<char>(label >> 8));
    labels.put(static_cast<char>(label & 0xff));
  }
}

/// Writes the four files of a data set under their MNIST names.
inline void write_idx_folder(const Images& train, const Images& test, const std::string& folder) {
  write_idx(train, folder + "/train-images-idx3-ubyte", folder + "/train-labels-idx1-ubyte");
  write_idx(test, folder + "/t10k-images-idx3-ubyte", folder + "/t10k-labels-idx1-ubyte");
}

}  // namespace foretrain
