// Stale synchronous parallel SGD: asynchronous, with a bound on how far a worker may run ahead.
#pragma once

#include "models/protocol/options.h"
#include "models/protocol/protocol.h"

namespace foretrain {

/// `training.staleness`: the bound.
extern const Option kStaleness;

/// Every gradient is an update, as of async, and after it those workers are answered that are
/// within the bound (update_rule.h, {.gradients = 1, .bound = staleness}). A worker that has
/// had c gradients applied is at clock c. It may begin its next step only while
///
///     c - min over workers of their clocks <= staleness
///
/// (Ho, Cipar, Cui, Lee, Kim, Gibbons, Gibson, Ganger, Xing 2013); until then its answer is held
/// back, so it sleeps in its pull, then sees all that has been applied. Messages, and their cost,
/// are those of async. Buckets keep clocks of their own: a worker reads none that has not answered,
/// so the bound holds for each.
///
/// At staleness 0 all workers compute on the same values. Their gradients are held until the clock
/// is complete, then applied one by one in the order of the workers, so weights are a function of
/// the seed alone. It differs from `sync` in that a clock makes an update of every gradient, not
/// one of their mean.
///
/// A worker that comes back begins at the slowest clock of those who are there, or past the steps
/// that it had, where these were further. So those who wait are let go no sooner, and for ever held
/// by nobody. With `quota: own` it begins right past the steps that it had, and makes all that its
/// quota lacks but the one that was under way; workers further ahead than the bound wait for it.
Protocol ssp_protocol();

}  // namespace foretrain
