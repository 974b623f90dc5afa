// A server's side of learning: the buckets that it holds, changed by gradients.
#pragma once

#include "models/cost/work.h"
#include "models/protocol/node.h"
#include "models/protocol/training.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace foretrain {

/// A bucket's values, the optimizer's state beside them, and the job that is changing both.
///
/// A push is a gradient of the bucket's length; of a sparse model it is a SparsePush, and an answer
/// carries the values that it asks for. A push of another node goes through `take_in` first: that
/// is where it is checked, and where one that was compressed becomes a gradient again.
class ShardBucket {
 public:
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
              const Payload& all_parameters);
  /// Of values that are still to come: by `read`, or by `take_over`.
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index);
  /// Of values that live in `place`, where others read them; each change is made there.
  ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index, Payload values,
              std::span<float> place);

  /// `push` has the right size for this bucket (sparse, compressed: is well formed). False: it has
  /// not, and nothing may be done with it.
  [[nodiscard]] bool take_in(Payload& push, Effects& effects) const;
  /// The mean of the gradients in `pushes`, added up in the order given, applied. The values may
  /// not be taken until `finish_apply`. In place where nobody else holds them, else into a new
  /// buffer. `gradients`: dense: the number that was added up in `pushes`; 0: one in each.
  Job apply_job(JobId id, std::vector<Payload> pushes, std::int64_t gradients = 0);
  /// The job is computed: the values are new, the gradients let go. `beside`: gradients that others
  /// have applied elsewhere meanwhile; schedules count them.
  void finish_apply(std::int64_t beside = 0);
  /// What the sender of `push` is answered.
  [[nodiscard]] Payload answer(const Payload& push, Effects& effects) {
    return answer(push, values_, effects);
  }
  /// The same of values that this bucket has, or once had.
  [[nodiscard]] Payload answer(const Payload& push, const Payload& values, Effects& effects);
  /// The values, for who keeps them while they change: the next update leaves them as they are.
  [[nodiscard]] Payload lend() {
    lent_ = true;
    return values_;
  }

  /// Updates so far, the optimizer's state, the values where they live here. No job is under way.
  void write(StateWriter& state) const;
  void read(StateReader& state);
  /// Where both have the same parameters it takes the values, with the optimizer's state, of
  /// `kept`, a bucket of a training that is cut in another way; the updates, too. False: none.
  bool take_over(const ShardBucket& kept);
  /// Of what is written.
  [[nodiscard]] Bytes kept_size() const;

  [[nodiscard]] std::uint32_t index() const { return index_; }
  [[nodiscard]] const Payload& values() const { return values_; }
  /// Updates so far.
  [[nodiscard]] Version version() const { return version_; }

 private:
  /// A run of the bucket's parameters of one kind.
  struct Range {
    std::size_t first = 0;
    std::size_t count = 0;
    bool bias = false;
  };
  /// What the pushes of a sparse step add up to, at each parameter that one of them touches.
  struct Touched {
    std::vector<std::uint32_t> indices;  // ascending from one of `ends` to the next
    std::vector<std::size_t> ends;       // of what each push was the first to touch
    std::vector<float> sums;             // [bucket's count]
    std::vector<std::uint32_t> met;      // [bucket's count]: the version + 1 that last met it
  };

  void begin_state();
  /// Parameters, for each of which a slot of the optimizer's state has a number.
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
  std::span<float> place_;  // of the values, where they live elsewhere
  bool elsewhere_ = false;
  Version version_;
  std::int64_t examples_ = 0;  // whose gradients have been applied
  std::vector<Range> ranges_;
  std::vector<float> state_;  // [slots][bucket's count]
  Payload fresh_;             // where the running job writes, unless in place
  std::vector<Payload> pushes_;
  std::int64_t gradients_ = 0;  // in the pushes
  bool lent_ = false;           // sparse: an update changes a copy of all values
  Touched touched_;
};

/// The mean of `count` gradients, which `sums` hold added up, one in each if they are as many,
/// applied to `before`, element by element: after = rule(before, mean). All of one length and one
/// kind; `after` may be `before`. The sum is taken in the order of `sums`. `state`: as
/// Optimizer::apply takes it.
void reduce_and_apply(const Optimizer& optimizer, const UpdateContext& context, bool bias,
                      std::span<const float> before, std::span<const std::span<const float>> sums,
                      std::int64_t count, std::span<float> after, std::span<float* const> state);

}  // namespace foretrain
