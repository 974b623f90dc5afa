// What each piece of work of a training costs, whoever counts it.
#pragma once

#include "models/base/cost.h"
#include "models/networks/network.h"
#include "models/optimizers/optimizer.h"

#include <cstdint>

namespace foretrain {

/// The one table of costs. The programs of models/protocol ask for jobs with these costs, and tell
/// what they did besides (`Worked`); the step graph shows them; calibration divides measured
/// seconds by them, and sim/cpu/job_time.h, alone, makes seconds of them again.
///
/// A multiply-add is two operations. Bytes are compulsory traffic, as the roofline model counts it
/// (Williams, Waterman, Patterson 2009): each number that a piece of work needs is read once, each
/// that it makes is written once, whatever caches save or spill. Numbers have 4 bytes.
///
/// b: examples, of x numbers, or e entries where they are sparse; z: outputs of the last layer;
/// d: parameters that decay; g: parameters that a gradient has; n: parameters of a bucket;
/// k: gradients, in pushes of P bytes; s: numbers of state a parameter, r: operations a parameter
/// (Optimizer); t: parameters that a sparse gradient touches, w: that are wanted in return;
/// c = min(n, P / 12), the parameters that sparse pushes touch, each push by itself.
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
///     compress        0           4 n grad., 4 n kept of before     P messages, 4 n kept
///     expand          0           P messages                        4 n gradients
///     gather          0           4 w parameters, 4 w messages      4 w messages
///     pick            0           4 w parameters, 4 w batch         4 w parameters
///     copy            0           4 n parameters                    4 n parameters
///
/// Of the loss a few operations an output are left out. A dense push is a part of the gradient as
/// it lies, a dense answer a part of the parameters: neither is made, nor read, at any cost but its
/// transport's.

/// Examples become numbers. 0 of a profile, which does not say what it reads.
Cost batch_cost(const Network& network, std::int64_t examples);
/// The loss, with its gradient by the last layer's output.
Cost loss_cost(const Network& network, std::int64_t examples);
/// The L2 penalty that the reported loss includes; 0 where it does not.
Cost penalty_cost(const Network& network, const OptimizerSpec& spec);
/// Its norm, then the scaling.
Cost clip_cost(std::int64_t gradient);
/// A batch, forward, loss, backward; without penalty and clipping, which are the optimizer's.
Cost gradient_cost(const Network& network, std::int64_t examples);
Cost evaluation_cost(const Network& network, std::int64_t examples);

/// `gradients` of a bucket of `parameters` are added up, their mean is applied.
Cost apply_cost(std::int64_t parameters, std::int64_t gradients, const Optimizer& rule);
/// The same of so many sparse pushes, of `size` in all.
Cost sparse_apply_cost(std::int64_t parameters, std::int64_t pushes, Bytes size,
                       const Optimizer& rule);
/// So many gradients, or sums of them, become one.
Cost reduce_cost(std::int64_t parameters, std::int64_t addends);
/// The mean of so many workers' parameters: in its place, and as it is sent.
Cost average_cost(std::int64_t parameters, std::int64_t addends);

/// What a push lists: parameters that are touched, parameters that are wanted in return.
struct Listed {
  std::int64_t touched = 0;
  std::int64_t wanted = 0;
};
/// A push as models/payload/sparse_push.h has it.
constexpr Bytes push_size(Listed listed) { return {8 + 8 * listed.touched + 4 * listed.wanted}; }
/// A sparse push is made.
Cost encode_cost(Listed listed);
/// Its lists are checked; the update reads the gradient.
Cost decode_cost(Listed listed);
/// The values that a push wants are put into an answer.
Cost gather_cost(std::int64_t wanted);
/// The values that the next batch reads are taken out of all.
Cost pick_cost(std::int64_t wanted);
/// A push of `size` is made of so many numbers; `keeps_rest`: what it leaves out is kept.
Cost compress_cost(std::int64_t gradient, Bytes size, bool keeps_rest);
/// The gradient is made of it again.
Cost expand_cost(std::int64_t gradient, Bytes size);
/// Values are put somewhere else.
Cost copy_cost(std::int64_t parameters);
Cost copy_cost(Bytes size);

}  // namespace foretrain
