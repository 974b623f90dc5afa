// A server's side of training: its buckets, changed by gradients.
#pragma once

#include "models/cost/work.h"
#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace foretrain {

/// A bucket's values, the optimizer's state for them, and the job that changes both.
///
/// A push is a gradient of the bucket's length; with a sparse model it is a SparsePush, and an
/// answer has the values that it requests. A push from another node goes through `take_in` first,
/// which checks it, and expands a compressed one.
class ShardBucket {
 public:
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
              const Payload& all_parameters);
  /// A bucket whose values are set later, by `read` or by `take_over`.
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index);
  /// A bucket whose values are in `place`, where others read them, and are changed there.
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index, Payload values,
              std::span<float> place);

  /// `push` has the right size for this bucket (sparse or compressed: is well formed). If false, it
  /// must not be used.
  [[nodiscard]] bool take_in(Payload& push, Effects& effects) const;
  /// Applies the mean of the gradients in `pushes`, added up in the order given. The values must
  /// not be read until `finish_apply`. They change in place if not shared, else a new buffer is
  /// written. `gradients`, for dense pushes: how many are added up in `pushes`; 0: one in each.
  Job apply_job(JobId id, std::vector<Payload> pushes, std::int64_t gradients = 0);
  /// The job is computed: the values are new, the gradients are released. `beside`: gradients that
  /// others have applied elsewhere meanwhile; schedules count them.
  void finish_apply(std::int64_t beside = 0);
  /// The answer to the sender of `push`.
  [[nodiscard]] Payload answer(const Payload& push, Effects& effects) {
    return answer(push, values_, effects);
  }
  /// The same with current or earlier values of this bucket.
  [[nodiscard]] Payload answer(const Payload& push, const Payload& values, Effects& effects);
  /// The values, for callers that hold them during updates: the next update does not change them.
  [[nodiscard]] Payload lend() {
    lent_ = true;
    return values_;
  }

  /// Writes the updates so far, the optimizer's state, the values if they are here. No job may run.
  void write(StateWriter& state) const;
  void read(StateReader& state);
  /// Copies the parameters in common with `kept`, a bucket of a training with another layout: their
  /// values, optimizer's state, number of updates. False if there are none.
  bool take_over(const ShardBucket& kept);
  /// The number of bytes that `write` writes.
  [[nodiscard]] Bytes kept_size() const;

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const Payload& values() const { return values_; }
  /// The number of updates so far.
  [[nodiscard]] Version version() const { return version_; }

 private:
  /// Consecutive parameters of the bucket, all weights or all biases.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
    bool bias = false;
  };
  /// The sum of the pushes of a sparse step, at each parameter that one of them touches.
  struct Touched {
    std::vector<std::uint32_t> indices;  // ascending from one of `ends` to the next
    std::vector<std::size_t> ends;       // for each push: end of the indices it touched first
    std::vector<float> sums;             // [bucket's count]
    std::vector<std::uint32_t> met;      // [bucket's count]: version + 1 of the last update with it
  };

  void begin_state();
  /// The number of parameters, and of numbers in each slot of the optimizer's state.
  [[nodiscard]] std::size_t length() const {
    return static_cast<std::size_t>(values_.size().value / 4);
  }
  [[nodiscard]] float* state(std::size_t slot) { return state_.data() + slot * length(); }
  [[nodiscard]] const float* state(std::size_t slot) const {
    return state_.data() + slot * length();
  }
  [[nodiscard]] Listed listed_in(const Payload& push) const;
  [[nodiscard]] Cost cost_of(const std::vector<Payload>& pushes) const;
  void apply_dense(std::span<float> after, Parallel& parallel);
  void apply_sparse(std::span<float> after);
  void add_up();
  void apply_touched(std::span<const std::uint32_t> indices, bool bias, std::span<float> after);

  std::shared_ptr<const Training> training_;
  std::uint32_t index_;
  Payload values_;
  std::span<float> place_;  // writable place of the values, if elsewhere
  bool elsewhere_ = false;
  Version version_;
  std::int64_t examples_ = 0;  // examples of the applied gradients
  std::vector<Range> ranges_;
  std::vector<float> state_;  // [slots][bucket's count]
  Payload fresh_;             // output of the running job, unless in place
  std::vector<Payload> pushes_;
  std::int64_t gradients_ = 0;  // in the pushes
  bool lent_ = false;           // sparse: an update has to copy all values
  Touched touched_;
};

/// Applies the mean of `count` gradients to `before`, element by element: after = rule(before,
/// mean). `sums` are sums of these gradients, or the gradients themselves if as many. All have one
/// length and one kind; `after` may be `before`. The sum is taken in the order of `sums`. `state`:
/// as in Optimizer::apply.
void reduce_and_apply(const Optimizer& optimizer, const UpdateContext& context, bool bias,
                      std::span<const float> before, std::span<const std::span<const float>> sums,
                      std::int64_t count, std::span<float> after, std::span<float* const> state);

}  // namespace foretrain
