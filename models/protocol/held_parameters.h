// The parameters as a worker holds them: one vector, renewed bucket by bucket.
#pragma once

#include "models/protocol/layout.h"
#include "models/protocol/node.h"
#include "models/tensor/payload.h"

#include <span>

namespace foretrain {

/// A gradient reads all parameters as one vector, messages bring them in buckets. Each bucket is
/// copied to its place on arrival, so nothing has to be collected when the next step begins; if one
/// bucket has all parameters, its payload is used without a copy.
///
/// A job may be reading other buckets: the caller of `put` ensures that none reads this one.
class HeldParameters {
 public:
  /// `start` must not be shared.
  explicit HeldParameters(Payload start);

  void put(const Bucket& bucket, const Payload& values, Effects& effects);
  /// Adds `differences` to the bucket in place; the parameters must not be shared.
  void add(const Bucket& bucket, const Payload& differences, Effects& effects);
  /// The values of a bucket, for callers that change them in place; empty without numerics.
  [[nodiscard]] std::span<float> place(const Bucket& bucket);
  /// All values, before anything was put.
  [[nodiscard]] std::span<float> places() { return numbers_; }
  /// The values of a bucket, for sending: it must be sent before the bucket changes again.
  [[nodiscard]] Payload part(const Bucket& bucket) const {
    return all_.slice(bucket.offset(), bucket.size());
  }
  [[nodiscard]] const Payload& all() const { return all_; }

 private:
  Payload all_;
  std::span<float> numbers_;  // of `all_`; empty without numerics, and if all came as one bucket
};

}  // namespace foretrain
