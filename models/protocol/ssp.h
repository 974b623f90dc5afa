// Stale synchronous parallel SGD: asynchronous, with a bound on how far a worker may run ahead.
#pragma once

#include "models/protocol/options.h"
#include "models/protocol/protocol.h"

namespace foretrain {

/// `training.staleness`: the bound.
extern const Option kStaleness;

/// Every gradient is an update, as in async, and after it the workers within the bound are answered
/// (update_rule.h, {.gradients = 1, .bound = staleness}). A worker's clock c is the number of its
/// gradients that have been applied. It may begin its next step only while
///
///     c - min over workers of their clocks <= staleness
///
/// (Ho, Cipar, Cui, Lee, Kim, Gibbons, Gibson, Ganger, Xing 2013); until then its answer is held
/// back, so it waits in its pull and then reads all updates so far. Messages and their cost are
/// those of async. Each bucket has its own clocks: a worker reads no bucket that has not answered,
/// so the bound holds for each.
///
/// At staleness 0 all workers compute on the same values. Their gradients are held until the clock
/// is complete, then applied one by one in the order of the workers, so the weights are a function
/// of the seed alone. The difference to `sync` is that each clock makes one update of every
/// gradient, not one update of their mean.
///
/// A worker that comes back begins at the slowest clock of the present workers, or after its own
/// earlier steps if these were further. So waiting workers are not released earlier, and are not
/// held for ever. With `quota: own` it begins right after its earlier steps and makes the rest of
/// its quota except the step that was under way; workers further ahead than the bound wait for it.
Protocol ssp_protocol();

}  // namespace foretrain
