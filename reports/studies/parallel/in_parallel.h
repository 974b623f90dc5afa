// Runs independent pieces of work on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace foretrain {

/// Calls `work` with 0 .. count - 1, handed out in order to at most `threads` threads, including
/// the caller's. After an exception no further number is handed out; when the calls in progress
/// have returned, the first exception is rethrown.
void in_parallel(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

}  // namespace foretrain
