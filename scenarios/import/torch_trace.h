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

/// Extracts a step of one worker (imported_job.h) from a trace of torch.profiler: the mean over the
/// counted steps (counted_steps.h).
///
///     device work     belongs to the operator that launched it, by `correlation`: the innermost
///                     one on the launching thread at that time, and those around it
///     optimizer       within `Optimizer.step` or `Optimizer.zero_grad`
///     communication   collectives, by the kernel's arguments, its name, the operator around it;
///                     their bytes count, not their times, which include waiting for others
///     backward        launched by another thread than the step's, or within a backward operator
///     forward         everything else
///
/// A layer begins with an operator that owns parameters (trace_layers.h); its bytes are those of
/// the operator's arguments. Operators without parameters belong to the layer before, so that sums
/// are complete. Backward work is assigned by the forward operator's `Sequence number`, else to the
/// layer of the previous work. Without shapes, parameters follow from reductions: each all-reduce
/// is a layer with the backward work since the last one. Shapes do not identify a weight, so each
/// use counts; a note reports contradicting evidence (doubt_about_parameters). If a step repeats
/// the same passes before one optimizer step, these are micro-batches, and the job describes one of
/// them (trace_passes.cpp).
///
/// @throws InputError if there is no device work, or none with a launch; if there are neither
/// shapes nor collectives with sizes; if a graph is launched, since its kernels have no operator;
/// if there is no backward pass; if a step is longer than an hour
ImportedJob job_of(const ChromeTrace& trace);

/// Shapes give the size of a weight, not its identity: a weight that is used twice looks like two,
/// a frozen one like a trained one. Compares the parameters of `layers` with the numbers that the
/// all-reduces of a step carry, then looks for several forward passes, in which each weight counts
/// several times. Without all-reduces it compares the number of tensors with the number of tensors
/// whose gradients are accumulated. `folded`: number of passes that `layers` were folded from.
/// @return both figures and a remedy if they differ; empty if they agree or there is no other
/// evidence (also if `layers` come from reductions, by_shapes())
std::optional<std::string> doubt_about_parameters(const ChromeTrace& trace,
                                                  const std::vector<DeviceWork>& work,
                                                  const TraceSpan& step, const TraceLayers& layers,
                                                  int folded);

}  // namespace foretrain
