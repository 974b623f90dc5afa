// Cuts a data set down to its first examples.
#include "models/data/dataset.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain {

Dataset take(Dataset dataset, std::int64_t count) {
  FT_CHECK_OP(count, >=, 0);
  dataset.examples = std::min(dataset.examples, count);
  const auto kept = static_cast<std::size_t>(dataset.examples);
  dataset.labels.resize(kept);
  dataset.pixels.resize(kept * static_cast<std::size_t>(dataset.features()));
  return dataset;
}

}  // namespace foretrain
