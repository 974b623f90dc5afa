// Connections that a node or its launcher rejected, or that were slow.
#include "exec/launch/rejected_connections.h"

#include <catch2/catch.hpp>

namespace foretrain::exec {
namespace {

TEST_CASE("refusals: strangers are counted, who called itself a node is named") {
  RejectedConnections rejected("launcher");
  CHECK(rejected.summary().empty());
  rejected.add("10.0.0.1:99", "", "it did not say who it is within 20 s");
  rejected.add("10.0.0.1:98", "worker1", "it does not know the job key");
  CHECK(rejected.count() == 2);
  CHECK(rejected.summary() ==
        "; a connection that called itself worker1 was refused: it does not know the job key; 1 "
        "stranger was refused");
}

TEST_CASE("refusals: a node of the run that was slow is no stranger, and was not refused") {
  RejectedConnections rejected("launcher");
  rejected.add_slow("worker1 (process 4711)", "it did not say who it is within 20 s");
  rejected.add_slow("worker1 (process 4711)", "it did not prove the job key within 20 s");
  CHECK(rejected.count() == 0);
  CHECK(rejected.summary() ==
        "; worker1 (process 4711) was slow: it did not prove the job key within 20 s");
}

}  // namespace
}  // namespace foretrain::exec
