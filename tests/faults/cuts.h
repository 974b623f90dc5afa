// Whoever goes on from what the nodes have kept under faults comes to the end.
#pragma once

#include "models/protocol/training.h"
#include "reports/record/record.h"
#include "tests/support/kept_states.h"

#include <memory>

namespace foretrain::faults {

/// What must hold of each cut that all nodes have kept, whatever had happened until then:
///
/// 1. A state is of the size that its node has said, and stays as it is until the node is told that
///    it is kept.
/// 2. Nodes that go on from it, in an order of their messages drawn at random, come to the end,
///    none of them speaks out of turn.
/// 3. As many updates are made as without faults; where each worker has a number of gradients to
///    make, and some were lost with their worker, no more.
/// 4. No two steps of a worker have one number, before the cut or after it.
/// 5. Where it is deterministic, and nobody was lost, it ends with the bits
///    that it has without faults.
///
/// `plain`: without faults; `record`: with those under which `kept` was kept. @throws Broken
void check_cuts(const testing::KeptStates& kept, const std::shared_ptr<const Training>& training,
                const Record& plain, const Record& record);

}  // namespace foretrain::faults
