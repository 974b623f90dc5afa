// A job from the trace of one of its workers.
#pragma once

#include "scenarios/import/chrome_trace.h"
#include "scenarios/import/imported_job.h"
#include "scenarios/import/trace_layers.h"
#include "scenarios/import/trace_steps.h"
#include "scenarios/import/trace_work.h"

#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// What a trace of torch.profiler says of a step of one worker (imported_job.h): the mean over
/// steps that count (counted_steps.h).
///
///     device work   belongs to the operator that launched it: the same `correlation`, the
///                   innermost one on the launching thread at that time, and all around it
///     optimizer     within `Optimizer.step` or `Optimizer.zero_grad`
///     communication collectives, by the kernel's arguments, its name, the operator around it:
///     their
///                   bytes count, not their times, which have the wait for others in them
///     backward      launched by another thread than the step's, or within autograd's engine
///     forward       what is left
///
/// A layer begins with an operator that owns parameters (trace_layers.h); its bytes are those
/// of its arguments. What has none belongs to the layer before it, so that sums stay whole.
/// Backward work finds its layer by the number of the forward operator (`Sequence number`), else it
/// is of the one before. Without shapes, parameters are what is reduced: each all-reduce is a
/// layer, of the backward work since the last one. Shapes do not say which weight it is, so each
/// use counts; where what else the trace says differs, a note does (parameter_evidence.h).
/// If a step repeats the same passes before one optimizer step, they are micro-batches, and the job
/// is of one of them (trace_passes.cpp).
///
/// @throws InputError: no device work, or none that a launch can be found for; neither shapes nor
/// collectives with sizes; a graph, whose kernels have no operator; no backward pass; a step of
/// more than an hour
ImportedJob job_of(const ChromeTrace& trace);

/// A shape says how large a weight is, not which it is: one that is used twice looks like two, one
/// that is frozen like one that is learned. Of a step this compares `layers` with the numbers that
/// all-reduces carry; with the passes it has, as micro-batches have several; without all-reduces
/// with the tensors whose gradients are accumulated. `folded`: passes that `layers` were one of.
/// @return both figures with what to do where they differ; empty: they do not, or nothing else says
/// it (also where `layers` are what is reduced, by_shapes())
std::optional<std::string> doubt_about_parameters(const ChromeTrace& trace,
                                                  const std::vector<DeviceWork>& work,
                                                  const TraceSpan& step, const TraceLayers& layers,
                                                  int folded);

}  // namespace foretrain
