#include "reports/record/checkpoint_tally.h"

#include <algorithm>

namespace foretrain {

bool CheckpointTally::add(std::int64_t cut, Bytes size, Duration took) {
  Cut& at = under_way_[cut];
  at.size += size;
  at.took = std::max(at.took, took);
  if (++at.parts < nodes_) return false;
  ++totals_.count;
  totals_.size += at.size;
  totals_.time += at.took;
  // Checkpoints are made in order: an earlier incomplete one will never be completed.
  under_way_.erase(under_way_.begin(), std::next(under_way_.find(cut)));
  return true;
}

}  // namespace foretrain
