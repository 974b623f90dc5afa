// Trainings with faults, drawn from a seed.
#pragma once

#include "models/base/random.h"
#include "scenarios/spec/scenario.h"

#include <string>

namespace foretrain::faults {

/// A tiny training of this strategy without a fault: its model, dense or sparse, optimizer,
/// workers, servers, options, buckets, checkpoints, the limit of silence (0.1 to 60 s), that of
/// waiting for who is lost (half of those of plain sync; 0.1 to 60 s), how much may wait in the
/// kernel, hosts, one of which may be slow to read, stragglers are drawn.
Case draw_training(Stream& draw, const std::string& strategy);

/// What happens to it, which takes so long when nothing does: one to four of
///
///     kill        a worker, the chief, a server, shard 0, a neighbour in the ring; of those who
///     may
///                 come back two thirds do, some at once
///     stop        a node, for less than silence is borne, or for more
///     swizzle     half of the nodes are stopped one by one, go on in another order
///     cut         the hosts of two nodes, for less than silence is borne, or for more; a third of
///                 them in one direction alone
///     partition   the hosts fall into two parts; of a quarter one still hears the other
///     slow        a host's link runs at 1 % to 50 %
///     join        a worker comes late
void draw_faults(Stream& draw, Case& scenario_case, Duration length);

/// One to six workers other than the chief are killed, likewise.
void draw_returns(Stream& draw, Case& scenario_case, Duration length);

/// One to six times nothing moves between the hosts of two nodes, a third of them in one direction
/// alone, for 10 exp(-10 u) s, u even between 0 and 1: as FoundationDB's simulation clogs links.
void draw_clogs(Stream& draw, Case& scenario_case, Duration length);

}  // namespace foretrain::faults
