// The description of a data set.
#include "models/data/cifar10.h"
#include "models/data/open_data.h"
#include "tests/support/idx_files.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace foretrain;
using Catch::Contains;

namespace {

void write_data(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string criteo_row(const std::string& label, int fields = 39) {
  std::string row = label;
  for (int i = 0; i < fields; ++i) row += i % 3 == 0 ? "\t" : "\t" + std::to_string(i);
  return row + "\n";
}

}  // namespace

TEST_CASE("verify: IDX with whatever classes there are") {
  const TempFolder folder;
  const Images images{.examples = 3,
                      .rows = 1,
                      .columns = 2,
                      .classes = 40,
                      .channels = 1,
                      .pixels = {1, 2, 3, 4, 5, 6},
                      .labels = {7, 39, 7}};
  write_idx_folder(images, images, folder.path());
  CHECK(describe_data(folder.path()) ==
        "format     idx\ntrain      3 of 1x2x1, 2 classes (7: 2, 39: 1)\n"
        "test       3 of 1x2x1, 2 classes (7: 2, 39: 1)\n");
}

TEST_CASE("verify: CIFAR-10") {
  const TempFolder folder;
  write_data(folder / "data_batch_1.bin", std::string(2 * kCifarRecord, '\3'));
  write_data(folder / "test_batch.bin", std::string(kCifarRecord, '\4'));
  CHECK_THAT(describe_data(folder.path()), Contains("train      2 of 32x32x3, 1 classes (3: 2)"));
  write_data(folder / "test_batch.bin", std::string(kCifarRecord + 1, '\3'));
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }),
             Contains("/test_batch.bin: record 1 has 1 of its 3,073 bytes"));
}

TEST_CASE("verify: text is read to its last line") {
  const TempFolder folder;
  write_data(folder / "a.test", "1 1:1\n");
  write_data(folder / "a.train", "-1 1:0.5 3:2\n1 3:-1\n");
  CHECK_THAT(describe_data(folder.path()),
             Contains("format     libsvm\ntrain      2 of 1.33 of ") &&
                 Contains("2 classes (0: 1, 1: 1)"));
  write_data(folder / "a.train", "1 1:0.5 3:2\n1 3:-1 2:7\n");
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }),
             Contains("/a.train:2: index 2 after 3"));
  const TempFolder other;
  write_data(other / "test.csv", criteo_row("1"));
  write_data(other / "train.csv", criteo_row("0") + criteo_row("1"));
  CHECK_THAT(describe_data(other.path()), Contains("train      2 of 39.00 of 1,048,576 features"));
  write_data(other / "train.csv", criteo_row("0") + criteo_row("1", 38));
  CHECK_THAT(complaint([&] { describe_data(other.path()); }),
             Contains("/train.csv:2: 39 fields between tabs"));
}

TEST_CASE("verify: what is no data set is refused") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }), Contains("has no data set"));
  CHECK_THAT(complaint([&] { describe_data(folder / "absent"); }), Contains("No such file"));
  write_data(folder / "image.png", "\x89PNG\1\2");
  CHECK_THAT(complaint([&] { describe_data(folder / "image.png"); }),
             Contains("cannot be read as a folder"));
}

TEST_CASE("verify: the real data sets are what they are") {
  const std::string folder = source_dir() + "/../shared/data";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: ../shared/data is absent");
    return;
  }
  CHECK_THAT(describe_data(folder + "/agaricus"), Contains("train      6,513 of 22.00 of "));
  CHECK_THAT(describe_data(folder + "/criteo"), Contains("train      7,200 of 39.00 of "));
  CHECK_THAT(describe_data(folder + "/mnist"),
             Contains("test       10,000 of 28x28x1, 10 classes (0: 980, 1: 1,135"));
}
