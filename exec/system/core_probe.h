// Looks at cores: what they compute in a moment, what it takes to hand bytes from one to another.
#pragma once

#include "scenarios/core_probe.h"

#include <optional>
#include <vector>

namespace foretrain::exec {

/// Two threads, one on each core, hand a cache line to and fro; then the first reads 512 KB over
/// and over that the other has just written. Takes one to two milliseconds. Of many short pieces
/// the lower quartile counts, so that an interrupt, or a slice of somebody else's, is not seen.
/// Nothing: others keep the cores so busy that within a quarter of a second the two threads were
/// never on them at the same time.
std::optional<PairProbe> probe_pair(int core_a, int core_b);

/// What a load of a line takes that is not in the core's own cache but in the one behind it:
/// seconds. A chain through twice the own cache, in an order that nothing can foresee.
double probe_shared_line(int core);

/// All of it, on the cores that a training uses: the reference kernel on one and on all at once,
/// then each with the next one of the list, 32 pairs at most. Threads of its own, pinned; the
/// caller stays where it is. For two cores about 40 ms; each further pair takes one to two more.
CoreProbe probe_cores(const std::vector<int>& cores, const KnownHandovers& known);

}  // namespace foretrain::exec
