// Finding the four files of an IDX data set in a folder.
#include "models/data/idx.h"
#include "tests/support/idx_files.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace foretrain;
using Catch::Contains;
namespace fs = std::filesystem;

namespace {

const std::array<std::string, 4> kNames{"train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                        "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

void touch(const TempFolder& folder, const std::string& name) {
  std::ofstream(folder / name) << "x";
}

Images grey(int examples, int side, std::uint8_t shade) {
  Images dataset;
  dataset.examples = examples;
  dataset.rows = side;
  dataset.columns = side;
  dataset.classes = 10;
  dataset.labels.assign(static_cast<std::size_t>(examples), 4);
  dataset.pixels.assign(static_cast<std::size_t>(examples * side * side), shade);
  return dataset;
}

ImageSources opened(const std::string& folder) {
  return open_idx_folder(folder, kIdxClasses, Bytes{1'000'000'000});
}

}  // namespace

TEST_CASE("idx folder: the four MNIST names make a data set", "[idx]") {
  const TempFolder folder;
  write_idx(grey(3, 2, 10), folder / kNames[0], folder / kNames[1]);
  write_idx(grey(2, 2, 20), folder / kNames[2], folder / kNames[3]);
  const ImageSources split = opened(folder.path());
  std::vector<std::uint8_t> scratch;
  CHECK(split.train->examples() == 3);
  CHECK(split.train->pixels(2, scratch)[3] == 10);
  CHECK(split.test->examples() == 2);
  CHECK(split.test->pixels(1, scratch)[0] == 20);
}

TEST_CASE("idx folder: the older names with a dot are found too, packed ones as well", "[idx]") {
  const TempFolder folder;
  touch(folder, "train-images.idx3-ubyte");
  touch(folder, "train-labels.idx1-ubyte.gz");
  touch(folder, "t10k-images-idx3-ubyte.gz");
  touch(folder, "t10k-labels-idx1-ubyte");
  const IdxFiles files = find_idx_files(folder.path());
  CHECK(files.train_images == folder / "train-images.idx3-ubyte");
  CHECK(files.train_labels == folder / "train-labels.idx1-ubyte.gz");
  CHECK(files.test_images == folder / "t10k-images-idx3-ubyte.gz");
  CHECK(files.test_labels == folder / "t10k-labels-idx1-ubyte");
}

TEST_CASE("idx folder: a plain file is preferred to a packed one", "[idx]") {
  const TempFolder folder;
  for (const auto& name : kNames) {
    touch(folder, name);
    touch(folder, name + ".gz");
  }
  const IdxFiles files = find_idx_files(folder.path());
  CHECK(files.train_images == folder / kNames[0]);
  CHECK(files.test_labels == folder / kNames[3]);
}

TEST_CASE("idx folder: what is missing is named with the folder", "[idx]") {
  for (std::size_t missing = 0; missing < kNames.size(); ++missing) {
    const TempFolder folder;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
      if (i != missing) touch(folder, kNames[i]);
    }
    const std::string said = complaint([&] { find_idx_files(folder.path()); });
    CHECK_THAT(said, Contains(folder.path() + ": the folder has no " + kNames[missing]));
    CHECK_THAT(said, !Contains(kNames[(missing + 1) % 4]));
  }
}

TEST_CASE("idx folder: everything that is missing is named at once", "[idx]") {
  const TempFolder folder;
  const std::string said = complaint([&] { opened(folder.path()); });
  for (const auto& name : kNames) CHECK_THAT(said, Contains("no " + name));
}

TEST_CASE("idx folder: a folder that is not there, or no folder, is refused", "[idx]") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { find_idx_files(folder / "absent"); }),
             Contains("/absent: no such folder"));
  touch(folder, "file");
  CHECK_THAT(complaint([&] { find_idx_files(folder / "file"); }), Contains("/file: not a folder"));
}

TEST_CASE("idx folder: training, test images of two sizes name both files", "[idx]") {
  const TempFolder folder;
  write_idx(grey(3, 2, 10), folder / kNames[0], folder / kNames[1]);
  write_idx(grey(2, 3, 20), folder / kNames[2], folder / kNames[3]);
  CHECK_THAT(complaint([&] { opened(folder.path()); }),
             Contains(kNames[0] + ": images of 2 x 2 pixels") && Contains(kNames[2] + ": 3 x 3"));
}

TEST_CASE("idx folder: MNIST is read from its four packed files", "[idx]") {
  const std::string folder = source_dir() + "/../shared/data/mnist";
  if (!fs::exists(folder)) {
    WARN("skipped: ../shared/data/mnist is absent");
    return;
  }
  const ImageSources mnist = opened(folder);
  CHECK(mnist.train->examples() == 60'000);
  CHECK(mnist.test->examples() == 10'000);
  CHECK(mnist.train->image() == Shape{28, 28, 1});
  const auto count = [](const ImageSource& images) {
    std::vector<int> counts(10);
    for (std::int64_t i = 0; i < images.examples(); ++i) {
      ++counts[static_cast<std::size_t>(images.label(i))];
    }
    return counts;
  };
  CHECK(count(*mnist.train) ==
        std::vector<int>{5923, 6742, 5958, 6131, 5842, 5421, 5918, 6265, 5851, 5949});
  CHECK(count(*mnist.test) ==
        std::vector<int>{980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009});
  // The first training image is the well-known five.
  CHECK(mnist.train->label(0) == 5);
  std::vector<std::uint8_t> scratch;
  const std::uint8_t* five = mnist.train->pixels(0, scratch);
  CHECK(std::count(five, five + 784, 0) == 618);
}
