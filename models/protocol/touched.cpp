#include "models/protocol/touched.h"

#include <algorithm>
#include <cmath>

namespace foretrain {

std::int64_t touched(const Training& training, std::size_t i) {
  const Network& network = *training.network;
  const std::int64_t own = network.layers()[i]->parameters();
  if (!training.sparse() || i > 0) return own;
  const std::int64_t others = network.parameters() - own;
  return std::clamp<std::int64_t>(std::llround(training.touched_mean) - others, 0, own);
}

std::int64_t touched(const Training& training) {
  const Network& network = *training.network;
  return touched(training, 0) + network.parameters() - network.layers().front()->parameters();
}

std::int64_t touched_mean(const Training& training, const Bucket& bucket) {
  const double share =
      static_cast<double>(bucket.count) / static_cast<double>(training.layout->parameters);
  return std::clamp<std::int64_t>(std::llround(training.touched_mean * share), 0, bucket.count);
}

Listed listed_mean(const Training& training, const Bucket& bucket, bool all) {
  const std::int64_t touched = touched_mean(training, bucket);
  return {touched, all ? 0 : touched};
}

}  // namespace foretrain
