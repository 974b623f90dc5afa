// The LIBSVM reader.
#include "models/data/libsvm.h"

#include "tests/models/data/drawn_sparse_rows.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

using namespace foretrain;
using Catch::Contains;

namespace {

std::string complaint_about(const std::string& text, const LibsvmOptions& options = {}) {
  return complaint([&] { parse_libsvm(text, "a.train", options); });
}

void write_libsvm(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

TEST_CASE("libsvm: a line is a label with the values of its indices", "[libsvm]") {
  const auto dataset = parse_libsvm("1 1:0.5 3:-2e1\n0\n1 1048576:+1\n", "a", {});
  CHECK(dataset->shape() ==
        InputShape{.image = {}, .sparse_features = 1 << 20, .sparse_entries = 1, .classes = 2});
  CHECK(rows_of(*dataset) == std::vector<SparseExample>{
                                 {1, {{0, 0.5F}, {2, -20.0F}}}, {0, {}}, {1, {{1'048'575, 1.0F}}}});
}

TEST_CASE("libsvm: comments and queries and blank lines are passed over", "[libsvm]") {
  const auto dataset =
      parse_libsvm("# a header\n\n 2 qid:7\t4:1 # why\r\n   \n0 # nothing in it\n1 2:3", "a", {});
  CHECK(dataset->shape().classes == 3);
  CHECK(rows_of(*dataset) ==
        std::vector<SparseExample>{{2, {{3, 1.0F}}}, {0, {}}, {1, {{1, 3.0F}}}});
}

TEST_CASE("libsvm: labels of -1 and +1 are two classes", "[libsvm]") {
  const auto dataset = parse_libsvm("+1 1:1\n-1 2:1\n1 3:1\n", "a", {});
  CHECK(dataset->shape().classes == 2);
  const auto rows = rows_of(*dataset);
  CHECK(rows[0].label == 1);
  CHECK(rows[1].label == 0);
  CHECK(rows[2].label == 1);
}

TEST_CASE("libsvm: indices beyond the bits are hashed all of them", "[libsvm]") {
  const LibsvmOptions options{.hash_bits = 4};
  CHECK(rows_of(*parse_libsvm("1 1:2 16:3\n", "a", options)) ==
        std::vector<SparseExample>{{1, {{0, 2.0F}, {15, 3.0F}}}});
  const auto dataset = parse_libsvm("1 1:2 2:3 3:4 17:5\n", "a", options);
  const auto rows = rows_of(*dataset);
  REQUIRE(rows[0].entries.size() == 4);
  float sum = 0;
  for (const auto& [feature, value] : rows[0].entries) {
    CHECK(feature < 16);
    sum += value;
  }
  CHECK(sum == 14);
}

TEST_CASE("libsvm: train and test are read alike", "[libsvm]") {
  const TempFolder folder;
  write_libsvm(folder / "a.train", "1 1:1\n1 2:1\n");
  write_libsvm(folder / "a.test", "-1 40:1\n1 1:1\n");
  const DataSplit split = open_libsvm_folder(folder.path(), {.hash_bits = 5}, Bytes{1'000'000});
  CHECK(rows_of(*split.train)[0].label == 1);
  CHECK(rows_of(*split.test)[0].label == 0);
  // An index of the test file is too large, so all are hashed: the same feature in both files.
  CHECK(rows_of(*split.train)[0].entries == rows_of(*split.test)[1].entries);
}

TEST_CASE("libsvm: a text above the limit is read line by line to the same rows", "[libsvm]") {
  const TempFolder folder;
  std::string text = "# a comment first\n";
  for (int i = 0; i < 200; ++i) {
    text += std::to_string(i % 3) + " " + std::to_string(i + 1) + ":0.25 " +
            std::to_string(2 * i + 3) + ":" + std::to_string(i) + (i % 2 == 0 ? "\n" : "\r\n");
  }
  write_libsvm(folder / "a.train", text);
  write_libsvm(folder / "a.test", "2 1:1\n");
  const DataSplit held = open_libsvm_folder(folder.path(), {}, Bytes{1'000'000});
  const DataSplit streamed = open_libsvm_folder(folder.path(), {}, Bytes{0});
  CHECK_FALSE(held.train->worth_prefetching());
  CHECK(streamed.train->worth_prefetching());
  CHECK(streamed.train->examples() == 200);
  CHECK(streamed.train->shape() == held.train->shape());
  CHECK(rows_of(*streamed.train) == rows_of(*held.train));
  CHECK(rows_of(*streamed.train, {199, 0, 7}) == rows_of(*held.train, {199, 0, 7}));
  CHECK(rows_of(*streamed.test) == rows_of(*held.test));
}

TEST_CASE("libsvm: what is wrong is named with file and line", "[libsvm]") {
  struct Bad {
    std::string text;
    std::string said;
  };
  const Bad bad[] = {
      {"1 1:1\n1 0:1\n", "a.train:2: index 0; indices count from 1"},
      {"1 1:1\n\n1 -3:1\n", "a.train:3: index -3; indices count from 1"},
      {"1 5:1 3:1\n", "a.train:1: index 3 after 5; indices must ascend"},
      {"1 5:1 5:2\n", "a.train:1: index 5 occurs twice"},
      {"1 5:nan\n", "a.train:1: value `nan` of index 5 is not finite"},
      {"1 5:-inf\n", "a.train:1: value `-inf` of index 5 is not finite"},
      {"1 5:1e39\n", "a.train:1: value `1e39` of index 5 is not finite"},
      {"1 5:1e999\n", "a.train:1: value `1e999` of index 5 is no number"},
      {"1 5:\n", "a.train:1: value `` of index 5 is no number"},
      {"1 5:1x\n", "a.train:1: value `1x` of index 5 is no number"},
      {"1 five:1\n", "a.train:1: index `five` is no whole number"},
      {"1 7\n", "a.train:1: `7` is no `index:value`"},
      {"1 1:1 qid:3\n", "a.train:1: index `qid` is no whole number"},
      {"yes 1:1\n", "a.train:1: label `yes` is no whole number"},
      {"0.5 1:1\n", "a.train:1: label `0.5` is no whole number"},
      {"0 1:1\n-2 1:1\n", "a.train:2: label -2 where labels are -1, +1 or 0 to"},
      {"70000 1:1\n", "a.train:1: label 70000 where labels are -1, +1 or 0 to 65535"},
      {"-1 1:1\n1 1:1\n0 1:1\n", "a.train:3: label 0, but others are -1"},
      {"1 4294967296:1\n", "a.train:1: index 4,294,967,296 is too large"},
      {"", "a.train: has no examples"},
      {"# only a comment\n", "a.train: has no examples"},
      {"\x01\x02 1:1\n", "a.train:1: label `\?\?` is no whole number"},
  };
  for (const auto& [text, said] : bad) {
    CAPTURE(text);
    CHECK_THAT(complaint_about(text), Contains(said));
  }
  CHECK_THAT(complaint_about("3 1:1\n", {.classes = 3}), Contains("a.train:1: label 3"));
  CHECK_THAT(complaint_about("1 9:1\n", {.index_max = 8}), Contains("at most 8 is allowed"));
  CHECK_THAT(complaint_about("1 9:1\n", {.hash_bits = 31}), Contains("31 bits of hash"));
}

TEST_CASE("libsvm: a folder names the file that it misses or has twice", "[libsvm]") {
  const TempFolder folder;
  CHECK_THAT(complaint([&] { find_libsvm_files(folder.path()); }), Contains("no .train file"));
  write_libsvm(folder / "a.train", "1 1:1\n");
  CHECK_THAT(complaint([&] { find_libsvm_files(folder.path()); }), Contains("no .test file"));
  write_libsvm(folder / "b.train", "1 1:1\n");
  CHECK_THAT(complaint([&] { find_libsvm_files(folder.path()); }),
             Contains("several .train files"));
}

TEST_CASE("libsvm: agaricus has its 126 features", "[libsvm]") {
  const std::string folder = source_dir() + "/../shared/data/agaricus";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: ../shared/data/agaricus is absent");
    return;
  }
  const DataSplit split = open_libsvm_folder(folder, {.hash_bits = 7}, Bytes{10'000'000});
  CHECK(split.train->examples() == 6'513);
  CHECK(split.test->examples() == 1'611);
  CHECK(split.train->shape().classes == 2);
  for (const SparseExample& row : rows_of(*split.train)) REQUIRE(row.entries.size() == 22);
}
