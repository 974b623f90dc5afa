// The format of pushes whose gradients touch few parameters.
#pragma once

#include "models/cost/work.h"
#include "models/tensor/payload.h"

#include <cstdint>
#include <optional>
#include <span>

namespace foretrain {

/// A push of a sparse model, for one bucket: the gradient at the parameters that the batch touches,
/// then the parameters that the next batch will read. On the wire, 4 bytes each:
///
///     n | m | n indices | n gradients | m indices
///
/// Indices ascend; they count from the bucket's first parameter. The reply has m values, in that
/// order. m = kAll requests the whole bucket (the chief evaluates next); no list follows.
struct SparsePush {
  static constexpr std::uint32_t kAll = 0xFFFF'FFFF;

  std::span<const std::uint32_t> touched;
  std::span<const float> gradient;  ///< one for each of `touched`
  bool all = false;
  std::span<const std::uint32_t> wanted;  ///< empty if `all`

  [[nodiscard]] Listed listed() const { return {std::ssize(touched), std::ssize(wanted)}; }
};

Payload encode(const SparsePush& push);
/// The parts of an encoded push (they point into it); nothing if it is malformed for a bucket of
/// `count` parameters.
std::optional<SparsePush> decode(const Payload& push, std::int64_t count);
/// The same for a push that `decode` has accepted: nothing is checked again.
SparsePush parts_of(const Payload& push);

/// The size of the largest push for `count` parameters.
constexpr Bytes largest_push(std::int64_t count) { return push_size({count, count}); }

}  // namespace foretrain
