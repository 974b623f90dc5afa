// Somebody else's training, as far as what was brought says.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/import/chrome_trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// A layer with parameters and all that follows it until the next one; or, of a trace without
/// shapes, the layers whose gradients were reduced together.
struct ImportedLayer {
  std::string name;
  Bytes parameters;
  double forward_s = 0;  ///< of a batch, on the device
  double backward_s = 0;
};

/// One step of one worker, a micro-batch where the optimizer follows several. What a step takes is
/// the sum of
///
///     forward, backward, optimizer    the device works; of the optimizer its part, 1 / accumulate
///     communication                   it does nothing but reduce
///     input wait                      it has nothing to do, the next batch is not there
///     launch gap                      it has nothing to do, the host has not told it what
struct ImportedJob {
  std::string source;                 ///< the file
  std::string device{};               ///< as it calls itself; empty: not said
  std::int64_t batch = 0;             ///< examples of a worker; 0: not said
  std::string type{};                 ///< of the parameters: `float`, `c10::Half`; empty: not said
  std::int64_t parameters = 0;        ///< 0: only their bytes are said
  std::vector<ImportedLayer> layers;  ///< from the input to the loss
  double step_s = 0;                  ///< 0: the file has layers alone
  double forward_s = 0;
  double backward_s = 0;
  double optimizer_s = 0;  ///< after `accumulate` steps
  double communication_s = 0;
  double input_wait_s = 0;
  double launch_gap_s = 0;
  int accumulate = 1;                ///< steps that an update is made of
  int workers = 1;                   ///< that it was measured with
  std::vector<Bytes> reduced{};      ///< of each all-reduce of a step, in the order of their launch
  std::vector<std::string> notes{};  ///< what was left out, what is in doubt, and why

  [[nodiscard]] Bytes parameter_bytes() const {
    Bytes sum;
    for (const ImportedLayer& layer : layers) sum += layer.parameters;
    return sum;
  }
};

/// Which worker is asked for; -1: not said.
struct TraceChoice {
  int rank = -1;
  int device = -1;
};

/// Keeps the events of one process that launches kernels, and its kernels on one device. If
/// `choice` says nothing, that is a process with steps: the one with the least rank in its name,
/// else the first; and the device that works longest, with the launches of its kernels. Copies of a
/// kernel, with its correlation and its times, are left out.
/// A kernel is of the process whose launch has its `correlation`. In merged traces several
/// processes have it; then the kernel is of the process that most kernels of its `pid` belong to.
/// Events an hour or more from the others are left out, and kernels at time 0 or
/// before it, whose time stamp was lost. `trace.notes` says what was left out.
/// @throws InputError: no such rank, no such device; ranks that share one process id
void keep_one_worker(ChromeTrace& trace, const TraceChoice& choice);

}  // namespace foretrain
