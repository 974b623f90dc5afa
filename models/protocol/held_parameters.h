// The parameters as a worker holds them: one vector, renewed bucket by bucket.
#pragma once

#include "models/protocol/layout.h"
#include "models/protocol/node.h"
#include "models/tensor/payload.h"

#include <span>

namespace foretrain {

/// A gradient reads all parameters end to end, messages bring them in buckets. Each is copied to
/// its place as it comes, so nothing is left to be gathered when the next step begins; where one
/// bucket is everything, it is taken as it is.
///
/// A job may be reading other buckets meanwhile: whoever puts one knows that nobody reads that one.
class HeldParameters {
 public:
  /// `start`: held by nobody else.
  explicit HeldParameters(Payload start);

  void put(const Bucket& bucket, const Payload& values, Effects& effects);
  /// Changes it by that, in place: it is nobody else's.
  void add(const Bucket& bucket, const Payload& differences, Effects& effects);
  /// Where the values of a bucket are, for who changes them in place; empty without numerics.
  [[nodiscard]] std::span<float> place(const Bucket& bucket);
  /// All of them, before anything was put.
  [[nodiscard]] std::span<float> places() { return numbers_; }
  /// What is there, for who sends it: it has left before the bucket is changed again.
  [[nodiscard]] Payload part(const Bucket& bucket) const {
    return all_.slice(bucket.offset(), bucket.size());
  }
  [[nodiscard]] const Payload& all() const { return all_; }

 private:
  Payload all_;
  std::span<float> numbers_;  // in it; empty without numerics, and where all came as one bucket
};

}  // namespace foretrain
