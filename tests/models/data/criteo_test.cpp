// The Criteo reader.
#include "models/data/criteo.h"

#include "models/data/feature_hash.h"
#include "tests/models/data/drawn_sparse_rows.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

using namespace foretrain;
using Catch::Contains;

namespace {

/// A row whose 39 fields are equal except one.
std::string row(int field = 0, const std::string& text = "", const std::string& label = "0") {
  std::string line = label;
  for (int i = 1; i < kCriteoFields; ++i) line += "\t" + (i == field ? text : std::string("7"));
  return line + "\n";
}

/// The feature of a field with this text.
std::uint32_t feature(int field, const std::string& text) {
  const auto dataset = parse_criteo(row(field, text), "a", 30);
  return rows_of(*dataset)[0].entries[static_cast<std::size_t>(field - 1)].first;
}

std::string criteo_complaint(const std::string& text) {
  return complaint([&] { parse_criteo(text, "a.csv", 20); });
}

}  // namespace

TEST_CASE("criteo: a row has 39 features of value 1", "[criteo]") {
  const auto dataset = parse_criteo(row() + row(3, "", "1"), "a", 18);
  CHECK(dataset->shape() == InputShape{.image = {},
                                       .sparse_features = 1 << 18,
                                       .sparse_entries = 39,
                                       .sparse_fields = 39,
                                       .classes = 2});
  const auto rows = rows_of(*dataset);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].label == 0);
  CHECK(rows[1].label == 1);
  for (const SparseExample& example : rows) {
    REQUIRE(example.entries.size() == 39);
    for (const auto& [number, value] : example.entries) {
      CHECK(number < 1u << 18);
      CHECK(value == 1);
    }
  }
  // Only the changed field differs.
  for (std::size_t i = 0; i < 39; ++i) {
    CHECK((rows[0].entries[i].first == rows[1].entries[i].first) == (i != 2));
  }
}

TEST_CASE("criteo: the same text in two fields is two features", "[criteo]") {
  std::set<std::uint32_t> features;
  for (int field = 1; field < kCriteoFields; ++field) {
    features.insert(feature(field, "5"));
    features.insert(feature(field, ""));
  }
  CHECK(features.size() == 2 * 39);
}

TEST_CASE("criteo: large integers share a feature by their logarithm", "[criteo]") {
  // ln(3)^2 = 1.2, ln(4)^2 = 1.9, ln(5)^2 = 2.6, ln(1000)^2 = 47.7, ln(1030)^2 = 48.1
  CHECK(feature(1, "3") == feature(1, "4"));
  CHECK(feature(1, "4") != feature(1, "5"));
  CHECK(feature(1, "1000") == feature(1, "1010"));
  CHECK(feature(1, "1000") != feature(1, "1030"));
  // Small integers stay distinct and are never rounded to a logarithm.
  const std::set<std::uint32_t> small{feature(1, "-3"), feature(1, "-1"), feature(1, "0"),
                                      feature(1, "1"),  feature(1, "2"),  feature(1, "3"),
                                      feature(1, "")};
  CHECK(small.size() == 7);
}

TEST_CASE("criteo: what is wrong is named with file and line", "[criteo]") {
  std::string short_row = row();
  short_row.erase(short_row.size() - 3, 2);  // the last tab with its field
  CHECK_THAT(criteo_complaint(row() + short_row),
             Contains("a.csv:2: 39 fields between tabs where a row has 40"));
  CHECK_THAT(criteo_complaint("1\t" + row()), Contains("a.csv:1: 41 fields"));
  CHECK_THAT(criteo_complaint(row() + row() + "\n"), Contains("a.csv:3: 1 fields"));
  CHECK_THAT(
      criteo_complaint(row(2, "1.5")),
      Contains("a.csv:1: integer `1.5`, field 3 (the label is field 1), is no whole number"));
  CHECK_THAT(criteo_complaint(row(13, "nan")), Contains("a.csv:1: integer `nan`, field 14"));
  CHECK_THAT(criteo_complaint(row(1, "99999999999999999999")), Contains("no whole number"));
  CHECK_THAT(criteo_complaint(row() + row(0, "", "2")), Contains("a.csv:2: label `2`"));
  CHECK_THAT(criteo_complaint(row(0, "", "")), Contains("a.csv:1: label ``"));
  CHECK_THAT(criteo_complaint(""), Contains("a.csv: has no examples"));
  CHECK_THAT(complaint([] { parse_criteo(row(), "a", 0); }), Contains("0 bits of hash"));
}

TEST_CASE("criteo: test and dev are judged by together whether streamed or held", "[criteo]") {
  const TempFolder folder;
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("train.csv", row(14, "68fd1e64", "1") + row(26, ""));
  CHECK_THAT(complaint([&] { open_criteo_folder(folder.path(), 20, Bytes{0}); }),
             Contains("no test.csv, no dev.csv"));
  write("test.csv", row(1, "11", "1") + row(1, "22"));
  write("dev.csv", row(1, "33", "1"));
  const DataSplit held = open_criteo_folder(folder.path(), 20, Bytes{1'000'000});
  const DataSplit streamed = open_criteo_folder(folder.path(), 20, Bytes{0});
  CHECK(held.train->examples() == 2);
  CHECK(held.test->examples() == 3);
  CHECK(rows_of(*held.test)[2].entries[0].first ==
        rows_of(*parse_criteo(row(1, "33"), "a", 20))[0].entries[0].first);
  CHECK(rows_of(*streamed.train) == rows_of(*held.train));
  CHECK(rows_of(*streamed.test) == rows_of(*held.test));
  CHECK(rows_of(*streamed.test, {2, 0}) == rows_of(*held.test, {2, 0}));
}

TEST_CASE("criteo: the hash is the one that is known", "[criteo]") {
  // Another hash makes another model: a change has to update these numbers and the changelog.
  FeatureHash hash;
  hash.add("68fd1e64");
  CHECK(hash.below(32) == 0x49fc30dbu);
  hash.add(std::uint64_t{7});
  CHECK(hash.below(20) == 0x12b1cu);
}

TEST_CASE("criteo: the sample has 7200 rows to learn from and 800 to judge", "[criteo]") {
  const std::string folder = source_dir() + "/../shared/data/criteo";
  if (!std::filesystem::exists(folder)) {
    WARN("skipped: ../shared/data/criteo is absent");
    return;
  }
  const DataSplit split = open_criteo_folder(folder, 20, Bytes{100'000'000});
  CHECK(split.train->examples() == 7'200);
  CHECK(split.test->examples() == 800);
}
