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
  gather,    ///< the examples of the batch become numbers
  forward,   ///< of one layer
  loss,      ///< with its gradient by the logits
  penalty,   ///< the L2 penalty that the reported loss includes
  backward,  ///< of one layer
  clip,      ///< the gradient scaled to a norm, once all of it is there
  push,      ///< a bucket's gradient to its server: made, checked there
  reduce,    ///< of a bucket, what workers add up before its owner applies
  apply,     ///< a bucket's gradients summed, its parameters updated
  average,   ///< of a bucket, the mean of all workers' parameters
  pull,      ///< a bucket's new parameters from who applied: gathered there, put in their place
};

/// A vertex.
struct Operation {
  OperationKind kind = OperationKind::gather;
  std::string name;               ///< `forward 0 conv 6@5x5 pad 2 + relu`, `push 3`
  int layer = -1;                 ///< forward, backward: counted from 0
  std::optional<Shape> output{};  ///< of one example; backward: of the gradient by the input
  std::int64_t parameters = 0;    ///< of the layer, or of the buckets
  /// As models/cost/work.h counts; of a profile the measured time alone.
  Cost cost{};
  /// Forward: whose values it reads; backward: that its gradient belongs to.
  BucketRun buckets{};
  std::int64_t every = 1;  ///< a step in so many has it
};

enum class FlowKind : std::uint8_t {
  batch,       ///< inputs and labels
  activation,  ///< what a layer made, for the next
  kept,        ///< what a forward pass leaves for the backward pass: its output where that reads
               ///< it, what it saves
  derivative,  ///< the loss's gradient by an activation
  gradient,    ///< by parameters
  loss,        ///< a number
  parameters,
};

/// An edge: what flows from one operation to another.
struct Flow {
  FlowKind kind = FlowKind::batch;
  Bytes size;
};

/// Acyclic. Vertices are numbered in the order in which one worker's step may carry them out, so
/// every edge leads from a smaller number to a larger one.
///
/// The backward pass of the lowest layer that a bucket covers makes its gradient whole: the bucket
/// leaves then, or after `clip`. The next step's forward pass of a layer waits for the `pull` of
/// its `buckets` (without servers: the `apply`); that edge would close a circle, so it is not here.
using StepGraph =
    boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, Operation, Flow>;

/// How push, apply, pull are shown.
enum class BucketDetail : std::uint8_t {
  each,  ///< an operation for each bucket
  runs,  ///< one for neighbours that come of the same layers, belong to the same server
};

/// The step of the chief, with the updates that follow from it: an apply takes in as many gradients
/// as the strategy says (Protocol::gradients_an_apply); without servers the workers' sums are part
/// of it. Where parameters are averaged after some steps, it is a step that ends so: operations
/// that other steps have not say `every`. What it costs is what the programs of models/protocol ask
/// for, or tell of: up to `backward`, which adds them up, of all batches of the gradient. What
/// flows there is of one.
StepGraph make_step_graph(const Training& training, BucketDetail detail = BucketDetail::each);

/// What flows, in a word.
std::string_view to_string(FlowKind kind);

/// Of all operations.
Cost totals(const StepGraph& graph);
/// Of those that every step has.
Cost totals_of_every_step(const StepGraph& graph);
/// Of one kind alone.
Cost totals(const StepGraph& graph, OperationKind kind);

struct BucketCost {
  Cost push;    ///< made by a worker, checked by the server
  Cost reduce;  ///< without servers: what all workers add up before the owner applies
  Cost apply;
  Cost average;  ///< in a step that averages parameters: added up by all workers, then averaged
  Cost pull;     ///< what a push wants gathered for it, put in its place by the chief
};

/// As the programs of models/protocol ask for it, or tell of it, in a step of one worker with the
/// updates that follow from it: one for a gradient of each worker, or one for each gradient. Where
/// workers average parameters, in a step that does so.
BucketCost bucket_cost(const Training& training, const Bucket& bucket);

}  // namespace foretrain
