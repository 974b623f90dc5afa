#include "tests/faults/bucket_values.h"

#include "models/base/parallel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace foretrain::faults {
namespace {

Payload payload_of(const std::vector<float>& numbers) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(numbers.size() * sizeof(float))});
  std::ranges::copy(numbers, payload.writable_floats().begin());
  return payload;
}

}  // namespace

BucketValues::BucketValues(std::shared_ptr<const Training> training, std::uint32_t index)
    : training_(std::move(training)) {
  const Payload start = initial_parameters(*training_);
  if (training_->optimizer_spec.name != "sgd" || training_->sparse()) {
    twin_ = std::make_unique<ShardBucket>(training_, index, start);
    return;
  }
  const Bucket& bucket = training_->layout->buckets[index];
  const Payload part = start.slice(bucket.offset(), bucket.size());
  plain_.assign(part.floats().begin(), part.floats().end());
}

void BucketValues::apply(std::span<const std::vector<float>* const> pushes) {
  if (!twin_) {
    const double rate = training_->optimizer_spec.learning_rate;
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      double sum = 0;
      for (const auto* push : pushes) sum += static_cast<double>(push->at(i));
      plain_[i] -= rate * sum / static_cast<double>(pushes.size());
    }
    return;
  }
  std::vector<Payload> payloads;
  for (const auto* push : pushes) payloads.push_back(payload_of(*push));
  Job job = twin_->apply_job(JobId{0}, std::move(payloads));
  Serial serial;
  job.work(serial);
  twin_->finish_apply();
}

std::string BucketValues::wrong_with(const std::vector<float>& numbers,
                                     const std::vector<float>* push) {
  return twin_ ? wrong_by_a_bit(numbers, push) : wrong_by_rounding(numbers);
}

std::string BucketValues::wrong_by_rounding(const std::vector<float>& numbers) {
  if (numbers.size() != plain_.size()) return "values of another size";
  if (!std::exchange(seen_, true)) plain_.assign(numbers.begin(), numbers.end());
  for (std::size_t i = 0; i < plain_.size(); ++i) {
    const double off = std::abs(static_cast<double>(numbers[i]) - plain_[i]);
    if (off <= 1e-5 * (1 + std::abs(plain_[i]))) continue;
    return fmt::format("a value is {}, not {}", numbers[i], plain_[i]);
  }
  return {};
}

// An answer does not contain a rule's state, so values stay unknown once sight is lost.
std::string BucketValues::wrong_by_a_bit(const std::vector<float>& numbers,
                                         const std::vector<float>* push) const {
  if (!seen_) return {};
  Effects unused;
  const bool asked = training_->sparse() && push != nullptr;
  const Payload expected = asked ? twin_->answer(payload_of(*push), unused) : twin_->values();
  const auto floats = expected.floats();
  if (floats.size() != numbers.size()) return "values of another size";
  for (std::size_t i = 0; i < floats.size(); ++i) {
    if (std::memcmp(&floats[i], &numbers[i], sizeof(float)) == 0) continue;
    return fmt::format("a value is {}, not {}", numbers[i], floats[i]);
  }
  return {};
}

}  // namespace foretrain::faults
