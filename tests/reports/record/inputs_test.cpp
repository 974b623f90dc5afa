// inputs.bin: what is written is read, what is damaged is named.
#include "reports/record/inputs.h"

#include "scenarios/input_error.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain {
namespace {

std::vector<InputRow> rows() {
  InputRow received;
  received.time = {-5};
  received.step = 1'000'000'000'000;
  received.node = 3;
  received.peer = 4'000'000'000;
  received.bucket = 7;
  received.kind = InputRow::Kind::received;
  received.message = 2;
  InputRow lost;
  lost.id = ~std::uint64_t{0};
  lost.kind = InputRow::Kind::lost;
  lost.took = {-6'000'000'000};
  return {InputRow{}, received, lost};
}

TEST_CASE("inputs: rows come back as they were, 48 bytes each") {
  const std::string file = inputs_file(rows());
  CHECK(file.size() == 16 + 3 * 48);
  CHECK(parse_inputs(file, "inputs.bin") == rows());
  CHECK(parse_inputs(inputs_file({}), "inputs.bin").empty());
}

TEST_CASE("inputs: a damaged file is refused by its name") {
  const std::string file = inputs_file(rows());
  const auto refused = [](const std::string& text, const std::string& why) {
    CHECK_THROWS_WITH(parse_inputs(text, "there/inputs.bin"),
                      Catch::StartsWith("there/inputs.bin: ") && Catch::Contains(why));
  };
  refused("", "no recorded inputs");
  refused("XXXX" + file.substr(4), "no recorded inputs");
  std::string newer = file;
  newer[4] = 2;
  refused(newer, "no recorded inputs of this version");
  refused(file.substr(0, file.size() - 1), "3 rows are announced");
  refused(file + std::string(48, '\0'), "3 rows are announced");
  std::string odd = file;
  odd[16 + 36] = 99;  // the kind of the first row
  refused(odd, "an input of kind 99");
}

}  // namespace
}  // namespace foretrain
