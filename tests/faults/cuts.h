// Every checkpoint saved under faults can be resumed to the end.
#pragma once

#include "models/protocol/training.h"
#include "reports/record/record.h"
#include "tests/support/kept_states.h"

#include <memory>

namespace foretrain::faults {

/// Checks each checkpoint that all nodes have saved, whatever happened before:
///
/// 1. A state has the size that its node announced, and does not change until the node learns that
///    it is saved.
/// 2. Nodes that resume from it, with messages in random order, reach the end without messages out
///    of turn.
/// 3. The number of updates is the same as without faults. If each worker has a fixed number of
///    gradients and some were lost with their worker, it is not larger.
/// 4. No two steps of a worker have the same number, before or after the checkpoint.
/// 5. A deterministic training that lost nobody ends with the same bits as without faults.
///
/// `plain`: the record without faults; `record`: the one with the faults of `kept`. @throws Broken
void check_cuts(const testing::KeptStates& kept, const std::shared_ptr<const Training>& training,
                const Record& plain, const Record& record);

}  // namespace foretrain::faults
