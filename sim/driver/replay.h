// A recorded training again: the same programs, fed in the recorded order.
#pragma once

#include "reports/record/record.h"

namespace foretrain::sim {

/// Feeds every node the inputs that `recorded` says it had, in that order, each as soon as the
/// message or the job that it stands for exists; nothing takes time, nodes are told the recorded
/// times. So whatever the strategy, the weights are those of the recorded run, bit for bit.
///
/// Returns the record of what the nodes reported, with the recorded times.
/// @throws InputError where the record has no inputs, or no such training could have made them
Record replay(const Record& recorded);

}  // namespace foretrain::sim
