// What a host costs.
#pragma once

#include <string>

namespace foretrain {

/// A price, as a host has it, or all hosts of a training together.
struct Price {
  double per_hour = 0;     ///< 0: not told
  std::string currency{};  ///< its code: USD, EUR; empty: nobody said

  bool operator==(const Price&) const = default;
};

}  // namespace foretrain
