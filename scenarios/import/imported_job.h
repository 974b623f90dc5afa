// A user's training, as far as the imported files describe it.
#pragma once

#include "models/base/quantity.h"
#include "scenarios/import/chrome_trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// A layer with parameters plus everything up to the next one. For a trace without shapes: the
/// layers whose gradients were reduced together.
struct ImportedLayer {
  std::string name;
  Bytes parameters;
  double forward_s = 0;  ///< per batch, on the device
  double backward_s = 0;
};

/// One step of one worker, or a micro-batch if the optimizer follows several. The time of a step is
/// the sum of
///
///     forward, backward, optimizer    the device works; the optimizer's share is 1 / accumulate
///     communication                   the device only reduces
///     input wait                      the device is idle, the next batch is missing
///     launch gap                      the device is idle, the host has not launched anything
struct ImportedJob {
  std::string source;                 ///< the file
  std::string device{};               ///< its name; empty: unknown
  std::int64_t batch = 0;             ///< examples per worker; 0: unknown
  std::string type{};                 ///< of the parameters: `float`, `c10::Half`; empty: unknown
  std::int64_t parameters = 0;        ///< 0: only their bytes are known
  std::vector<ImportedLayer> layers;  ///< from the input to the loss
  double step_s = 0;                  ///< 0: the file has only layers
  double forward_s = 0;
  double backward_s = 0;
  double optimizer_s = 0;  ///< after `accumulate` steps
  double communication_s = 0;
  double input_wait_s = 0;
  double launch_gap_s = 0;
  int accumulate = 1;                ///< steps per update
  int workers = 1;                   ///< number of workers in the measurement
  std::vector<Bytes> reduced{};      ///< of each all-reduce of a step, in the order of launches
  std::vector<std::string> notes{};  ///< what was left out or is doubtful, with reasons

  [[nodiscard]] Bytes parameter_bytes() const {
    Bytes sum;
    for (const ImportedLayer& layer : layers) sum += layer.parameters;
    return sum;
  }
};

/// The selected worker, if given.
struct TraceChoice {
  std::optional<int> rank{};  ///< in the process name; the place, from 0, if no name has a rank
  std::optional<int> device{};
};

/// Keeps only the events of one process that launches kernels, and its kernels on one device.
/// Without a `choice` it takes a process with steps, the one with the smallest rank in its name,
/// else the first; and the device with the longest work, with the launches of its kernels. Copies
/// of a kernel, with equal correlation and times, are removed. A kernel belongs to the process
/// whose launch has its `correlation`; if several processes of a merged trace have it, to the
/// process that owns most kernels with the same `pid`. Events more than an hour from the median or
/// longer than an hour are removed, and kernels at time 0 or earlier, whose time stamp was lost.
/// `trace.notes` lists what was removed.
/// @throws InputError if the rank or device does not exist, or if ranks share a process id
void keep_one_worker(ChromeTrace& trace, const TraceChoice& choice);

}  // namespace foretrain
