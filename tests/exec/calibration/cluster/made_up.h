// Made-up measurements of a cluster.
#pragma once

#include "exec/calibration/cluster/found.h"

#include <cstddef>

namespace foretrain::testing {

/// Equal hosts node0, node1, ...; each pair has a rate of 200 Mbps with one connection or several,
/// and a round trip of 8 ms.
exec::ClusterFound made_up_cluster(std::size_t hosts);

}  // namespace foretrain::testing
