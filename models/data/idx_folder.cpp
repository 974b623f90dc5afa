// Finds the four files of an IDX data set by their names.
#include "models/data/idx.h"
#include "models/data/refuse.h"

#include <filesystem>
#include <string_view>

namespace foretrain {
namespace {

/// The first existing file among its possible names; empty if there is none.
std::string find_file(const std::filesystem::path& folder, std::string_view stem,
                      std::string_view type) {
  for (const char* packing : {"", ".gz"}) {
    for (const char* joint : {"-", "."}) {
      const auto path = folder / fmt::format("{}{}{}{}", stem, joint, type, packing);
      std::error_code ignored;
      if (std::filesystem::exists(path, ignored)) return path.string();
    }
  }
  return {};
}

void check_same(const IdxFiles& files, Shape train, Shape test) {
  if (train.rows != test.rows || train.columns != test.columns) {
    throw DataError(fmt::format(
        "{}: images of {} x {} pixels, but {}: {} x {}; the files must be of one data set",
        files.train_images, train.rows, train.columns, files.test_images, test.rows, test.columns));
  }
  if (train.channels != test.channels) {
    throw DataError(fmt::format("{}: {} channels, but {}: {}; the files must be of one data set",
                                files.train_images, train.channels, files.test_images,
                                test.channels));
  }
}

Shape shape_of(const IdxHeader& header) { return {header.rows, header.columns, header.channels}; }

IdxPart part_headers(const std::string& images_path, const std::string& labels_path) {
  const IdxPart part{read_idx_header(images_path), read_idx_header(labels_path)};
  if (part.images.kind != IdxKind::kImages) {
    refuse(images_path, "holds labels where images are expected; rename the files");
  }
  if (part.labels.kind != IdxKind::kLabels) {
    refuse(labels_path, "holds images where labels are expected; rename the files");
  }
  if (part.images.examples != part.labels.examples) {
    throw DataError(fmt::format(
        "{}: {} images, but {}: {} labels; the two files must belong together, fetch both again",
        images_path, part.images.examples, labels_path, part.labels.examples));
  }
  return part;
}

}  // namespace

IdxFiles find_idx_files(const std::string& folder) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (!fs::exists(folder, ignored)) {
    refuse(folder, "no such folder; name the one that holds the four files of the data set");
  }
  if (!fs::is_directory(folder, ignored)) {
    refuse(folder, "not a folder; name the one that holds the four files of the data set");
  }
  IdxFiles files;
  std::string missing;
  const auto find = [&](std::string_view stem, std::string_view type, std::string& path) {
    path = find_file(folder, stem, type);
    if (path.empty()) missing += fmt::format("{}no {}-{}", missing.empty() ? "" : ", ", stem, type);
  };
  find("train-images", "idx3-ubyte", files.train_images);
  find("train-labels", "idx1-ubyte", files.train_labels);
  find("t10k-images", "idx3-ubyte", files.test_images);
  find("t10k-labels", "idx1-ubyte", files.test_labels);
  if (!missing.empty()) {
    refuse(folder, "the folder has {} (plain or .gz); put it there, or name another folder",
           missing);
  }
  return files;
}

ImageSources open_idx_folder(const std::string& folder, int classes, Bytes memory_limit) {
  const IdxFiles files = find_idx_files(folder);
  ImageSources sources;
  sources.test = open_idx_dataset(files.test_images, files.test_labels, classes, memory_limit);
  sources.train = open_idx_dataset(files.train_images, files.train_labels, classes, memory_limit);
  check_same(files, sources.train->image(), sources.test->image());
  return sources;
}

IdxFolder read_idx_headers(const std::string& folder) {
  const IdxFiles files = find_idx_files(folder);
  const IdxFolder headers{part_headers(files.train_images, files.train_labels),
                          part_headers(files.test_images, files.test_labels)};
  check_same(files, shape_of(headers.train.images), shape_of(headers.test.images));
  return headers;
}

}  // namespace foretrain
