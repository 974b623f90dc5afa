#include "models/tensor/shape.h"

#include <fmt/format.h>

namespace foretrain {

std::string to_string(Shape shape) {
  if (shape.pixels() == 1) return fmt::format("{}", shape.channels);
  return fmt::format("{}x{}x{}", shape.rows, shape.columns, shape.channels);
}

}  // namespace foretrain
