// What an update rule is given.
#pragma once

#include "models/optimizers/optimizer.h"
#include "models/tensor/array.h"

namespace foretrain {

/// Parameters of one kind (weights, or biases) with what belongs to them, all of one length.
/// `after` may be `before`: a rule writes a number when it has read all that it needs of it.
struct Update {
  std::int64_t version = 0;  ///< updates before this one
  double rate = 0;           ///< learning_rate x schedule (x biases.rate_factor)
  float decay = 0;           ///< the L2 penalty adds decay x w to the gradient
  ConstArrayMap before;
  ConstArrayMap gradient;
  std::span<float> written;
  std::span<float* const> slots;

  [[nodiscard]] Eigen::Index size() const { return before.size(); }
  [[nodiscard]] ArrayMap after() const { return array(written); }
  [[nodiscard]] ArrayMap state(std::size_t slot) const { return {slots[slot], size()}; }
};

}  // namespace foretrain
