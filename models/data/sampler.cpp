// Samples the shard of a worker, shuffled anew each epoch.
#include "models/data/sampler.h"

#include "models/base/check.h"

#include <fmt/format.h>

namespace foretrain {

Sampler::Sampler(std::int64_t examples, int worker, int workers, int batch_size, std::uint64_t seed)
    : stream_(seed, fmt::format("data.shuffle.worker{}", worker)) {
  FT_CHECK_OP(worker, >=, 0);
  FT_CHECK_OP(worker, <, workers);
  FT_CHECK_OP(batch_size, >, 0);
  batch_.resize(static_cast<std::size_t>(batch_size));
  for (std::int64_t example = worker; example < examples; example += workers) {
    order_.push_back(example);
  }
  FT_CHECK(!order_.empty());
  stream_.shuffle(std::span(order_));
}

std::span<const std::int64_t> Sampler::next() {
  for (auto& example : batch_) {
    if (position_ == order_.size()) {
      stream_.shuffle(std::span(order_));
      position_ = 0;
    }
    example = order_[position_++];
  }
  return batch_;
}

void Sampler::skip(std::int64_t batches) {
  FT_CHECK_OP(batches, >=, 0);
  const auto size = static_cast<std::int64_t>(order_.size());
  std::int64_t left = batches * std::ssize(batch_) + static_cast<std::int64_t>(position_);
  for (; left > size; left -= size) stream_.shuffle(std::span(order_));
  position_ = static_cast<std::size_t>(left);
}

}  // namespace foretrain
