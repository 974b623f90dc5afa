// Resource limits of the user that are lower than a training needs.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;

TEST_CASE("limits: a run raises what it may have open as far as it may") {
  Sandbox sandbox;
  const Called called =
      sandbox.call("run small.yaml --set training.workers=8 --quiet", "ulimit -Sn 20");
  CHECK(called.err.empty());
  CHECK(called.status == 0);
}

TEST_CASE("limits: a run that may not have enough open says how much that is") {
  Sandbox sandbox;
  const Called called =
      sandbox.call("run small.yaml --set training.workers=60 --quiet", "ulimit -n 64");
  CHECK(called.status == 2);
  CHECK(called.err.find(
            "opens up to 191 files and connections, but only 64 are allowed; raise the hard limit "
            "(ulimit -Hn)") != std::string::npos);
}

TEST_CASE("limits: a data set that no machine holds is told at its key before anything is made") {
  Sandbox sandbox;
  const std::string words = GENERATE("run", "simulate --machine machine.yaml");
  CAPTURE(words);
  const Called called = sandbox.call(words + " small.yaml --quiet --set dataset.take=2000000000");
  CHECK(called.status == 2);
  CHECK(called.err.find("error: --set dataset.take=2000000000: dataset.take: ") == 0);
  CHECK(called.err.find(words == "run" ? "3144.0 GB of that are examples"
                                       : "for 2000000000 examples, 1572.0 GB, this machine has") !=
        std::string::npos);
}

}  // namespace
}  // namespace foretrain
