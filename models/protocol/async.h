// Asynchronous SGD with a parameter server.
#pragma once

#include "models/protocol/options.h"
#include "models/protocol/protocol.h"

#include <string_view>

namespace foretrain {

struct UpdateRule;

/// `training.quota`: when the training ends.
extern const Option kQuota;
inline constexpr std::string_view kOwnQuota = "own";

/// Every gradient is an update, as it comes, and its worker alone is answered after it
/// (update_rule.h, {.gradients = 1}):
///
///     w_{t+1} = w_t - rate * g_n(w_{t - staleness})
///
/// (Dean, Corrado, Monga and others 2012, Downpour SGD; that stale gradients need not hurt: Recht,
/// Re, Wright, Niu 2011). A step of a bucket, which travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies it when those that came before are applied
///     server -> worker n    parameters    w_{t+1}; where it is over, final_parameters, or stop to
///                                         who waits for none
///
/// A worker's step costs what a step of sync does, in messages and in bytes, and the servers apply
/// N times as often: an update costs 4 P bytes of gradient in, 4 P of parameters out, one apply.
///
/// Nobody waits for anybody, and a gradient may be stale: `staleness` updates of others came
/// between its worker's read and its own application. Each of N workers always holds one read that
/// is not applied yet, so the mean staleness is N - 1 for any distribution of step times.
///
/// The training ends when workers x steps gradients have been accepted, whoever sent them; what
/// comes later is dropped and counted. With a quota of its own (`quota: own`) a worker that has
/// done its steps waits for the others instead. It ends, too, where the chief says that the target
/// is reached: what is being applied then still is, nothing else. Shards may have come to different
/// numbers of updates; the first speaks for all.
///
/// A worker that is lost is not waited for any more, and what it pushed is dropped where it was not
/// applied yet. The chief cannot be lost: the weights in the end are its. Another process may take
/// the place of one that was lost:
///
///     worker n -> server    pull          of the first bucket, then, numbered, of all others
///     server -> worker n    parameters    as if it had pushed; of the first bucket `step` says
///                                         which number its first step has
///
/// It counts again, in each bucket, once its pull is here, with that number as its clock. No step
/// of those before it had it: what of theirs still comes is known by a lower one, dropped and
/// counted. What it had under way is lost, also of a quota of its own.
Protocol async_protocol();
UpdateRule rule_of_async(const ProtocolOptions& options, int workers);

}  // namespace foretrain
