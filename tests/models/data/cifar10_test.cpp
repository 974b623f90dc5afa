// The CIFAR-10 reader on files that the tests write.
#include "models/data/cifar10.h"

#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

/// A record whose planes are three ramps.
std::string record(int label, int start) {
  std::string raw(1, static_cast<char>(label));
  for (int channel = 0; channel < 3; ++channel) {
    for (int pixel = 0; pixel < 1024; ++pixel) {
      raw += static_cast<char>((start + 100 * channel + pixel) & 0xff);
    }
  }
  return raw;
}

void write_cifar(const std::string& path, const std::string& raw) {
  std::ofstream(path, std::ios::binary) << raw;
}

std::string complaint_about_cifar(const std::string& raw) {
  const TempFolder folder;
  write_cifar(folder / "test_batch.bin", raw);
  return complaint([&] { open_cifar10({folder / "test_batch.bin"}, Bytes{1'000'000}); });
}

}  // namespace

TEST_CASE("cifar10: the planes of a record become pixels of three channels", "[cifar10]") {
  const std::string raw = record(3, 0) + record(9, 50);
  const Images images =
      parse_cifar10({reinterpret_cast<const std::uint8_t*>(raw.data()), raw.size()}, "memory");
  CHECK(images.examples == 2);
  CHECK(images.classes == 10);
  CHECK(images.features() == 3072);
  CHECK(images.labels == std::vector<std::uint16_t>{3, 9});
  for (const int pixel : {0, 1, 500, 1023}) {
    for (int channel = 0; channel < 3; ++channel) {
      CAPTURE(pixel, channel);
      CHECK(images.pixels[static_cast<std::size_t>(pixel * 3 + channel)] ==
            ((100 * channel + pixel) & 0xff));
      CHECK(images.pixels[static_cast<std::size_t>(3072 + pixel * 3 + channel)] ==
            ((50 + 100 * channel + pixel) & 0xff));
    }
  }
}

TEST_CASE("cifar10: a folder is its batches in the order of their names", "[cifar10]") {
  const TempFolder folder;
  write_cifar(folder / "data_batch_2.bin", record(2, 2));
  write_cifar(folder / "data_batch_1.bin", record(0, 0) + record(1, 1));
  write_cifar(folder / "test_batch.bin", record(7, 3));
  write_cifar(folder / "readme.html", "no data");
  const ImageSources sources = open_cifar10_folder(folder.path(), Bytes{1'000'000});
  REQUIRE(sources.train->examples() == 3);
  for (int i = 0; i < 3; ++i) CHECK(sources.train->label(i) == i);
  CHECK(sources.test->label(0) == 7);
  const CifarFiles files = find_cifar10_files(folder.path());
  CHECK(count_cifar10(files.train) == 3);
  CHECK(count_cifar10(files.test) == 1);
}

TEST_CASE("cifar10: images above the limit stay in their files with the same bytes", "[cifar10]") {
  const TempFolder folder;
  write_cifar(folder / "data_batch_1.bin", record(0, 0) + record(1, 1));
  write_cifar(folder / "data_batch_2.bin", record(2, 2));
  const std::vector<std::string> paths{folder / "data_batch_1.bin", folder / "data_batch_2.bin"};
  const auto held = open_cifar10(paths, Bytes{3 * 3072});
  const auto mapped = open_cifar10(paths, Bytes{3 * 3072 - 1});
  CHECK_FALSE(held->slow());
  CHECK(mapped->slow());
  REQUIRE(held->examples() == 3);
  REQUIRE(mapped->examples() == 3);
  std::vector<std::uint8_t> scratch;
  for (std::int64_t i = 0; i < 3; ++i) {
    CHECK(held->label(i) == mapped->label(i));
    CHECK(std::equal(held->pixels(i, scratch), held->pixels(i, scratch) + 3072,
                     mapped->pixels(i, scratch)));
  }
}

TEST_CASE("cifar10: a file that ends within a record names it", "[cifar10]") {
  const std::string raw = record(1, 0) + record(2, 0);
  CHECK_THAT(
      complaint_about_cifar(raw.substr(0, 3073 + 100)),
      Contains("/test_batch.bin: record 1 has 100 of its 3,073 bytes") && Contains("truncated"));
  CHECK_THAT(complaint_about_cifar(""), Contains("/test_batch.bin: the file is empty"));
}

TEST_CASE("cifar10: a label above 9 is named with its record", "[cifar10]") {
  CHECK_THAT(complaint_about_cifar(record(1, 0) + record(10, 0)),
             Contains("/test_batch.bin: label 10 at record 1 (counted from 0)") &&
                 Contains("labels are 0 to 9"));
}

TEST_CASE("cifar10: a folder without batches says which file is missing", "[cifar10]") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { find_cifar10_files(folder.path()); }), Contains("data_batch_*.bin"));
  write_cifar(folder / "data_batch_1.bin", record(0, 0));
  CHECK_THAT(complaint([&] { find_cifar10_files(folder.path()); }), Contains("test_*.bin"));
  CHECK_THAT(complaint([&] { find_cifar10_files(folder / "absent"); }), Contains("no such folder"));
}

TEST_CASE("cifar10: the real batch has a thousand images of a class", "[cifar10]") {
  const std::string folder = source_dir() + "/../shared/data/cifar10";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: ../shared/data/cifar10 is absent");
    return;
  }
  const ImageSources sources = open_cifar10_folder(folder, Bytes{0});
  CHECK(sources.train->examples() == 10'000);
  CHECK(sources.test->examples() == 1'000);
  std::vector<int> counts(10);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    ++counts[static_cast<std::size_t>(sources.train->label(i))];
  }
  CHECK(counts == std::vector<int>{1005, 974, 1032, 1016, 999, 937, 1030, 1001, 1025, 981});
}
