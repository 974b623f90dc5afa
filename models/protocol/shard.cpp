#include "models/protocol/shard.h"

#include "models/base/check.h"

#include <algorithm>
#include <array>
#include <utility>

namespace foretrain {

ShardBucket::ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
                         const Payload& all_parameters)
    : training_(std::move(training)), index_(index) {
  const Bucket& bucket = training_->layout->buckets[index];
  if (!training_->numerics) {
    values_ = Payload::sized(bucket.size());
    return;
  }
  // A buffer of its own, so that it can be changed in place whoever holds the other buckets.
  values_ = Payload::allocate(bucket.size());
  std::ranges::copy(all_parameters.slice(bucket.offset(), bucket.size()).floats(),
                    values_.writable_floats().begin());
}

Job ShardBucket::apply_job(JobId id, std::vector<Payload> gradients) {
  FT_CHECK(gradients_.empty());
  gradients_ = std::move(gradients);
  const std::int64_t count = values_.size().value / 4;
  const auto inputs = static_cast<std::int64_t>(gradients_.size());
  // Every gradient and the values are read, the values written.
  const Cost cost{Flops{static_cast<double>(count * (inputs + 2))},
                  Bytes{4 * count * (inputs + 2)}};
  Job job{id, JobKind::apply, 0, cost, {}};
  if (!training_->numerics) return job;
  if (!values_.unshared()) fresh_ = Payload::allocate(values_.size());
  job.work = [this] {
    Payload& after = fresh_.size().value > 0 ? fresh_ : values_;
    reduce_and_apply(*training_->optimizer, values_.floats(), gradients_, after.writable_floats());
    return JobResult{};
  };
  return job;
}

void ShardBucket::finish_apply() {
  if (fresh_.size().value > 0) values_ = std::move(fresh_);
  fresh_ = {};
  gradients_.clear();
  ++version_;
}

void reduce_and_apply(const Optimizer& optimizer, std::span<const float> before,
                      const std::vector<Payload>& gradients, std::span<float> after) {
  constexpr std::size_t kBlock = 2048;  // 8 KB: the sum stays in the first-level cache
  alignas(64) std::array<float, kBlock> mean;
  const float scale = 1.0F / static_cast<float>(gradients.size());
  for (std::size_t first = 0; first < before.size(); first += kBlock) {
    const std::size_t length = std::min(kBlock, before.size() - first);
    const auto whole = gradients.front().floats().subspan(first, length);
    std::ranges::copy(whole, mean.begin());
    for (std::size_t k = 1; k < gradients.size(); ++k) {
      const auto part = gradients[k].floats().subspan(first, length);
      for (std::size_t i = 0; i < length; ++i) mean[i] += part[i];
    }
    if (gradients.size() > 1) {
      for (std::size_t i = 0; i < length; ++i) mean[i] *= scale;
    }
    optimizer.apply(before.subspan(first, length), std::span(mean).first(length),
                    after.subspan(first, length));
  }
}

}  // namespace foretrain
