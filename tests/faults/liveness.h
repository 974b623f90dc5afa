// Under faults a training goes on soon, or says who is missing.
#pragma once

#include "models/base/time.h"
#include "models/protocol/training.h"
#include "reports/record/record.h"

namespace foretrain::faults {

/// Of a training that has failed or is done, S being the time for which silence is borne
/// (`silence_of`), "the last fault" the end of the last of them: who was stopped goes on, a cut is
/// mended, another process takes the place of who was killed.
///
/// 1. A failure begins with who is missing, and that is a node which a fault has killed, stopped or
///    cut off; a slow link, or who joins late, loses nobody. Its host's nodes are cut off with it.
/// 2. Nothing happens any more 2 S after the last fault, the time in which others wait for who is
///    lost (`rejoin_limit`) and the time of a long step later.
/// 3. Where it is done, no longer than 2 S and three long steps pass from the last fault to the
///    next end of a step, from there to the one after it, and so on to the last update.
///
/// The clock is virtual, so that is arithmetic. A stop or a cut that lasts is found out S after its
/// begin, so before its end; whoever is told of it hears so when it goes on itself, at the latest
/// at the end of the longest pause, which S counts in. A kill is found out at once. Two S leave
/// room for a fault that begins when silence of another one has nearly been long enough. Three
/// steps: the one that was under way, the one that is made again, a checkpoint between them.
///
/// `plain`: without faults; `last_input`: when a node was told something for the last time.
/// @throws Broken
void check_liveness(const Record& record, const Record& plain, const Training& training,
                    Instant last_input);

}  // namespace foretrain::faults
