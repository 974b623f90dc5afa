#include "tests/exec/calibration/cluster/made_up.h"

#include "exec/calibration/cluster/found.h"

#include <fmt/format.h>

namespace foretrain::testing {

exec::ClusterFound made_up_cluster(std::size_t hosts) {
  constexpr double kPayload = 25e6 * 1448 / 1538;
  exec::ClusterFound found;
  for (std::size_t i = 0; i < hosts; ++i) {
    exec::HostFound& host = found.hosts.emplace_back();
    host.name = fmt::format("node{}", i);
    host.processor.name = "AMD EPYC(TM) 7B13 @ 2.2GHz";
    host.processor.cores = 4;
    host.machine.name = "measured";
    host.machine.cores = 4;
    host.machine.kernel_set = "avx2";
    host.machine.date = "2026-11-25";
    ModelCost& model = host.machine.models["softmax 784x10"];
    model.gradient = {1e-5, 1e-6};
    model.evaluate = {0, 1e-6};
    model.checked_batch = 96;
  }
  found.pairs = exec::pairs_among(hosts);
  for (exec::PairFound& pair : found.pairs) {
    pair.round_trip = Duration{8'000'000};
    pair.bytes_ps.fill(kPayload);
  }
  found.ring.assign(hosts, kPayload);
  return found;
}

}  // namespace foretrain::testing
