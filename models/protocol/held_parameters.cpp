#include "models/protocol/held_parameters.h"

#include "models/cost/work.h"
#include "models/tensor/array.h"

#include <algorithm>
#include <utility>

namespace foretrain {

HeldParameters::HeldParameters(Payload start) : all_(std::move(start)) {
  if (all_.has_bytes()) numbers_ = all_.writable_floats();
}

void HeldParameters::put(const Bucket& bucket, const Payload& values, Effects& effects) {
  if (bucket.size() == all_.size()) {
    all_ = values;
    numbers_ = {};  // `all_` is shared now
    return;
  }
  if (values.has_bytes()) std::ranges::copy(values.floats(), numbers_.begin() + bucket.first);
  effects.emplace_back(SpentCost{copy_cost(bucket.count)});
}

void HeldParameters::add(const Bucket& bucket, const Payload& differences, Effects& effects) {
  const std::span<float> values = place(bucket);
  if (!values.empty()) array(values) += array(differences.floats());
  effects.emplace_back(SpentCost{copy_cost(bucket.count)});
}

std::span<float> HeldParameters::place(const Bucket& bucket) {
  if (numbers_.empty()) return {};
  return numbers_.subspan(static_cast<std::size_t>(bucket.first),
                          static_cast<std::size_t>(bucket.count));
}

}  // namespace foretrain
