#include "models/protocol/shard.h"

#include "models/base/check.h"
#include "models/cost/work.h"
#include "models/payload/sparse_push.h"
#include "models/protocol/touched.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

constexpr std::size_t kMeanBlock = 2048;  // 8 KB: the sum stays in the first-level cache
constexpr std::size_t kPart = 64 * 1024;  // parameters that a thread takes at a time
constexpr std::size_t kMostSlots = 4;     // the most of any optimizer

using SlotPointers = std::array<float*, kMostSlots>;

// Sorts indices that ascend up to each of `ends`, merging neighbours first. A sort that does not
// use the runs makes an update of two or three pushes take 1.4 or 1.7 times as long.
void merge_runs(std::vector<std::uint32_t>& indices, const std::vector<std::size_t>& ends) {
  for (std::size_t width = 1; width < ends.size(); width *= 2) {
    for (std::size_t run = 0; run + width < ends.size(); run += 2 * width) {
      const auto at = [&](std::size_t end) {
        return indices.begin() + static_cast<std::ptrdiff_t>(ends[end]);
      };
      const std::size_t last = std::min(run + 2 * width, ends.size()) - 1;
      std::inplace_merge(run == 0 ? indices.begin() : at(run - 1), at(run + width - 1), at(last));
    }
  }
}

}  // namespace

ShardBucket::ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
                         const Payload& all_parameters)
    : ShardBucket(std::move(training), index) {
  if (!training_->numerics) return;
  // A separate buffer, so that it can be changed in place, whoever holds the other buckets.
  const Bucket& bucket = training_->layout->buckets[index];
  std::ranges::copy(all_parameters.slice(bucket.offset(), bucket.size()).floats(),
                    values_.writable_floats().begin());
}

ShardBucket::ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index)
    : training_(std::move(training)), index_(index) {
  const Bytes size = training_->layout->buckets[index].size();
  values_ = training_->numerics ? Payload::allocate(size) : Payload::sized(size);
  if (training_->numerics) begin_state();
}

ShardBucket::ShardBucket(std::shared_ptr<const Training> training, std::uint32_t index,
                         Payload values, std::span<float> place)
    : training_(std::move(training)),
      index_(index),
      values_(std::move(values)),
      place_(place),
      elsewhere_(true) {
  FT_CHECK(!training_->sparse());
  if (training_->numerics) begin_state();
}

void ShardBucket::begin_state() {
  const Bucket& bucket = training_->layout->buckets[index_];
  const auto count = static_cast<std::size_t>(bucket.count);
  state_.resize(count * static_cast<std::size_t>(training_->optimizer->slots()));
  training_->optimizer->initialize(state_);
  for (const ParameterBlock& block : training_->network->blocks()) {
    const std::int64_t first = std::max(block.first, bucket.first);
    const std::int64_t last = std::min(block.first + block.count, bucket.first + bucket.count);
    if (first >= last) continue;
    ranges_.push_back({static_cast<std::size_t>(first - bucket.first),
                       static_cast<std::size_t>(last - first), block.bias});
  }
  if (!training_->sparse()) return;
  touched_.sums.resize(count);
  touched_.met.resize(count);
}

bool ShardBucket::take_in(Payload& push, Effects& effects) const {
  const Compression& compression = training_->compression;
  const std::int64_t count = values_.size().value / 4;
  if (compression.wanted()) {
    auto gradient = expand(compression, push, count);
    if (!gradient) return false;
    push = *std::move(gradient);
    effects.emplace_back(SpentCost{expand_cost(compression, count)});
    return true;
  }
  if (!training_->sparse()) return push.size() == values_.size();
  if (!training_->numerics) {
    effects.emplace_back(SpentCost{decode_cost(listed_in(push))});
    return true;
  }
  const auto parts = decode(push, count);
  if (parts) effects.emplace_back(SpentCost{decode_cost(parts->listed())});
  return parts.has_value();
}

// Without numerics: such pushes want all parameters, or as many as they touch.
Listed ShardBucket::listed_in(const Payload& push) const {
  const Bucket& bucket = training_->layout->buckets[index_];
  const Listed all = listed_mean(*training_, bucket, true);
  const bool wants_all = push.size() == push_size(all) && all.touched > 0;
  return wants_all ? all : listed_mean(*training_, bucket, false);
}

Cost ShardBucket::cost_of(const std::vector<Payload>& pushes) const {
  const std::int64_t count = values_.size().value / 4;
  const Optimizer& rule = *training_->optimizer;
  if (!training_->sparse()) return apply_cost(count, std::ssize(pushes), rule);
  Bytes size;
  for (const Payload& push : pushes) size += push.size();
  const Cost cost = sparse_apply_cost(count, std::ssize(pushes), size, rule);
  return lent_ ? cost + copy_cost(count) : cost;
}

Job ShardBucket::apply_job(JobId id, std::vector<Payload> pushes, std::int64_t gradients) {
  FT_CHECK(pushes_.empty());
  pushes_ = std::move(pushes);
  gradients_ = gradients > 0 ? gradients : std::ssize(pushes_);
  const Cost cost = cost_of(pushes_);
  Job job{id, JobKind::apply, 0, cost, {}, {}};
  job.scattered = training_->sparse();
  job.bucket = index_;
  job.pushes = static_cast<int>(pushes_.size());
  if (!training_->numerics) return job;
  const bool kept = (training_->sparse() && lent_) || !values_.unshared();
  if (place_.empty() && kept) fresh_ = Payload::allocate(values_.size());
  job.work = [this](Parallel& parallel) {
    Payload& own = fresh_.size().value > 0 ? fresh_ : values_;
    const std::span<float> after = place_.empty() ? own.writable_floats() : place_;
    if (training_->sparse()) {
      apply_sparse(after);
    } else {
      apply_dense(after, parallel);
    }
    return JobResult{};
  };
  return job;
}

void ShardBucket::finish_apply(std::int64_t beside) {
  if (fresh_.size().value > 0) values_ = std::move(fresh_);
  fresh_ = {};
  lent_ = false;
  examples_ += (gradients_ + beside) * training_->examples_a_gradient();
  pushes_.clear();
  ++version_;
}

Payload ShardBucket::answer(const Payload& push, const Payload& values, Effects& effects) {
  if (!training_->sparse()) return values;
  std::optional<SparsePush> parts;
  if (training_->numerics) parts = parts_of(push);
  const Listed listed = parts ? parts->listed() : listed_in(push);
  const bool all = parts ? parts->all : listed.wanted < listed.touched;
  if (all) {
    lent_ = true;
    return values;
  }
  effects.emplace_back(SpentCost{gather_cost(listed.wanted)});
  const Bytes size{4 * listed.wanted};
  if (!parts) return Payload::sized(size);
  Payload wanted = Payload::allocate(size);
  const auto from = values.floats();
  const auto to = wanted.writable_floats();
  for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[parts->wanted[i]];
  return wanted;
}

void ShardBucket::write(StateWriter& state) const {
  state.integer(version_.value);
  state.integer(examples_);
  if (!training_->numerics) return;
  if (!elsewhere_) state.floats(values_.floats());
  state.floats(state_);
}

void ShardBucket::read(StateReader& state) {
  const std::int64_t most = saturated::product(training_->steps, training_->workers);
  version_ = {state.integer(0, most)};
  examples_ = state.integer(0, saturated::product(most, training_->examples_a_gradient()));
  if (!training_->numerics) return;
  if (!elsewhere_) {
    values_ = Payload::allocate(values_.size());
    state.floats(values_.writable_floats());
  }
  state.floats(state_);
}

bool ShardBucket::take_over(const ShardBucket& kept) {
  const Bucket& here = training_->layout->buckets[index_];
  const Bucket& there = kept.training_->layout->buckets[kept.index_];
  const std::int64_t first = std::max(here.first, there.first);
  const std::int64_t last = std::min(here.first + here.count, there.first + there.count);
  if (first >= last) return false;
  version_ = kept.version_;
  examples_ = kept.examples_;
  if (!training_->numerics) return true;
  const auto count = static_cast<std::size_t>(last - first);
  const auto from = static_cast<std::size_t>(first - there.first);
  const auto to = static_cast<std::size_t>(first - here.first);
  const auto copy = [&](std::span<const float> old, std::span<float> own) {
    std::ranges::copy(old.subspan(from, count), own.subspan(to, count).begin());
  };
  copy(kept.values_.floats(), values_.writable_floats());
  const auto slots = static_cast<std::size_t>(training_->optimizer->slots());
  for (std::size_t slot = 0; slot < slots; ++slot) {
    copy({kept.state(slot), kept.length()}, {state(slot), length()});
  }
  return true;
}

Bytes ShardBucket::kept_size() const {
  const std::int64_t count = values_.size().value / 4;
  const int slots = training_->optimizer->slots();
  return elsewhere_ ? state_size(2, slots * count, 1) : state_size(2, (slots + 1) * count, 2);
}

void ShardBucket::apply_dense(std::span<float> after, Parallel& parallel) {
  const UpdateContext context{version_.value, examples_};
  const auto slots = static_cast<std::size_t>(training_->optimizer->slots());
  const auto before = values_.floats();
  for (const Range& range : ranges_) {
    const auto part = [&](int number) {
      const std::size_t first = range.first + static_cast<std::size_t>(number) * kPart;
      const std::size_t count = std::min(kPart, range.first + range.count - first);
      std::vector<std::span<const float>> gradients;
      gradients.reserve(pushes_.size());
      for (const Payload& push : pushes_) gradients.push_back(push.floats().subspan(first, count));
      SlotPointers pointers{};
      for (std::size_t slot = 0; slot < slots; ++slot) pointers[slot] = state(slot) + first;
      reduce_and_apply(*training_->optimizer, context, range.bias, before.subspan(first, count),
                       gradients, gradients_, after.subspan(first, count),
                       std::span(pointers).first(slots));
    };
    parallel.run(static_cast<int>((range.count + kPart - 1) / kPart), part);
  }
}

// Adds in the order of the pushes, whatever their indices: the dense sum, without its zeros.
void ShardBucket::add_up() {
  touched_.indices.clear();
  touched_.ends.clear();
  const auto mark = static_cast<std::uint32_t>(version_.value + 1);
  for (const Payload& push : pushes_) {
    const SparsePush parts = parts_of(push);
    for (std::size_t i = 0; i < parts.touched.size(); ++i) {
      const std::uint32_t index = parts.touched[i];
      if (touched_.met[index] == mark) {
        touched_.sums[index] += parts.gradient[i];
        continue;
      }
      touched_.met[index] = mark;
      touched_.sums[index] = parts.gradient[i];
      touched_.indices.push_back(index);
    }
    touched_.ends.push_back(touched_.indices.size());
  }
}

void ShardBucket::apply_sparse(std::span<float> after) {
  add_up();
  if (fresh_.size().value > 0) std::ranges::copy(values_.floats(), after.begin());
  // Biases follow the weights of their layer: ranges of ascending indices separate the kinds.
  merge_runs(touched_.indices, touched_.ends);
  std::span<const std::uint32_t> left = touched_.indices;
  for (const Range& range : ranges_) {
    const auto end = std::ranges::lower_bound(left, range.first + range.count);
    const auto count = static_cast<std::size_t>(end - left.begin());
    apply_touched(left.first(count), range.bias, after);
    left = left.subspan(count);
  }
}

void ShardBucket::apply_touched(std::span<const std::uint32_t> indices, bool bias,
                                std::span<float> after) {
  const UpdateContext context{version_.value, examples_};
  const auto slots = static_cast<std::size_t>(training_->optimizer->slots());
  const float scale = 1.0F / static_cast<float>(pushes_.size());
  constexpr std::size_t kRows = 512;
  std::array<std::array<float, kRows>, kMostSlots> state_rows;
  std::array<float, kRows> values;
  std::array<float, kRows> mean;
  SlotPointers pointers{};
  for (std::size_t slot = 0; slot < slots; ++slot) pointers[slot] = state_rows[slot].data();
  for (; !indices.empty(); indices = indices.subspan(std::min(kRows, indices.size()))) {
    const auto rows = indices.first(std::min(kRows, indices.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      values[i] = after[rows[i]];
      mean[i] = pushes_.size() > 1 ? touched_.sums[rows[i]] * scale : touched_.sums[rows[i]];
      for (std::size_t slot = 0; slot < slots; ++slot) state_rows[slot][i] = state(slot)[rows[i]];
    }
    const auto part = std::span(values).first(rows.size());
    training_->optimizer->apply(context, bias, part, std::span(mean).first(rows.size()), part,
                                std::span(pointers).first(slots));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      after[rows[i]] = values[i];
      for (std::size_t slot = 0; slot < slots; ++slot) state(slot)[rows[i]] = state_rows[slot][i];
    }
  }
}

void reduce_and_apply(const Optimizer& optimizer, const UpdateContext& context, bool bias,
                      std::span<const float> before, std::span<const std::span<const float>> sums,
                      std::int64_t count, std::span<float> after, std::span<float* const> state) {
  FT_CHECK_OP(state.size(), <=, kMostSlots);
  alignas(64) std::array<float, kMeanBlock> block;
  const float scale = 1.0F / static_cast<float>(count);
  for (std::size_t first = 0; first < before.size(); first += kMeanBlock) {
    const std::size_t length = std::min(kMeanBlock, before.size() - first);
    std::span<const float> gradient = sums.front().subspan(first, length);
    if (count > 1) {
      ArrayMap mean = array(std::span(block).first(length));
      mean = array(gradient);
      for (const auto& part : sums.subspan(1)) mean += array(part.subspan(first, length));
      mean *= scale;
      gradient = std::span(block).first(length);
    }
    SlotPointers pointers{};
    for (std::size_t slot = 0; slot < state.size(); ++slot) pointers[slot] = state[slot] + first;
    optimizer.apply(context, bias, before.subspan(first, length), gradient,
                    after.subspan(first, length), std::span(pointers).first(state.size()));
  }
}

}  // namespace foretrain
