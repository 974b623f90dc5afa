// A training under faults soon makes progress or reports a missing node.
#pragma once

#include "models/base/time.h"
#include "models/protocol/training.h"
#include "reports/record/record.h"

namespace foretrain::faults {

/// Checks a failed or finished training. S is the silence limit (`silence_of`); "the last fault" is
/// the end of the last one: a stopped node continues, a cut ends, a new process replaces a killed
/// one.
///
/// 1. A failure begins with the name of the missing node, which a fault has killed, stopped or cut
///    off, possibly with its host. A slow link or a late join loses no node.
/// 2. Nothing happens later than 2 S, the rejoin limit and the time of a long step after the last
///    fault.
/// 3. A finished training takes at most 2 S and three long steps from the last fault to the end of
///    the next step, from there to the next one, and so on to the last update.
///
/// The clock is virtual, so the bounds are exact. A long stop or cut is detected S after its begin,
/// thus before its end; a node that is paused learns of it when it continues, at the latest after
/// the longest pause, which S includes. A kill is detected at once. Two S allow for a fault that
/// begins when the silence of another one is almost long enough. Three steps are the current one,
/// its repetition, and a checkpoint between them.
///
/// `plain`: the record without faults; `last_input`: the time of the last input of any node.
/// @throws Broken
void check_liveness(const Record& record, const Record& plain, const Training& training,
                    Instant last_input);

}  // namespace foretrain::faults
