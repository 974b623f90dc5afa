// Independent pieces of work on several threads.
#pragma once

#include <cstdint>
#include <functional>

namespace foretrain {

/// Hands the numbers 0 .. count - 1 in order to at most `threads` threads, the caller's among them;
/// the first exception ends all of them as soon as what each has begun is done, then is thrown.
void in_parallel(std::int64_t count, int threads, const std::function<void(std::int64_t)>& work);

}  // namespace foretrain
