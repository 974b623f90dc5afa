// A cluster as one machine emulates it.
#pragma once

#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <vector>

namespace foretrain {

/// The burst of a host that does not say: what a rate's token bucket may save up. One millisecond
/// of the rate, so that a timer which is late loses nothing; at least 32 KB, since less is cut into
/// single packets, at a price in CPU.
Bytes emulated_burst(const HostSpec& host);

/// Refuses what no machine emulates: no hosts, too many, too fast ones, with devices, a flow rate
/// or RDMA, another topology than a star. @throws InputError
void check_emulated(const ClusterSpec& cluster);

/// The cluster with every burst filled in: its ports are token buckets.
ClusterSpec emulated(ClusterSpec cluster);

/// Emulated hosts share the cores of their machine, counted from 0: a core of a host that a node
/// takes becomes the next of these, round robin.
void share_cores(std::vector<NodePlace>& places, int cores);

}  // namespace foretrain
