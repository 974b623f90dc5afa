// Random trainings with faults, from a seed.
#pragma once

#include "models/base/random.h"
#include "scenarios/spec/scenario.h"

#include <string>

namespace foretrain::faults {

/// A random tiny training of this strategy without faults. Random are the model (dense or sparse),
/// optimizer, workers, servers, options, buckets, checkpoints, silence limit (0.1 to 60 s), rejoin
/// limit (for half of the plain sync trainings; 0.1 to 60 s), bound on unsent bytes in the kernel,
/// hosts, of which one may be a slow reader, and stragglers.
Case draw_training(Stream& draw, const std::string& strategy);

/// Adds one to four faults to a training that lasts `length` without them:
///
///     kill        a worker, the chief, a server, shard 0, a ring neighbour; two thirds of the
///                 nodes that can come back do, some at once
///     stop        a node, for less or more than the silence limit
///     swizzle     half of the nodes are stopped one by one and continue in another order
///     cut         between the hosts of two nodes, for less or more than the silence limit; a
///                 third of them in one direction only
///     partition   the hosts are split in two parts; in a quarter one part still hears the other
///     slow        a host's link runs at 1 % to 50 %
///     join        a worker joins late
void draw_faults(Stream& draw, Case& scenario_case, Duration length);

/// Kills one to six workers other than the chief, of which some come back.
void draw_returns(Stream& draw, Case& scenario_case, Duration length);

/// Cuts the links between the hosts of two nodes one to six times, a third of them in one direction
/// only. A cut lasts 10 exp(-10 u) s with uniform u in 0 to 1, as FoundationDB's simulation clogs
/// links.
void draw_clogs(Stream& draw, Case& scenario_case, Duration length);

}  // namespace foretrain::faults
