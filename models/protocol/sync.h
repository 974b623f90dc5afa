// Synchronous SGD with a parameter server.
#pragma once

#include "models/protocol/protocol.h"

namespace foretrain {

/// An update takes the gradients of all N workers, and all are answered after it
/// (update_rule.h, {.gradients = N, .in_step = true}):
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
/// (Li, Andersen, Park and others 2014; its barrier costs what Chen, Pan, Monga, Bengio, Jozefowicz
/// 2016 measured, and backup.h lowers). A step of a bucket, which travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies the mean, once all N are here
///     server -> worker n    parameters    w_{t+1}; after the last step final_parameters
///
/// Of P parameters in B buckets over S servers, a step costs:
///
///     a worker    B messages, 4 P bytes out; as much in
///     a server    N B / S messages, 4 N P / S bytes in; as much out
///
/// with 64 bytes of header a message. So the servers' network carries N times a worker's: it is
/// what a further server halves. A sparse model sends what a batch touches instead
/// (models/payload/sparse_push.h).
///
/// All workers compute on the same parameters, so staleness is zero, and a step is as slow as its
/// slowest worker. The sum is taken in the order of the workers, whatever the order of arrival:
/// the weights are the same bits in every run and every simulation of a scenario.
/// Buckets are independent of each other; each waits for its own N gradients.
///
/// Where the chief says that the target is reached, all buckets have the version that it evaluated:
/// the next one would need its gradient. So the training ends with the same weights in any timing.
///
/// Without one of the workers nobody goes on; with `rejoin_limit` all begin again with another
/// process in its place, from the newest checkpoint.
Protocol sync_protocol();

}  // namespace foretrain
