// The price of a host.
#pragma once

#include <string>

namespace foretrain {

/// The price of a host, or of all hosts of a training together.
struct Price {
  double per_hour = 0;     ///< 0: unknown
  std::string currency{};  ///< its code: USD, EUR; empty: not given

  bool operator==(const Price&) const = default;
};

}  // namespace foretrain
