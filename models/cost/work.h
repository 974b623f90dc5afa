// The cost of each piece of work of a training, the same for all who count it.
#pragma once

#include "models/base/cost.h"
#include "models/networks/network.h"
#include "models/optimizers/optimizer.h"

#include <cstdint>

namespace foretrain {

/// The only table of costs. The programs of models/protocol request jobs with these costs and
/// report other work (`SpentCost`); the step graph shows them; calibration divides measured seconds
/// by them, and only sim/cpu/job_time.h converts them back to seconds.
///
/// A multiply-add is two operations. Bytes are compulsory traffic, as in the roofline model
/// (Williams, Waterman, Patterson 2009): each number that a piece of work needs is read once, each
/// that it makes is written once, whatever caches save or spill. Numbers have 4 bytes.
///
/// b: examples, of x numbers, or e entries if sparse; z: outputs of the last layer; d: parameters
/// with decay; g: parameters of a gradient; n: parameters of a bucket; k: gradients, in pushes of P
/// bytes; s: numbers of optimizer state a parameter, r: operations a parameter (Optimizer); t:
/// parameters that a sparse gradient touches, w: parameters wanted in return; c = min(n, P / 12),
/// the parameters that sparse pushes touch, counted for each push.
///
///     work            operations  read                              written
///     batch           0           b x of the data set, bytes        4 b x batch, 4 b labels
///     batch, sparse   0           8 e of the data set               8 e batch, 4 b labels
///     forward         as its layer says (models/layers): dense, m inputs, o outputs:
///       dense         2 b m o     4 (m + 1) o param., 4 b m activ.  4 b o activations
///     loss            0           4 b z activ., 4 b labels          4 b z activations
///     loss alone      0           4 b z activ., 4 b labels          -
///     penalty         2 d         4 d parameters                    -
///     backward        as its layer says: dense, without a gradient by its input a half of this:
///       dense         4 b m o     forward's, 8 b o - 4 b o activ.   4 (m + 1) o grad., 4 b m
///       activ.
///     clip            3 g         8 g gradients                     4 g gradients
///     gradient        all of these, over the layers
///     evaluation      batch, forward over the layers, loss alone
///     apply           n (k + r)   4 n k grad., 4 n param., 4 n s    4 n param., 4 n s state
///     apply, sparse   c (k + r)   P messages, 4 c param., 4 c s     4 c param., 4 c s state
///     reduce          n (k - 1)   8 n (k - 1) gradients             4 n (k - 1) gradients
///     average         n k         4 n k parameters                  8 n parameters
///     encode          0           4 t grad., 4 (t + w) batch        8 + 8 t + 4 w messages
///     decode          0           8 + 4 (t + w) messages            -
///     compress        0           4 n grad., 4 n kept from before   P messages, 4 n kept
///     expand          0           P messages                        4 n gradients
///     gather          0           4 w parameters, 4 w messages      4 w messages
///     pick            0           4 w parameters, 4 w batch         4 w parameters
///     copy            0           4 n parameters                    4 n parameters
///
/// A few operations of the loss for each output are left out. A dense push is a part of the
/// gradient in place, a dense answer a part of the parameters: neither is copied, so their only
/// cost is transport.

/// Reads examples as numbers. 0 for a profile, which does not tell what it reads.
Cost batch_cost(const Network& network, std::int64_t examples);
/// The loss, with its gradient by the last layer's output.
Cost loss_cost(const Network& network, std::int64_t examples);
/// The L2 penalty in the reported loss; 0 if the loss does not include it.
Cost penalty_cost(const Network& network, const OptimizerSpec& spec);
/// The norm of a gradient, then the scaling.
Cost clip_cost(std::int64_t gradient);
/// A batch, forward, loss, backward; without penalty and clipping, which belong to the optimizer.
Cost gradient_cost(const Network& network, std::int64_t examples);
Cost evaluation_cost(const Network& network, std::int64_t examples);

/// Adds up `gradients` of a bucket of `parameters` and applies their mean.
Cost apply_cost(std::int64_t parameters, std::int64_t gradients, const Optimizer& rule);
/// The same for `pushes` sparse pushes, of `size` in all.
Cost sparse_apply_cost(std::int64_t parameters, std::int64_t pushes, Bytes size,
                       const Optimizer& rule);
/// Adds up `addends` gradients, or sums of them.
Cost reduce_cost(std::int64_t parameters, std::int64_t addends);
/// The mean of `addends` workers' parameters, written to its place and to the payload to send.
Cost average_cost(std::int64_t parameters, std::int64_t addends);

/// The counts in a push: parameters that it touches, parameters that it wants in return.
struct Listed {
  std::int64_t touched = 0;
  std::int64_t wanted = 0;
};
/// The size of a push in the format of models/payload/sparse_push.h.
constexpr Bytes push_size(Listed listed) { return {8 + 8 * listed.touched + 4 * listed.wanted}; }
/// Makes a sparse push.
Cost encode_cost(Listed listed);
/// Checks the lists of a sparse push; the update reads the gradient.
Cost decode_cost(Listed listed);
/// Puts the values that a push wants into an answer.
Cost gather_cost(std::int64_t wanted);
/// Copies the values that the next batch reads out of all values.
Cost pick_cost(std::int64_t wanted);
/// Makes a push of `size` from a gradient; with `keeps_rest` the part left out is saved.
Cost compress_cost(std::int64_t gradient, Bytes size, bool keeps_rest);
/// Restores the gradient from a push.
Cost expand_cost(std::int64_t gradient, Bytes size);
/// Copies values to another place.
Cost copy_cost(std::int64_t parameters);
Cost copy_cost(Bytes size);

}  // namespace foretrain
