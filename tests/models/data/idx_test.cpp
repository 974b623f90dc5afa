// The IDX reader on files that the tests write.
#include "models/data/idx.h"

#include "tests/support/idx_files.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

using Raw = std::string;

/// Numbers as in an IDX header: 32 bits, big-endian.
Raw numbers(std::initializer_list<std::uint32_t> values) {
  Raw raw;
  for (const auto value : values) {
    for (const int shift : {24, 16, 8, 0}) raw += static_cast<char>(value >> shift & 0xff);
  }
  return raw;
}

void write_raw(const std::string& path, const Raw& raw) {
  std::ofstream(path, std::ios::binary) << raw;
}

void write_packed(const std::string& path, const Raw& raw) {
  const gzFile file = gzopen(path.c_str(), "wb");
  REQUIRE(file != nullptr);
  REQUIRE(gzwrite(file, raw.data(), static_cast<unsigned>(raw.size())) ==
          static_cast<int>(raw.size()));
  REQUIRE(gzclose(file) == Z_OK);
}

Raw read_raw(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Bytes that do not compress well, so that a truncated file ends in the middle of its data.
Raw noise(std::size_t size) {
  Raw raw(size, '\0');
  std::uint32_t state = 1;
  for (char& c : raw) {
    state = state * 1664525u + 1013904223u;
    c = static_cast<char>(state >> 24);
  }
  return raw;
}

Images small_dataset(int examples = 12) {
  Images dataset;
  dataset.examples = examples;
  dataset.rows = 3;
  dataset.columns = 5;
  dataset.classes = 10;
  for (int i = 0; i < examples; ++i) dataset.labels.push_back(static_cast<std::uint8_t>(i % 10));
  for (int i = 0; i < examples * 15; ++i) dataset.pixels.push_back(static_cast<std::uint8_t>(i));
  return dataset;
}

void check_same(const Images& a, const Images& b) {
  CHECK(a.examples == b.examples);
  CHECK(a.rows == b.rows);
  CHECK(a.columns == b.columns);
  CHECK(a.classes == b.classes);
  CHECK(a.labels == b.labels);
  CHECK(a.pixels == b.pixels);
}

/// The reader's error about this image file, with a valid label file of `labels` examples.
std::string complaint_about_images(const TempFolder& folder, const std::string& images,
                                   std::uint32_t labels = 2) {
  const std::string labels_path = folder / "good-labels";
  write_raw(labels_path, numbers({0x801, labels}) + Raw(labels, '\1'));
  return complaint([&] { read_idx_dataset(images, labels_path); });
}

const Raw kTwoImages = numbers({0x803, 2, 2, 2}) + Raw(8, '\7');

}  // namespace

TEST_CASE("idx: what is written plain is read back", "[idx]") {
  const TempFolder folder;
  const Images dataset = small_dataset();
  write_idx(dataset, folder / "images", folder / "labels");
  check_same(read_idx_dataset(folder / "images", folder / "labels"), dataset);
}

TEST_CASE("idx: a file written packed is read back whatever its name", "[idx]") {
  const TempFolder folder;
  const Images dataset = small_dataset();
  write_idx(dataset, folder / "images", folder / "labels");
  write_packed(folder / "packed-images", read_raw(folder / "images"));
  write_packed(folder / "packed-labels", read_raw(folder / "labels"));
  check_same(read_idx_dataset(folder / "packed-images", folder / "packed-labels"), dataset);
}

TEST_CASE("idx: a plain file called .gz is read as what it is", "[idx]") {
  const TempFolder folder;
  const Images dataset = small_dataset();
  write_idx(dataset, folder / "images.gz", folder / "labels.gz");
  check_same(read_idx_dataset(folder / "images.gz", folder / "labels.gz"), dataset);
}

TEST_CASE("idx: data larger than one piece is read whole", "[idx]") {
  const TempFolder folder;
  const std::uint32_t examples = 5'000;
  const Raw pixels = noise(examples * 900u);
  write_packed(folder / "images", numbers({0x803, examples, 30, 30}) + pixels);
  write_packed(folder / "labels", numbers({0x801, examples}) + Raw(examples, '\3'));
  const Images dataset = read_idx_dataset(folder / "images", folder / "labels");
  REQUIRE(dataset.pixels.size() == pixels.size());
  CHECK(Raw(dataset.pixels.begin(), dataset.pixels.end()) == pixels);
}

TEST_CASE("idx: the header is read without the data, plain or packed", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "plain", kTwoImages);
  // The compressed data is missing entirely, so reading it would fail.
  write_packed(folder / "packed", numbers({0x803, 2, 2, 2}));
  for (const char* name : {"plain", "packed"}) {
    const IdxHeader header = read_idx_header(folder / name);
    CHECK(header.kind == IdxKind::kImages);
    CHECK(header.examples == 2);
    CHECK(header.rows == 2);
    CHECK(header.columns == 2);
  }
  write_raw(folder / "labels", numbers({0x801, 3}) + "\1\2\3");
  const IdxHeader header = read_idx_header(folder / "labels");
  CHECK(header.kind == IdxKind::kLabels);
  CHECK(header.examples == 3);
}

TEST_CASE("idx: a missing file is named", "[idx]") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { read_idx_header(folder / "absent"); }),
             Contains("/absent: no such file") && Contains("check the path"));
}

TEST_CASE("idx: a folder is no file", "[idx]") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { read_idx_header(folder.path()); }),
             Contains(folder.path() + ": a folder where an IDX file is expected"));
}

TEST_CASE("idx: an empty file is called empty", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", "");
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: the file is empty; fetch it again"));
}

TEST_CASE("idx: a header that ends early is truncated", "[idx]") {
  const TempFolder folder;
  for (const std::size_t kept : {1u, 5u, 15u}) {
    write_raw(folder / "images", kTwoImages.substr(0, kept));
    CHECK_THAT(complaint_about_images(folder, folder / "images"),
               Contains("/images: ends after " + std::to_string(kept) +
                        " of the 16 bytes of its header") &&
                   Contains("truncated, fetch it again"));
  }
}

TEST_CASE("idx: a label file in the place of the images is recognised", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x801, 2}) + Raw(2, '\1'));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: magic 0x00000801 where an IDX image file has 0x00000803; "
                      "is this the label file?"));
}

TEST_CASE("idx: an image file in the place of the labels is recognised", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", kTwoImages);
  CHECK_THAT(complaint([&] { read_idx_dataset(folder / "images", folder / "images"); }),
             Contains("/images: magic 0x00000803 where an IDX label file has 0x00000801; "
                      "is this the image file?"));
}

TEST_CASE("idx: a file of another format shows its magic", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", "\x89PNG and much more than a header");
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("magic 0x89504e47 where an IDX image file has 0x00000803") &&
                 Contains("no IDX file of unsigned bytes"));
  CHECK_THAT(
      complaint([&] { read_idx_header(folder / "images"); }),
      Contains("0x89504e47") && Contains("0x00000803 (images)") && Contains("0x00000801 (labels)"));
}

TEST_CASE("idx: a plain file that ends early says how much is there", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x803, 2000, 28, 28}) + Raw(1218, '\1'));
  const char* expected =
      "/images: ends after 1,234 of 1,568,016 bytes; the file is truncated, fetch it again";
  CHECK_THAT(complaint_about_images(folder, folder / "images", 2000), Contains(expected));
  CHECK_THAT(complaint([&] { read_idx_header(folder / "images"); }), Contains(expected));
}

TEST_CASE("idx: packed data that ends early says how much is there", "[idx]") {
  const TempFolder folder;
  write_packed(folder / "images", numbers({0x803, 2, 28, 28}) + noise(1000));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: its unpacked data ends after 1,016 of 1,584 bytes; "
                      "the file is truncated, fetch it again"));
}

TEST_CASE("idx: a packed file that is cut is truncated", "[idx]") {
  const TempFolder folder;
  write_packed(folder / "images", numbers({0x803, 2, 28, 28}) + noise(1568));
  const Raw whole = read_raw(folder / "images");
  write_raw(folder / "images", whole.substr(0, whole.size() / 2));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: its unpacked data ends after") && Contains("of 1,584 bytes") &&
                 Contains("truncated, fetch it again"));
  write_raw(folder / "images", whole.substr(0, whole.size() - 3));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: ends inside the checksum of its gzip stream") &&
                 Contains("truncated, fetch it again"));
}

TEST_CASE("idx: a packed file with a changed byte is corrupt", "[idx]") {
  const TempFolder folder;
  write_packed(folder / "images", numbers({0x803, 2, 28, 28}) + noise(1568));
  const Raw whole = read_raw(folder / "images");
  // The method byte of the gzip header, the data, the checksum.
  for (const std::size_t at : {std::size_t{2}, whole.size() / 2, whole.size() - 6}) {
    CAPTURE(at);
    Raw changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x55);
    write_raw(folder / "images", changed);
    CHECK_THAT(complaint_about_images(folder, folder / "images"),
               Contains("/images: its gzip stream is corrupt after") && Contains("fetch it again"));
  }
}

TEST_CASE("idx: a file that goes on after its data is refused", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", kTwoImages + "abc");
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: has 27 bytes, but its header announces 24"));
  write_packed(folder / "images", kTwoImages + "abc");
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("/images: has more than the 24 bytes that its header announces"));
}

TEST_CASE("idx: a file without examples is refused", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x803, 0, 28, 28}));
  CHECK_THAT(complaint_about_images(folder, folder / "images", 0),
             Contains("/images: has no examples"));
}

TEST_CASE("idx: absurd sizes are refused before memory is asked for", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x803, 2, 0, 28}));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("announces images of 0 x 28 pixels"));
  write_raw(folder / "images", numbers({0x803, 0xffffffff, 0xffffffff, 0xffffffff}));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("announces images of 4,294,967,295 x 4,294,967,295 pixels") &&
                 Contains("1 to 4,096"));
  write_raw(folder / "images", numbers({0x803, 0xffffffff, 4096, 4096}));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("announces 72,057,594,021,150,736 bytes (4,294,967,295 examples)") &&
                 Contains("more than the 4,000,000,000 allowed"));
  write_packed(folder / "images", numbers({0x803, 200'000, 100, 100}));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("packed bytes cannot hold the 2,000,000,016 bytes"));
}

TEST_CASE("idx: different numbers of images, labels name both files", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", kTwoImages);
  CHECK_THAT(complaint_about_images(folder, folder / "images", 1500),
             Contains("/images: 2 images") && Contains("/good-labels: 1,500 labels") &&
                 Contains("must belong together"));
}

TEST_CASE("idx: a label above 9 is named with its record", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x803, 3, 1, 1}) + "abc");
  write_raw(folder / "labels", numbers({0x801, 3}) + "\1\2\x11");
  CHECK_THAT(
      complaint([&] { read_idx_dataset(folder / "images", folder / "labels"); }),
      Contains("/labels: label 17 at record 2 (counted from 0)") && Contains("labels are 0 to 9"));
}

TEST_CASE("idx: labels go as far as the classes that were asked for", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x803, 3, 1, 1}) + "abc");
  write_raw(folder / "labels", numbers({0x801, 3}) + "\1\2\x11");
  const Images images = read_idx_dataset(folder / "images", folder / "labels", 18);
  CHECK(images.classes == 18);
  CHECK(images.labels == std::vector<std::uint16_t>{1, 2, 17});
  CHECK_THAT(complaint([&] { read_idx_dataset(folder / "images", folder / "labels", 17); }),
             Contains("labels are 0 to 16"));
}

TEST_CASE("idx: colours or more than 256 classes are written to be read back", "[idx]") {
  const TempFolder folder;
  Images images = small_dataset(5);
  images.rows = 5;
  images.columns = 1;
  images.channels = 3;
  images.classes = 1'000;
  images.labels = {0, 255, 256, 999, 1};
  write_idx(images, folder / "images", folder / "labels");
  check_same(read_idx_dataset(folder / "images", folder / "labels", 1'000), images);
  CHECK(read_idx_header(folder / "images").channels == 3);
  CHECK(read_idx_header(folder / "labels").label_bytes == 2);
}

TEST_CASE("idx: a pixel of more than four channels is refused", "[idx]") {
  const TempFolder folder;
  write_raw(folder / "images", numbers({0x804, 2, 1, 1, 5}) + Raw(10, '\1'));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("announces 5 channels, but a pixel has 1 to 4"));
  write_raw(folder / "images", numbers({0x804, 2, 1, 1}));
  CHECK_THAT(complaint_about_images(folder, folder / "images"),
             Contains("ends after 16 of the 20 bytes of its header"));
}

TEST_CASE("idx: images above the limit stay in their file with the same bytes", "[idx]") {
  const TempFolder folder;
  const Images images = small_dataset(12);
  write_idx(images, folder / "images", folder / "labels");
  write_packed(folder / "packed", read_raw(folder / "images"));
  std::vector<std::uint8_t> scratch;
  for (const char* name : {"images", "packed"}) {
    for (const std::int64_t limit : {0, 179, 180}) {
      CAPTURE(name, limit);
      const auto source = open_idx_dataset(folder / name, folder / "labels", 10, Bytes{limit});
      CHECK(source->slow() == (limit < 180 && name == std::string("images")));
      REQUIRE(source->examples() == 12);
      CHECK(source->image() == Shape{3, 5, 1});
      for (std::int64_t i = 0; i < 12; ++i) {
        const auto at = static_cast<std::size_t>(i);
        CHECK(source->label(i) == images.labels[at]);
        const std::uint8_t* pixels = source->pixels(i, scratch);
        CHECK(std::equal(pixels, pixels + 15, images.pixels.begin() + i * 15));
      }
    }
  }
}

TEST_CASE("idx: several gzip streams in one file are one", "[idx]") {
  const TempFolder folder;
  write_packed(folder / "first", kTwoImages.substr(0, 18));
  write_packed(folder / "second", kTwoImages.substr(18));
  write_raw(folder / "images", read_raw(folder / "first") + read_raw(folder / "second"));
  write_raw(folder / "labels", numbers({0x801, 2}) + Raw(2, '\1'));
  CHECK(read_idx_dataset(folder / "images", folder / "labels").pixels ==
        std::vector<std::uint8_t>(8, 7));
}
