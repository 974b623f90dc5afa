#include "scenarios/model_key.h"

#include <fmt/format.h>

namespace foretrain {

std::string model_key(const std::string& network, InputShape shape) {
  return fmt::format("{} {}x{}", network, shape.features, shape.classes);
}

}  // namespace foretrain
