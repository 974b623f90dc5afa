// Prefetches bytes that are needed soon.
#pragma once

#include <cstddef>

namespace foretrain {

/// Requests these bytes, so that they are loaded into the core's cache while it works on others.
/// Data read in sequence does not need it: processors detect that by themselves.
inline void prefetch_lines(const void* from, std::size_t count) {
  constexpr std::size_t kLine = 64;
  const auto* bytes = static_cast<const char*>(from);
  for (std::size_t at = 0; at < count; at += kLine) __builtin_prefetch(bytes + at);
  if (count > 0) __builtin_prefetch(bytes + count - 1);
}

}  // namespace foretrain
