// A measured cluster that is made up.
#pragma once

#include "exec/calibration/cluster/found.h"

#include <cstddef>

namespace foretrain::testing {

/// Hosts node0, node1, ... of one processor whose gradients take as long; each pair of them carries
/// 200 Mbps on the wire by one connection as by several, a round trip takes 8 ms.
exec::ClusterFound made_up_cluster(std::size_t hosts);

}  // namespace foretrain::testing
