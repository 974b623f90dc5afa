// Synchronous SGD with a parameter server.
#pragma once

#include "models/protocol/protocol.h"

namespace foretrain {

/// An update takes the gradients of all N workers, and all workers are answered after it
/// (update_rule.h, {.gradients = N, .in_step = true}):
///
///     w_{t+1} = w_t - rate * (1/N) * sum over workers n = 0 .. N-1 of g_n(w_t)
///
/// (Li, Andersen, Park and others 2014; Chen, Pan, Monga, Bengio, Jozefowicz 2016 measured the cost
/// of its barrier, which backup.h lowers). In a step each bucket travels as one message:
///
///     worker n -> server    push          g_n, as soon as backpropagation has computed the bucket
///     server                applies the mean, once all N have arrived
///     server -> worker n    parameters    w_{t+1}; after the last step final_parameters
///
/// For P parameters in B buckets on S servers, a step costs:
///
///     a worker    B messages, 4 P bytes out; as much in
///     a server    N B / S messages, 4 N P / S bytes in; as much out
///
/// with 64 bytes of header in each message. So a server's network carries N / S times a worker's
/// traffic, which a second server halves. A sparse model sends only the parameters that a batch
/// touches (models/payload/sparse_push.h).
///
/// All workers compute on the same parameters, so staleness is zero, and a step is as slow as its
/// slowest worker. The sum is taken in the order of the workers, whatever the order of arrival: the
/// weights have the same bits in every run and every simulation of a scenario. Buckets are
/// independent: each waits for its own N gradients.
///
/// When the chief reports that the target is reached, all buckets have the version that it
/// evaluated, because the next version would need its gradient. So the training ends with the same
/// weights in any timing.
///
/// If a worker is lost, no other can continue; with `rejoin_limit` all begin again with a
/// replacement process, from the newest checkpoint.
Protocol sync_protocol();

}  // namespace foretrain
