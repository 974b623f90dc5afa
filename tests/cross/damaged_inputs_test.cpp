// Replays of runs with damaged recorded inputs.
#include "models/base/random.h"
#include "reports/record/inputs.h"
#include "scenarios/language/input_error.h"
#include "sim/driver/replay.h"
#include "tests/support/cases.h"
#include "tests/support/real_run.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

std::string file_of(const std::vector<InputRow>& rows) {
  std::string text = inputs_head(rows.size());
  for (const InputRow& row : rows) append_row(text, row);
  return text;
}

TEST_CASE("damaged inputs: a replay is refused with its reason or ends as it should") {
  for (const char* strategy : {"async", "all_reduce", "sync"}) {
    const Record recorded = real_run(small_case(strategy, 2, 20));
    const std::string whole = file_of(recorded.inputs);
    int refused = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
      CAPTURE(strategy, seed);
      Stream draw(seed, "test.damage");
      std::string text = whole;
      for (std::uint64_t i = 1 + draw.below(3); i > 0; --i) {
        text[16 + draw.below(text.size() - 16)] = static_cast<char>(draw.below(256));
      }
      Record damaged = recorded;
      try {
        damaged.inputs = parse_inputs(text, recorded.nodes.size(), "inputs.bin");
        (void)sim::replay(damaged);
      } catch (const InputError& error) {
        CHECK(std::string(error.what()).find("inputs.bin: ") == 0);
        ++refused;
      }
    }
    CHECK(refused > 30);
  }
}

}  // namespace
}  // namespace foretrain::testing
