// Asynchronous SGD with a parameter server.
#pragma once

#include "models/protocol/options.h"
#include "models/protocol/protocol.h"

#include <string_view>

namespace foretrain {

struct UpdateRule;

/// `training.quota`: the condition that ends the training.
extern const Option kQuota;
inline constexpr std::string_view kOwnQuota = "own";

/// Every gradient is an update, applied in the order of arrival, and only its worker is answered
/// after it (update_rule.h, {.gradients = 1}):
///
///     w_{t+1} = w_t - rate * g_n(w_{t - staleness})
///
/// (Dean, Corrado, Monga and others 2012, Downpour SGD; Recht, Re, Wright, Niu 2011 show that stale
/// gradients need not hurt). In a step each bucket travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies it after those that arrived before it
///     server -> worker n    parameters    w_{t+1}; at the end final_parameters, or stop to a
///                                         worker that waits for no answer
///
/// A worker's step costs the same messages and bytes as a step of sync, and the servers apply N
/// times as often: an update costs 4 P bytes of gradient in, 4 P of parameters out, one apply.
///
/// No worker waits for another, and a gradient may be stale: `staleness` counts others' updates
/// between its worker's read and its own application. Each of N workers always holds one read that
/// is not applied yet, so the mean staleness is N - 1, whatever the distribution of step times.
///
/// The training ends when workers x steps gradients have been accepted, from whichever workers;
/// later ones are dropped and counted. With a quota for each worker (`quota: own`) a worker that
/// has done its steps waits for the others instead. The training also ends when the chief reports
/// that the target is reached: updates under way are completed, and no other begins. Shards may
/// then have different numbers of updates; the reported number is that of the first shard.
///
/// A lost worker is not waited for any more, and its pushes that are not applied yet are dropped.
/// The chief cannot be lost: it has the final weights. Another process may replace a lost worker:
///
///     worker n -> server    pull          the first bucket; then, numbered, all others
///     server -> worker n    parameters    as if it had pushed; for the first bucket `step` has
///                                         the number of its first step
///
/// It counts again in each bucket from the arrival of its pull, with that number as its clock. No
/// step of an earlier process had this number: a late push of an earlier process has a lower one,
/// and is dropped and counted. Unfinished work of the lost process is lost, even if the quota is
/// its own.
Protocol async_protocol();
UpdateRule rule_of_async(const ProtocolOptions& options, int workers);

}  // namespace foretrain
