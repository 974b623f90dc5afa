// The weights of a replay, compared with the run that it repeats.
#include "reports/cli/commands.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {

TEST_CASE("replayed: a replay is judged by weights of the same kernels alone") {
  const Record recorded = small_record(Mode::run, "async");
  Record replayed = recorded;
  CHECK(compare_weights(recorded, replayed).as_recorded);
  replayed.weights_sha256 = std::string(64, 'b');
  CHECK_FALSE(compare_weights(recorded, replayed).as_recorded);
  replayed.kernel_set = "avx512";
  CHECK(compare_weights(recorded, replayed).as_recorded);
}

}  // namespace
}  // namespace foretrain::testing
