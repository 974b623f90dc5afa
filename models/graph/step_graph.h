// One step of a training as a graph of operations, counted in FLOPs, bytes, parameters.
#pragma once

#include "models/base/cost.h"
#include "models/protocol/training.h"
#include "models/tensor/shape.h"

#include <boost/graph/adjacency_list.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

enum class OperationKind : std::uint8_t {
  gather,    ///< reads the examples of the batch as numbers
  forward,   ///< forward pass of one layer
  loss,      ///< loss with its gradient by the logits
  penalty,   ///< the L2 penalty that the reported loss includes
  backward,  ///< backward pass of one layer
  clip,      ///< scales the whole gradient to a norm
  push,      ///< sends a bucket's gradient to its server: encoding, and checking there
  reduce,    ///< sums of a bucket among workers before its owner applies
  apply,     ///< sums a bucket's gradients and updates its parameters
  average,   ///< the mean of all workers' parameters of a bucket
  pull,      ///< a bucket's new parameters: gathered by their owner, copied to their place
};

/// A vertex.
struct Operation {
  OperationKind kind = OperationKind::gather;
  std::string name;               ///< `forward 0 conv 6@5x5 pad 2 + relu`, `push 3`
  int layer = -1;                 ///< forward, backward: index from 0
  std::optional<Shape> output{};  ///< of one example; backward: of the gradient by the input
  std::int64_t parameters = 0;    ///< of the layer, or of the buckets
  /// As models/cost/work.h counts; for a profile only the measured time.
  Cost cost{};
  /// Forward: buckets whose values it reads; backward: buckets of its gradient.
  BucketRun buckets{};
  std::int64_t every = 1;  ///< one step in so many has it
};

enum class FlowKind : std::uint8_t {
  batch,       ///< inputs and labels
  activation,  ///< a layer's output, for the next layer
  kept,        ///< saved by a forward pass for the backward pass: the layer's output if read there,
               ///< other saved values
  derivative,  ///< the loss's gradient by an activation
  gradient,    ///< the loss's gradient by parameters
  loss,        ///< a number
  parameters,
};

/// An edge: the data that flows from one operation to another.
struct Flow {
  FlowKind kind = FlowKind::batch;
  Bytes size;
};

/// Acyclic. Vertices are numbered in an order in which one worker's step may carry them out, so
/// every edge leads from a smaller number to a larger one.
///
/// The backward pass of the lowest layer in a bucket completes the bucket's gradient: the bucket is
/// sent then, or after `clip`. The next step's forward pass of a layer waits for the `pull` of its
/// `buckets` (without servers: the `apply`); that edge would close a cycle, so it is left out.
using StepGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Operation, Flow>;

/// How push, apply and pull are shown.
enum class BucketDetail : std::uint8_t {
  each,  ///< an operation for each bucket
  runs,  ///< one for consecutive buckets of the same layers and the same server
};

/// The step of the chief, with the updates that follow from it: an apply takes as many gradients as
/// the strategy requires (Protocol::gradients_an_apply); without servers it includes the workers'
/// sums. If parameters are averaged after some steps, it is a step that ends with an averaging:
/// operations that other steps lack have `every`. Costs are those that the programs of
/// models/protocol request or report: operations up to `backward`, which adds up batches, have the
/// cost of all batches of the gradient. The flows between them are those of one batch.
StepGraph make_step_graph(const Training& training, BucketDetail detail = BucketDetail::each);

/// The name of the flow, in one word.
std::string_view to_string(FlowKind kind);

/// The cost of all operations.
Cost totals(const StepGraph& graph);
/// The cost of the operations that every step has.
Cost totals_of_every_step(const StepGraph& graph);
/// The cost of the operations of one kind.
Cost totals(const StepGraph& graph, OperationKind kind);

struct BucketCost {
  Cost push;    ///< encoded by a worker, checked by the server
  Cost reduce;  ///< without servers: all sums before the owner applies
  Cost apply;
  Cost average;  ///< in a step that averages parameters: all sums, then the mean
  Cost pull;     ///< gathering the values a push wants, copying them to their place at the chief
};

/// The cost of a bucket, as the programs of models/protocol request or report it, in a step of one
/// worker with the updates that follow from it: one for a gradient of each worker, or one for each
/// gradient. If workers average parameters, in a step that does so.
BucketCost bucket_cost(const Training& training, const Bucket& bucket);

}  // namespace foretrain
