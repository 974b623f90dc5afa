// Tests of what is said of a data file.
#include "models/data/verify.h"

#include "models/data/cifar10.h"
#include "models/data/idx.h"
#include "models/data/open_data.h"
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

TEST_CASE("verify: an IDX folder or each of its files") {
  const TempFolder folder;
  const Images images{.examples = 3,
                      .rows = 1,
                      .columns = 2,
                      .classes = 40,
                      .channels = 1,
                      .pixels = {1, 2, 3, 4, 5, 6},
                      .labels = {7, 39, 7}};
  write_idx(images, folder / "train-images-idx3-ubyte", folder / "train-labels-idx1-ubyte");
  write_idx(images, folder / "t10k-images-idx3-ubyte", folder / "t10k-labels-idx1-ubyte");
  const std::string part =
      "format     IDX\nexamples   3\nshape      1x2x1\nclasses    2 (7: 2, 39: 1)\n"
      "values     1 to 6, mean 3.50\n";
  CHECK(describe_data(folder.path()) == "train\n" + part + "test\n" + part);
  CHECK(describe_data(folder / "train-images-idx3-ubyte") ==
        "format     IDX images\nexamples   3\nshape      1x2x1\nvalues     1 to 6, mean 3.50\n");
  CHECK(describe_data(folder / "t10k-labels-idx1-ubyte") ==
        "format     IDX labels\nexamples   3\nclasses    2 (7: 2, 39: 1)\n");
}

TEST_CASE("verify: CIFAR-10") {
  const TempFolder folder;
  write_data(folder / "some.bin", std::string(2 * kCifarRecord, '\3'));
  CHECK(describe_data(folder / "some.bin") ==
        "format     CIFAR-10\nexamples   2\nshape      32x32x3\nclasses    1 (3: 2)\n"
        "values     3 to 3, mean 3.00\n");
  write_data(folder / "some.bin", std::string(kCifarRecord + 1, '\3'));
  CHECK_THAT(complaint([&] { describe_data(folder / "some.bin"); }),
             Contains("/some.bin: record 1 has 1 of its 3,073 bytes"));
}

TEST_CASE("verify: LIBSVM with its density") {
  const TempFolder folder;
  write_data(folder / "a.train", "-1 1:0.5 3:2\n1 3:-1\n");
  CHECK(describe_data(folder.path()) ==
        "a.train\nformat     LIBSVM\nexamples   2\n"
        "features   2 distinct, 1.50 an example, density 0.7500\nclasses    2 (0: 1, 1: 1)\n"
        "values     -1 to 2\n");
  write_data(folder / "a.train", "1 1:0.5 3:2\n1 3:-1 2:7\n");
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }),
             Contains("/a.train:2: index 2 after 3"));
}

TEST_CASE("verify: Criteo with what is missing") {
  const TempFolder folder;
  write_data(folder / "train.csv", criteo_row("0") + criteo_row("1") + criteo_row("0"));
  const std::string text = describe_data(folder / "train.csv");
  CHECK_THAT(text, Contains("format     Criteo\nexamples   3\nfeatures   39 distinct (hashed to 20"
                            " bits), 39.00 an example\nclasses    2 (0: 2, 1: 1)\n"));
  CHECK_THAT(text, Contains("missing    33.3 % of the fields\n"));
  write_data(folder / "train.csv", criteo_row("0") + criteo_row("1", 38));
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }),
             Contains("/train.csv:2: 39 fields between tabs"));
}

TEST_CASE("verify: what is no data set is refused") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { describe_data(folder.path()); }), Contains("has no data set"));
  CHECK_THAT(complaint([&] { describe_data(folder / "absent"); }), Contains("no such file"));
  write_data(folder / "image.png", "\x89PNG\1\2");
  CHECK_THAT(complaint([&] { describe_data(folder / "image.png"); }), Contains("neither IDX nor"));
}

TEST_CASE("verify: the real data sets are what they are") {
  const std::string folder = source_dir() + "/../shared/data";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: ../shared/data is absent");
    return;
  }
  CHECK_THAT(describe_data(folder + "/agaricus"), Contains("agaricus.txt.train\n") &&
                                                      Contains("examples   6,513\n") &&
                                                      Contains("22.00 an example"));
  CHECK_THAT(describe_data(folder + "/criteo"),
             Contains("train.csv\n") && Contains("examples   7,200\n") && Contains("missing    "));
  CHECK_THAT(describe_data(folder + "/mnist/t10k-labels-idx1-ubyte.gz"),
             Contains("IDX labels\nexamples   10,000\nclasses    10 (0: 980, 1: 1,135"));
  CHECK_THAT(describe_data(folder + "/cifar10/test_first1000.bin"), Contains("examples   1,000\n"));
}
