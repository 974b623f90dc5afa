// Synchronous SGD with backup workers: an option of sync.
#pragma once

#include "models/protocol/options.h"

namespace foretrain {

/// `training.backup_workers`. Of N workers, b are backups: a step is made by the first N - b
/// gradients that are complete, and nobody waits for the rest (Chen, Pan, Monga, Bengio, Jozefowicz
/// 2016; update_rule.h, {.gradients = N - b, .in_step = true}):
///
///     w_{t+1} = w_t - rate * (1 / (N - b)) * sum over the chosen workers n of g_n(w_t)
///
/// The sum is taken in the order of the workers. A gradient of an older step is dropped, counted,
/// and its worker answered with the newest parameters. Shard 0 chooses for all shards, by the
/// pushes that it has; they do the same in the same order, so a worker gets the same version from
/// all of them, also where its push to one of them is still on its way:
///
///     worker n -> server    push          g_n of step t
///     shard 0 -> shard      choice        the workers whose gradients make step t
///     shard 0 -> shard      late          a worker whose gradient came after that
///     server -> worker n    parameters    w_{t+1}, to the chosen; after the last step
///                                         final_parameters
///     server -> worker n    dropped       the newest parameters, to a worker that was late
///     shard 0 -> shard      enough        the target is reached: all end at the same version
///
/// A step costs N pushes and N answers as one of sync does, and S - 1 messages among the servers
/// for each decision; N - b gradients of it are applied.
///
/// Up to b workers other than the chief may be lost at a time. Another process may take the place
/// of one: it pulls the first bucket, and that it takes part again is a decision, too, which the
/// other shards hear as `returned`. So it gets the same version of all buckets, joins the step that
/// is under way, and is chosen, or late, as any other. Its steps have numbers that no step before
/// had.
///
/// A late worker finishes its gradient before it is sent on. So only the first step of a training
/// takes what order statistics say, the least N - b of N independent draws (Dutta, Joshi, Ghosh,
/// Dube, Nagpurkar 2018, who cancel late gradients). A later one begins with up to b workers that
/// are busy with what will be dropped, so in the mean it takes at least as long, also where times
/// have no memory; at most the largest of the N - b draws of those that begin it at once.
extern const Option kBackupWorkers;

}  // namespace foretrain
