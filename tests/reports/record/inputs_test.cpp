// inputs.bin: it reads back equal, damage is named.
#include "reports/record/inputs.h"

#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain {
namespace {

std::string inputs_file(const std::vector<InputRow>& rows) {
  std::string text = inputs_head(rows.size());
  for (const InputRow& row : rows) append_row(text, row);
  return text;
}

/// Inputs of two of three nodes: node 2 starts, receives a message, the end of a job, the loss of
/// node 1; node 0 starts in between.
std::vector<InputRow> rows() {
  std::vector<InputRow> all(5);
  all[0].node = 2;
  all[1].kind = InputRow::Kind::received;
  all[1].time = {5};
  all[1].node = 2;
  all[1].step = 1'000'000'000'000;
  all[1].peer = 1;
  all[1].bucket = 4'000'000'000;
  all[1].message = 2;
  all[2].time = {3};
  all[3].kind = InputRow::Kind::computed;
  all[3].time = {5};
  all[3].node = 2;
  all[3].id = ~std::uint64_t{0};
  all[3].took = {6'000'000'000};
  all[4].kind = InputRow::Kind::lost;
  all[4].time = {1'000'000'000'000'000'000};
  all[4].node = 2;
  all[4].peer = 1;
  return all;
}

void check_refused(const std::string& text, const std::string& why) {
  CHECK_THROWS_WITH(parse_inputs(text, 3, "there/inputs.bin"),
                    Catch::StartsWith("there/inputs.bin: ") && Catch::Contains(why));
}

TEST_CASE("inputs: rows come back as they were, 48 bytes each") {
  const std::string file = inputs_file(rows());
  CHECK(file.size() == 16 + 5 * 48);
  CHECK(parse_inputs(file, 3, "inputs.bin") == rows());
  CHECK(parse_inputs(inputs_file({}), 3, "inputs.bin").empty());
}

TEST_CASE("inputs: a file whose head a full disk cut off has none") {
  const std::string begun = inputs_head({});
  for (std::size_t size = 0; size <= begun.size(); ++size) {
    CAPTURE(size);
    CHECK(parse_inputs(std::string_view(begun).substr(0, size), 3, "inputs.bin").empty());
  }
}

TEST_CASE("inputs: a damaged file is refused by its name") {
  const std::string file = inputs_file(rows());
  check_refused("XXXX" + file.substr(4), "is no file of recorded inputs");
  std::string newer = file;
  newer[4] = 2;
  check_refused(newer, "is no file of recorded inputs, or of another version");
  check_refused(file.substr(0, file.size() - 1), "bytes, which are not 5 rows");
  check_refused(file + std::string(48, '\0'), "bytes, which are not 5 rows");
  std::string odd = file;
  odd[16 + 36] = 99;  // the kind of the first row
  check_refused(odd, "row 1: 99 is no kind of input");
}

TEST_CASE("inputs: a file that is still added to is read up to its last whole row") {
  std::string file = inputs_head({});
  CHECK(parse_inputs(file, 3, "inputs.bin").empty());
  for (const InputRow& row : rows()) append_row(file, row);
  CHECK(parse_inputs(file, 3, "inputs.bin") == rows());
  file.pop_back();
  CHECK(parse_inputs(file, 3, "inputs.bin").size() == 4);
}

TEST_CASE("inputs: what no run writes is refused with its row") {
  const auto refused = [](std::size_t row, auto change, const std::string& why) {
    std::vector<InputRow> damaged = rows();
    change(damaged[row]);
    check_refused(inputs_file(damaged), "row " + std::to_string(row + 1) + ": " + why);
  };
  refused(
      0, [](InputRow& row) { row.node = 3; }, "node 3 does not exist, there are 3");
  refused(
      0, [](InputRow& row) { row.time = {-1}; },
      "time -0.000000001 s comes after 0.000000000 s of the same node");
  refused(
      0, [](InputRow& row) { row.step = 1; },
      "it has a value in a column that its kind does not use");
  refused(
      0, [](InputRow& row) { row.kind = InputRow::Kind::timer; },
      "node 2 has an input before it started");
  refused(
      1, [](InputRow& row) { row.peer = 4'000'000'000; },
      "node 4000000000 does not exist, there are 3");
  refused(
      1, [](InputRow& row) { row.took = {1}; },
      "it has a value in a column that its kind does not use");
  refused(
      1, [](InputRow& row) { row.message = 0; }, "0 is no kind of message");
  refused(
      1, [](InputRow& row) { row.message = 1'000; }, "1000 is no kind of message");
  refused(
      1, [](InputRow& row) { row.step = -1; }, "step -1");
  refused(
      2, [](InputRow& row) { row.node = 2; },
      "time 0.000000003 s comes after 0.000000005 s of the same node");
  refused(
      3, [](InputRow& row) { row.time = {4}; },
      "time 0.000000004 s comes after 0.000000005 s of the same node");
  refused(
      3, [](InputRow& row) { row.took = {-1}; }, "a job cannot take -0.000000001 s");
  refused(
      3, [](InputRow& row) { ++row.peer; },
      "it has a value in a column that its kind does not use");
  refused(
      4, [](InputRow& row) { ++row.time.ns; }, "time 1000000000.0000");
}

}  // namespace
}  // namespace foretrain
