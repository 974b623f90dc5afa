// A training as readable text: messages, jobs, decisions in time order.
#pragma once

#include "models/protocol/training.h"

#include <memory>
#include <string>

namespace foretrain::testing {

/// Drives the node programs of `training` (without numerics) with round durations and describes it:
/// a line per message, job and report, in the order in which they began, each with its outcome.
///
/// A gradient takes 1 ms, 2 ms on the last worker, other jobs 0.1 ms; a node runs one job at a
/// time. A node sends one message at a time, lower buckets first, at 100 bytes per microsecond; it
/// arrives 0.1 ms later. Simultaneous events happen in the order of their causes.
std::string story_of(const std::shared_ptr<const Training>& training);

}  // namespace foretrain::testing
