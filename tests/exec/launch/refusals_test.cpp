// Connections that a node or its launcher rejected, or that were slow.
#include "exec/launch/refusals.h"

#include <catch2/catch.hpp>

namespace foretrain::exec {
namespace {

TEST_CASE("refusals: strangers are counted, who called itself a node is named") {
  Refusals refusals("launcher");
  CHECK(refusals.summary().empty());
  refusals.add("10.0.0.1:99", "", "it did not say who it is within 20 s");
  refusals.add("10.0.0.1:98", "worker1", "it does not know the job key");
  CHECK(refusals.count() == 2);
  CHECK(refusals.summary() ==
        "; one that called itself worker1 was refused: it does not know the job key; 1 stranger "
        "was refused");
}

TEST_CASE("refusals: a node of the run that was slow is no stranger, and was not refused") {
  Refusals refusals("launcher");
  refusals.add_slow("worker1 (process 4711)", "it did not say who it is within 20 s");
  refusals.add_slow("worker1 (process 4711)", "it did not prove the job key within 20 s");
  CHECK(refusals.count() == 0);
  CHECK(refusals.summary() ==
        "; worker1 (process 4711) was slow: it did not prove the job key within 20 s");
}

}  // namespace
}  // namespace foretrain::exec
