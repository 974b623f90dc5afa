#include "tests/faults/round_values.h"

#include "models/base/parallel.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "models/tensor/half.h"
#include "tests/support/protocol_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <utility>

namespace foretrain::faults {
namespace {

Payload payload_with(std::span<const float> numbers) {
  Payload payload = Payload::allocate({static_cast<std::int64_t>(numbers.size_bytes())});
  std::ranges::copy(numbers, payload.writable_floats().begin());
  return payload;
}

// As in an Envelope.
std::vector<float> numbers_in(const Payload& payload) {
  const auto bytes = payload.bytes();
  std::vector<float> numbers((bytes.size() + sizeof(float) - 1) / sizeof(float));
  if (!bytes.empty()) std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

std::span<const float> part_of(const std::vector<float>& all, const Bucket& bucket) {
  return std::span(all).subspan(static_cast<std::size_t>(bucket.first),
                                static_cast<std::size_t>(bucket.count));
}

void add_to(std::vector<float>& sum, std::span<const float> addend) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += addend[i];
}

}  // namespace

RoundValues::RoundValues(std::shared_ptr<const Training> training)
    : training_(std::move(training)), halves_(training_->compression.converts_sums()) {
  const Protocol& protocol = *training_->protocol;
  rooted_ = protocol.rooted;
  const std::int64_t averaging = protocol.steps_an_averaging(training_->options);
  averages_ = averaging > 0;
  steps_a_round_ = std::max<std::int64_t>(1, averaging);
  outer_ = averages_ && training_->options.word(testing::option_called("outer.name")) == "nesterov";
  const int learners = averages_ ? training_->workers : 1;
  const auto buckets = static_cast<std::uint32_t>(training_->layout->buckets.size());
  held_.reserve(static_cast<std::size_t>(learners));
  shards_.resize(static_cast<std::size_t>(learners));
  for (auto& shards : shards_) {
    HeldParameters& held = held_.emplace_back(initial_parameters(*training_));
    for (std::uint32_t index = 0; index < buckets; ++index) {
      const Bucket& bucket = training_->layout->buckets[index];
      shards.push_back(halves_ ? std::make_unique<ShardBucket>(training_, index, held.all())
                               : std::make_unique<ShardBucket>(training_, index, held.part(bucket),
                                                               held.place(bucket)));
    }
  }
  for (int worker = 0; worker < training_->workers; ++worker) {
    computes_.push_back(std::make_unique<WorkerCompute>(training_, worker));
  }
  momentum_.resize(held_.front().places().size());
}

std::string RoundValues::wrong_with(std::uint32_t bucket, std::int64_t round,
                                    const std::vector<float>& numbers) {
  if (round < 0 || round * steps_a_round_ >= training_->steps) return "there is no such round";
  while (std::ssize(made_) <= round) make_round();
  if (!wrong_.empty()) return wrong_;
  constexpr double kRounding = 1e-5;  // of the few operations of an outer optimizer
  std::vector<float>& expected = made_[static_cast<std::size_t>(round)].at(bucket);
  if (expected.size() != numbers.size()) return "values of another size";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::memcmp(&expected[i], &numbers[i], sizeof(float)) == 0) continue;
    const double value = expected[i];
    const double off = std::abs(static_cast<double>(numbers[i]) - value);
    if (outer_ && off <= kRounding * (1 + std::abs(value))) continue;
    return fmt::format("a value is {}, its parts make {}", numbers[i], expected[i]);
  }
  expected = numbers;  // the next round begins with these
  return {};
}

void RoundValues::make_round() {
  const auto round = std::ssize(made_);
  if (averages_ && round > 0) begin_with(made_.back());
  const auto places = held_.front().places();
  start_.assign(places.begin(), places.end());
  const Parts parts = parts_of(round);
  const auto buckets = static_cast<std::uint32_t>(training_->layout->buckets.size());
  Values values;
  values.reserve(buckets);
  for (std::uint32_t index = 0; index < buckets; ++index) {
    values.push_back(averages_ ? averaged(index, parts) : applied(index, parts));
  }
  made_.push_back(std::move(values));
}

void RoundValues::begin_with(const Values& values) {
  for (HeldParameters& held : held_) {
    for (std::size_t index = 0; index < values.size(); ++index) {
      std::ranges::copy(values[index], held.place(training_->layout->buckets[index]).begin());
    }
  }
}

// The last round may be shorter.
RoundValues::Parts RoundValues::parts_of(std::int64_t round) {
  const std::int64_t steps = std::min(steps_a_round_, training_->steps - round * steps_a_round_);
  Parts parts;
  parts.reserve(computes_.size());
  for (std::size_t worker = 0; worker < computes_.size(); ++worker) {
    if (!averages_) {
      parts.push_back(gradient_of(worker));
      continue;
    }
    for (std::int64_t step = 0; step < steps; ++step) {
      const std::vector<float> gradient = gradient_of(worker);
      for (const auto& shard : shards_[worker]) {
        const Bucket& bucket = training_->layout->buckets[shard->index()];
        apply(*shard, part_of(gradient, bucket), 1, training_->workers - 1);
      }
    }
    const auto places = held_[worker].places();
    parts.emplace_back(places.begin(), places.end());
  }
  return parts;
}

std::vector<float> RoundValues::gradient_of(std::size_t worker) {
  WorkerCompute& compute = *computes_[worker];
  const HeldParameters& held = averages_ ? held_[worker] : held_.front();
  Serial serial;
  for (std::size_t stage = 0; stage < compute.stages().size(); ++stage) {
    const Job job = compute.gradient_job(stage, JobId{stage}, held.all());
    job.work(serial);
    if (job.prefetch) job.prefetch();
  }
  Effects unused;
  std::vector<float> gradient(start_.size());
  for (const Bucket& bucket : training_->layout->buckets) {
    const Payload part = compute.push(bucket, false, unused);
    std::ranges::copy(part.floats(), gradient.begin() + bucket.first);
  }
  return gradient;
}

void RoundValues::apply(ShardBucket& to, std::span<const float> sum, std::int64_t gradients,
                        std::int64_t beside) {
  std::vector<Payload> pushes;
  pushes.push_back(payload_with(sum));
  const Job job = to.apply_job(JobId{0}, std::move(pushes), gradients);
  Serial serial;
  job.work(serial);
  to.finish_apply(beside);
}

// A worker first adds its own part to its predecessor's sum, then adds the parts of others; a root
// begins with its own.
std::vector<float> RoundValues::sum_at(const Bucket& bucket, int worker, const Parts& parts) const {
  const Route route(*training_, bucket, worker);
  const auto mine = part_of(parts[static_cast<std::size_t>(worker)], bucket);
  std::vector<float> sum;
  const bool mine_first = route.sources() == 0 || rooted_;
  if (mine_first) sum.assign(mine.begin(), mine.end());
  for (std::size_t i = 0; i < route.sources(); ++i) {
    std::vector<float> sent = sum_at(bucket, route.source(i), parts);
    if (i == 0 && !mine_first) {
      sum = std::move(sent);
      add_to(sum, mine);
    } else {
      add_to(sum, sent);
    }
  }
  if (halves_ && worker != bucket.shard) {
    for (float& number : sum) number = from_half(to_half(number));
  }
  return sum;
}

// Each of N additions, and each rounding of a sum to 16 bits, has an error relative to the sum of
// sizes; 16-bit floats near zero have a spacing of 2^-24.
void RoundValues::check_sum(const Bucket& bucket, const std::vector<float>& sum,
                            const Parts& parts) {
  const double unit = halves_ ? 0x1p-10 : 0x1p-23;
  const double least = halves_ ? 0x1p-24 : 0;
  const auto count = static_cast<double>(parts.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    double exact = 0;
    double sizes = 0;
    for (const std::vector<float>& part : parts) {
      const double number = part_of(part, bucket)[i];
      exact += number;
      sizes += std::abs(number);
    }
    if (std::abs(static_cast<double>(sum[i]) - exact) <= count * (unit * sizes + least)) continue;
    wrong_ = fmt::format("the way of a sum makes {} of parts that are {}", sum[i], exact);
    return;
  }
}

void RoundValues::check_plain(std::span<const float> before, std::span<const float> sum,
                              std::span<const float> after) {
  if (training_->optimizer_spec.name != "sgd") return;
  constexpr double kRounding = 1e-6;  // of four operations in single precision
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double change =
        training_->optimizer_spec.learning_rate * static_cast<double>(sum[i]) / training_->workers;
    const double exact = static_cast<double>(before[i]) - change;
    const double most = kRounding * (std::abs(change) + std::abs(static_cast<double>(before[i])));
    if (std::abs(static_cast<double>(after[i]) - exact) <= most) continue;
    wrong_ = fmt::format("plain SGD makes {}, not {}", after[i], exact);
    return;
  }
}

std::vector<float> RoundValues::applied(std::uint32_t index, const Parts& parts) {
  const Bucket& bucket = training_->layout->buckets[index];
  ShardBucket& shard = *shards_.front()[index];
  const std::vector<float> sum = sum_at(bucket, bucket.shard, parts);
  check_sum(bucket, sum, parts);
  const std::vector<float> before = numbers_in(shard.values());
  std::vector<float> mean = sum;
  if (rooted_) {
    for (float& number : mean) number *= 1.0F / static_cast<float>(training_->workers);
    apply(shard, mean, 1, training_->workers - 1);
  } else {
    apply(shard, sum, training_->workers, 0);
  }
  check_plain(before, sum, shard.values().floats());
  if (rooted_) return mean;
  return halves_ ? differences_of(index) : numbers_in(shard.values());
}

// The change in 16-bit floats, from the values that all workers hold to the owner's master values.
std::vector<float> RoundValues::differences_of(std::uint32_t index) {
  const auto master = shards_.front()[index]->values().floats();
  const auto held = held_.front().place(training_->layout->buckets[index]);
  std::vector<float> differences(held.size());
  for (std::size_t i = 0; i < held.size(); ++i) {
    differences[i] = from_half(to_half(master[i] - held[i]));
    held[i] += differences[i];
  }
  return numbers_in(compress(training_->compression, payload_with(differences), {}));
}

std::vector<float> RoundValues::averaged(std::uint32_t index, const Parts& parts) {
  const Bucket& bucket = training_->layout->buckets[index];
  std::vector<float> mean = sum_at(bucket, bucket.shard, parts);
  check_sum(bucket, mean, parts);
  const float share = 1.0F / static_cast<float>(training_->workers);
  for (float& number : mean) number *= share;
  return outer_ ? with_outer(bucket, mean) : mean;
}

std::vector<float> RoundValues::with_outer(const Bucket& bucket, const std::vector<float>& mean) {
  const ProtocolOptions& options = training_->options;
  const double rate = options.number(testing::option_called("outer.learning_rate"));
  const double momentum = options.number(testing::option_called("outer.momentum"));
  std::vector<float> values(mean.size());
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(bucket.first) + i;
    const double start = start_[at];
    const double change = start - static_cast<double>(mean[i]);
    momentum_[at] = momentum * momentum_[at] + change;
    values[i] = static_cast<float>(start - rate * (change + momentum * momentum_[at]));
  }
  return values;
}

}  // namespace foretrain::faults
