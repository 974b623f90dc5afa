// The learning rate as a function of the examples so far.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace foretrain {

/// A schedule counts examples, not steps: it has the same meaning with another batch size, with
/// another number of workers, and with gradients that are applied one by one.
struct ScheduleSpec {
  std::string kind = "constant";  ///< constant | step | cosine
  std::int64_t warmup = 0;        ///< examples over which the rate rises linearly from 0
  std::int64_t every = 0;         ///< step: examples between two changes
  double factor = 0.1;            ///< step: factor of the rate at each change
  std::int64_t examples = 0;      ///< cosine: examples over which the rate falls to `floor`
  double floor = 0;               ///< cosine: final share of the learning rate

  bool operator==(const ScheduleSpec&) const = default;
};

std::vector<std::string> schedule_names();

/// The factor of the learning rate after `examples`, e:
///
/// min(1, e / warmup) x
///   constant   1
///   step       factor^floor(e / every)
///   cosine     floor + (1 - floor) (1 + cos(pi min(1, e / examples))) / 2
///
/// All count from the first example, including the warm-up, as the epochs of its source do (Goyal
/// et al. 2017; cosine: Loshchilov & Hutter 2017, without restarts). A warm-up begins at 0, so the
/// very first update changes nothing. The same bits on every machine.
double rate_factor(const ScheduleSpec& spec, std::int64_t examples);

}  // namespace foretrain
