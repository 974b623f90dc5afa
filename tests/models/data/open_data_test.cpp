// Opening data sets by the name of their format.
#include "models/data/open_data.h"

#include "models/base/check.h"
#include "models/data/cifar10.h"
#include "models/data/digits.h"
#include "tests/models/data/drawn_sparse_rows.h"
#include "tests/support/idx_files.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

DataSource source_of(const std::string& format, const std::string& path = "") {
  DataSource source;
  source.format = format;
  source.path = path;
  return source;
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// Writes a small, complete folder for each format that is read from files.
void fill(const TempFolder& folder, const std::string& format) {
  if (format == "idx") {
    const ImageSplit digits = draw_digits(5, 3, 1);
    write_idx_folder(digits.train, digits.test, folder.path());
  } else if (format == "cifar10") {
    write(folder / "data_batch_1.bin", std::string(2 * kCifarRecord, '\3'));
    write(folder / "test_batch.bin", std::string(kCifarRecord, '\4'));
  } else if (format == "libsvm") {
    write(folder / "a.train", "1 1:1 2:1\n0 3:1\n");
    write(folder / "a.test", "1 1:1\n");
  } else {
    std::string row = "1";
    for (int i = 0; i < 39; ++i) row += "\t" + std::to_string(i);
    write(folder / "train.csv", row + "\n" + row + "\n");
    write(folder / "test.csv", row + "\n");
  }
}

}  // namespace

TEST_CASE("open data: the summary of every format but text is what opening it gives") {
  const auto formats = data_formats();
  CHECK(formats == std::vector<std::string>{"digits", "images", "clicks", "idx", "cifar10",
                                            "libsvm", "criteo"});
  for (const std::string& format : formats) {
    CAPTURE(format);
    const TempFolder folder;
    DataSource source = source_of(format, folder.path());
    source.train_count = 6;
    source.test_count = 4;
    source.side = 24;
    source.hash_bits = 8;
    const bool sparse = format == "clicks" || format == "libsvm" || format == "criteo";
    source.image.crop = sparse ? 0 : 20;
    if (format != "digits" && format != "images" && format != "clicks") fill(folder, format);
    const auto summary = summarize_data(source);
    CHECK(summary.has_value() == (format != "libsvm" && format != "criteo"));
    const DataSplit split = open_data(source);
    CHECK(split.train->examples() > split.test->examples());
    CHECK(split.train->shape() == split.test->shape());
    if (summary) {
      CHECK(summary->train_examples == split.train->examples());
      CHECK(summary->test_examples == split.test->examples());
      CHECK(summary->shape == split.train->shape());
    }
    if (sparse) {
      // A row takes 8 bytes for its start and 2 for its label; an entry takes 4 for its feature and
      // 4 for its value.
      Bytes held;
      for (const auto& dataset : {split.train, split.test}) {
        for (const SparseExample& row : rows_of(*dataset)) {
          held += Bytes{8 + 2 + 8 * std::ssize(row.entries)};
        }
      }
      const std::int64_t examples = split.train->examples() + split.test->examples();
      CHECK(table_bytes(examples, split.train->shape()) == held);
    }
    Batch batch;
    split.train->gather(std::vector<std::int64_t>{1, 0}, nullptr, batch);
    CHECK(batch.examples == 2);
    CHECK(batch.labels.size() == 2);
  }
}

TEST_CASE("open data: an unknown format names those that there are") {
  CHECK_THAT(complaint([] { open_data(source_of("png")); }),
             Contains("no format `png`") &&
                 Contains("digits, images, clicks, idx, cifar10, libsvm, criteo"));
}

TEST_CASE("open data: a crop that does not fit is refused by summary and opening alike") {
  DataSource source = source_of("digits");
  source.train_count = 2;
  source.test_count = 2;
  source.image.crop = 29;
  CHECK_THAT(complaint([&] { summarize_data(source); }), Contains("crop 29 does not fit"));
  CHECK_THAT(complaint([&] { open_data(source); }), Contains("crop 29 does not fit"));
}

TEST_CASE("open data: images that are only scaled are not prepared ahead, padded ones are") {
  DataSource source = source_of("digits");
  source.train_count = 2;
  source.test_count = 2;
  for (const int pad : {0, 4}) {
    source.image.crop = 28;
    source.image.pad = pad;
    CHECK(summarize_data(source)->prefetched == (pad > 0));
    CHECK(open_data(source).train->worth_prefetching() == (pad > 0));
  }
}

TEST_CASE("open data: take keeps the first examples and refuses the others") {
  DataSource digits = source_of("digits");
  digits.train_count = 9;
  const DataSplit split = open_data(digits);
  const auto five = take(split.train, 5);
  CHECK(five->examples() == 5);
  CHECK(five->shape() == split.train->shape());
  Batch some;
  Batch whole;
  five->gather(std::vector<std::int64_t>{4, 2}, nullptr, some);
  split.train->gather(std::vector<std::int64_t>{4, 2}, nullptr, whole);
  CHECK(some.labels == whole.labels);
  CHECK(std::equal(some.inputs.data(), some.inputs.data() + 2 * 784, whole.inputs.data()));
  CHECK_THROWS_AS(five->gather(std::vector<std::int64_t>{5}, nullptr, some), InvariantViolation);
  CHECK(take(split.train, 100) == split.train);
}
