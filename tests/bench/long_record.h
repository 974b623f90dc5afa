// The record of a training of very many steps.
#pragma once

#include <cstdint>

namespace foretrain::bench {

/// Prints in which time it is written as a run writes it, read back, reported, and how many bytes
/// each comes to.
void long_record(std::int64_t steps);

}  // namespace foretrain::bench
