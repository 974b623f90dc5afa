#include "models/shapes/device_time.h"

#include <algorithm>

namespace foretrain {

PassTimes pass_times(const LayerWork& work, const DeviceRates& rates, Recompute recompute) {
  const double products_s = (work.products + rates.half_size * work.edges) / rates.products;
  const double attention_s = work.attention / rates.attention;
  const double moved_s = work.moved / rates.memory;
  const double launches_s = work.kernels * rates.launch_s;
  const double forward_s = std::max(products_s + attention_s + moved_s, launches_s);
  constexpr double kAttentionBackward = 2.5;
  double backward_s =
      std::max(2 * (products_s + moved_s) + kAttentionBackward * attention_s, 2 * launches_s);
  if (work.recomputable && recompute == Recompute::full) backward_s += forward_s;
  if (work.recomputable && recompute == Recompute::selective) backward_s += moved_s;
  return {forward_s, backward_s};
}

double kept_bytes(const LayerWork& work, Recompute recompute) {
  if (!work.recomputable || recompute == Recompute::none) return work.kept;
  return recompute == Recompute::full ? work.kept_input : work.kept_products;
}

}  // namespace foretrain
