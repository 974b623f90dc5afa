// What the losses have in common.
#pragma once

#include <cstdint>

namespace foretrain {

/// What the logits of a batch are worth. A network reports sum / batch, and its gradient is of
/// that.
struct BatchLoss {
  double sum = 0;            ///< of minus the log-likelihood of the label, nats
  std::int64_t correct = 0;  ///< examples whose likeliest class is their label, the first of equals
};

}  // namespace foretrain
