// What this build was compiled with that looks at how it runs, so takes time, memory, descriptors.
#pragma once

namespace foretrain::testing {

#ifdef __has_feature  // as clang tells it
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

/// Lines are counted, as `./dev coverage` builds; CMake says so.
#ifdef FORETRAIN_COUNTS_LINES
inline constexpr bool kCounted = true;
#else
inline constexpr bool kCounted = false;
#endif

inline constexpr bool kSanitized = kAddressSanitized || kThreadSanitized;

}  // namespace foretrain::testing
