// The instruments of this build that cost time, memory, descriptors.
#pragma once

namespace foretrain::testing {

#ifdef __has_feature  // in clang
#define FORETRAIN_TESTS_HAVE(feature) __has_feature(feature)
#else
#define FORETRAIN_TESTS_HAVE(feature) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FORETRAIN_TESTS_HAVE(address_sanitizer)
inline constexpr bool kAddressSanitized = true;
#else
inline constexpr bool kAddressSanitized = false;
#endif

#if defined(__SANITIZE_THREAD__) || FORETRAIN_TESTS_HAVE(thread_sanitizer)
inline constexpr bool kThreadSanitized = true;
#else
inline constexpr bool kThreadSanitized = false;
#endif

#undef FORETRAIN_TESTS_HAVE

/// Whether lines are counted, as in `./dev coverage`; CMake defines it.
#ifdef FORETRAIN_COUNTS_LINES
inline constexpr bool kCounted = true;
#else
inline constexpr bool kCounted = false;
#endif

inline constexpr bool kSanitized = kAddressSanitized || kThreadSanitized;

}  // namespace foretrain::testing
