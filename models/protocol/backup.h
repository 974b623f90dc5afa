// Synchronous SGD with backup workers: an option of sync.
#pragma once

#include "models/protocol/options.h"

namespace foretrain {

/// `training.backup_workers`. b of N workers are backups: a step is made from the first N - b
/// gradients that are complete, and does not wait for the rest (Chen, Pan, Monga, Bengio,
/// Jozefowicz 2016; update_rule.h, {.gradients = N - b, .in_step = true}):
///
///     w_{t+1} = w_t - rate * (1 / (N - b)) * sum over the chosen workers n of g_n(w_t)
///
/// The sum is taken in the order of the workers. A gradient of an older step is dropped and
/// counted, and its worker is answered with the newest parameters. Shard 0 chooses for all shards,
/// by the pushes that it has received; the others apply its choices in the same order. So a worker
/// gets the same version from all shards, even if its push to one of them is still on its way:
///
///     worker n -> server    push          g_n of step t
///     shard 0 -> shard      choice        the workers whose gradients make step t
///     shard 0 -> shard      late          a worker whose gradient came after that
///     server -> worker n    parameters    w_{t+1}, to the chosen workers; after the last step
///                                         final_parameters
///     server -> worker n    dropped       the newest parameters, to a late worker
///     shard 0 -> shard      enough        the target is reached: all end at the same version
///
/// A step costs N pushes and N answers, as in sync, plus S - 1 messages among the servers for each
/// decision; N - b of its gradients are applied.
///
/// Up to b workers other than the chief may be lost at a time. Another process may replace a lost
/// worker: it pulls the first bucket, and shard 0 decides that it takes part again, which the other
/// shards receive as `returned`. So it gets the same version of all buckets, joins the step that is
/// under way, and is chosen or late like any other. The numbers of its steps are higher than those
/// of all earlier steps of that worker.
///
/// A late worker finishes its gradient before it continues. So only the first step of a training
/// takes the time of an order statistic, the least N - b of N independent draws (Dutta, Joshi,
/// Ghosh, Dube, Nagpurkar 2018, who cancel late gradients). A later step begins with up to b
/// workers busy with gradients that will be dropped, so its mean time is at least as long, even if
/// compute times are memoryless; it is at most the largest of the N - b draws of the workers that
/// begin it at once.
extern const Option kBackupWorkers;

}  // namespace foretrain
