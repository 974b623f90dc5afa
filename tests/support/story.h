// A training as a story: who sends what when, what is decided.
#pragma once

#include "models/protocol/training.h"

#include <memory>
#include <string>

namespace foretrain::testing {

/// Drives the node programs of `training` (without numerics) in a time in which all is round, and
/// tells it: a line for each message, job and report, in the order in which they began, with what
/// became of it at the end of the line.
///
/// A gradient takes 1 ms of its node, of the last worker twice that; any other job 0.1 ms; one at a
/// time. A node sends one message at a time, lower buckets first, 100 bytes a microsecond, and it
/// arrives 0.1 ms later. What happens at the same time goes in the order in which it was caused.
std::string story_of(const std::shared_ptr<const Training>& training);

}  // namespace foretrain::testing
