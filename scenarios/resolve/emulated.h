// A cluster as one machine emulates it.
#pragma once

#include "scenarios/resolve/placement.h"
#include "scenarios/spec/scenario.h"

#include <vector>

namespace foretrain {

/// The burst of a host, i.e. the depth of its token bucket. The default is one millisecond of the
/// rate, so that a late timer loses no bandwidth, but at least 32 KB: a smaller burst is cut into
/// single packets, which costs CPU time.
Bytes emulated_burst(const HostSpec& host);

/// Rejects what cannot be emulated: no hosts, too many or too fast hosts, devices, a flow rate,
/// RDMA, a topology other than a star. @throws InputError
void check_emulated(const ClusterSpec& cluster);

/// The cluster with every burst filled in, because its ports are token buckets.
ClusterSpec emulated(ClusterSpec cluster);

/// Maps the cores of emulated hosts to the `cores` of the real machine, round robin: each core that
/// a node takes becomes the next one, counted from 0.
void share_cores(std::vector<NodePlace>& places, int cores);

}  // namespace foretrain
