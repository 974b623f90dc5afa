// Which resource limits a training, from the parts of its critical path.
#include "sim/whatif/limit.h"

#include <catch2/catch.hpp>

namespace foretrain::sim {
namespace {
using namespace literals;

CriticalPath path_with(Duration compute, Duration in, Duration out) {
  CriticalPath path;
  path.times[static_cast<std::size_t>(Resource::worker_cpu)] = compute;
  path.times[static_cast<std::size_t>(Resource::server_nic_in)] = in;
  path.times[static_cast<std::size_t>(Resource::server_nic_out)] = out;
  path.length = compute + in + out;
  return path;
}

TEST_CASE("limit: the resource with the largest part, the largest first") {
  const CriticalPath path = path_with(6_ms, 3_ms, 1_ms);
  const auto shares = path_shares(path);
  REQUIRE(shares.size() == 3);
  CHECK(shares[0].share == Approx(0.6));
  CHECK(shares[2].share == Approx(0.1));
  CHECK(limit_of(path).resource == shares[0].resource);
  CHECK(network_share(path) == Approx(0.4));
}

TEST_CASE("limit: both directions of the servers' NICs are one") {
  const Limit limit = limit_of(path_with(4_ms, 3_ms, 3_ms));
  CHECK(limit.resource == "server NIC");
  CHECK(limit.share == Approx(0.6));
}

TEST_CASE("limit: a path of nothing is limited by nothing") {
  CHECK(limit_of(CriticalPath{}).resource.empty());
}

}  // namespace
}  // namespace foretrain::sim
