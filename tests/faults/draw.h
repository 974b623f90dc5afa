// Trainings with faults, drawn from a seed.
#pragma once

#include "models/base/random.h"
#include "scenarios/scenario.h"

#include <string>

namespace foretrain::faults {

/// A tiny training of this strategy without a fault: workers, servers, options, buckets, hosts,
/// stragglers are drawn.
Case draw_training(Stream& draw, const std::string& strategy);

/// What happens to it, which takes so long when nothing does: one to four of
///
///     kill        a worker, the chief, a server, shard 0, a neighbour in the ring
///     stop        a node, for less than silence is borne, or for more
///     swizzle     half of the nodes are stopped one by one, go on in another order
///     cut         the hosts of two nodes, for less than silence is borne, or for more
///     partition   the hosts fall into two parts
///     slow        a host's link runs at 1 % to 50 %
///     join        a worker comes late
void draw_faults(Stream& draw, Case& scenario_case, Duration length);

}  // namespace foretrain::faults
