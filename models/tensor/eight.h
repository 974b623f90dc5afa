// Vectors of eight numbers, as the compilers' own vector types.
#pragma once

#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

// Without AVX eight floats are passed in memory: in all code that includes this file, and one build
// compiles all of it alike. (g++ 12 warns nevertheless: compile with -Wno-psabi there.)
#pragma GCC diagnostic ignored "-Wpsabi"

namespace foretrain {

// For the pools, which choose numbers with their places: Eigen 3.4 has no select in registers, nor
// one with the same mask for numbers and integers. `+ < > ==` and `mask ? a : b` work lane by lane;
// a comparison gives Ints8, -1 if true, else 0.

using Floats8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Bytes8 = std::uint8_t __attribute__((vector_size(8)));

inline Floats8 load8(const float* from) {
  Floats8 x;
  std::memcpy(&x, from, sizeof(x));
  return x;
}
inline void store8(Floats8 x, float* to) { std::memcpy(to, &x, sizeof(x)); }

/// The first `count` numbers, at most eight; 0 in the other lanes.
inline Floats8 load8(const float* from, std::int64_t count) {
  Floats8 x{};
  std::memcpy(&x, from, static_cast<std::size_t>(count) * sizeof(float));
  return x;
}
inline void store8(Floats8 x, float* to, std::int64_t count) {
  std::memcpy(to, &x, static_cast<std::size_t>(count) * sizeof(float));
}

/// Bytes as integers. (By intrinsics: g++ 12 converts vectors of other widths number by number.)
inline Ints8 load_bytes8(const std::uint8_t* from, std::int64_t count = 8) {
  Bytes8 bytes{};
  std::memcpy(&bytes, from, static_cast<std::size_t>(count));
#ifdef __AVX2__
  return reinterpret_cast<Ints8>(
      _mm256_cvtepu8_epi32(_mm_cvtsi64_si128(reinterpret_cast<long long>(bytes))));
#else
  return __builtin_convertvector(bytes, Ints8);
#endif
}
/// Integers of 0 .. 255 as bytes.
inline void store_bytes8(Ints8 x, std::uint8_t* to, std::int64_t count = 8) {
#ifdef __AVX2__
  const auto all = reinterpret_cast<__m256i>(x);
  const __m128i words =
      _mm_packus_epi32(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
  const long long bytes = _mm_cvtsi128_si64(_mm_packus_epi16(words, words));
#else
  const auto bytes = __builtin_convertvector(x, Bytes8);
#endif
  std::memcpy(to, &bytes, static_cast<std::size_t>(count));
}

/// x for lanes with `mask` -1, 0 for lanes with 0.
inline Floats8 keep8(Ints8 mask, Floats8 x) {
  return reinterpret_cast<Floats8>(mask & reinterpret_cast<Ints8>(x));
}

}  // namespace foretrain
