#include "scenarios/model_key.h"

#include <fmt/format.h>

namespace foretrain {

std::string model_key(const Scenario& scenario, const InputShape& shape) {
  const std::int64_t features = shape.sparse() ? shape.sparse_features : shape.image.size();
  const int threads = scenario.training.threads;
  return fmt::format("{} {}x{}{}", scenario.model.label(), features, shape.classes,
                     threads > 1 ? fmt::format(" threads {}", threads) : "");
}

}  // namespace foretrain
