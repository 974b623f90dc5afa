// Eight numbers side by side, as the compilers' own vectors.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>

#ifdef __AVX__
#include <immintrin.h>
#endif

// Without AVX eight floats are passed in memory: here, in whatever includes this, all of one build,
// so nobody passes them otherwise. (g++ 12 warns all the same: there, compile with -Wno-psabi.)
#pragma GCC diagnostic ignored "-Wpsabi"

namespace foretrain {

// For layers and losses, whose sums have one fixed order: eight lanes on every machine, whatever
// its registers hold, so results are the same bits everywhere. (The kernels of tensor/simd.h take
// the widest there are.) `+ - * / < > ==` and `mask ? a : b` work lane by lane; a comparison gives
// Ints8, -1 where it holds, else 0.

using Floats8 = float __attribute__((vector_size(32)));
using Ints8 = std::int32_t __attribute__((vector_size(32)));
using Words8 = std::uint32_t __attribute__((vector_size(32)));
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

/// x where `mask` is -1, 0 where it is 0.
inline Floats8 keep8(Ints8 mask, Floats8 x) {
  return reinterpret_cast<Floats8>(mask & reinterpret_cast<Ints8>(x));
}

inline Floats8 sqrt8(Floats8 x) {
#ifdef __AVX__
  return _mm256_sqrt_ps(x);
#else
  for (int lane = 0; lane < 8; ++lane) x[lane] = std::sqrt(x[lane]);
  return x;
#endif
}

inline float sum8(Floats8 x) {
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/// Exponential function of x <= 0, to about 1e-7 of the result; 0 below -87, NaN of NaN.
///
/// x = n ln 2 + r with |r| <= 0.35: e^r by its series, 2^n by the bits of a float.
inline Floats8 exp8(Floats8 x) {
  constexpr float kRound = 0x1.8p23F;         // adding it leaves an integer in the low bits
  constexpr float kLn2High = 0x1.62e4p-1F;    // n times it is exact
  constexpr float kLn2Low = 0x1.7f7d1cp-20F;  // ln 2 - kLn2High
  const Floats8 rounded = x * 0x1.715476p+0F + kRound;  // x / ln 2
  const Floats8 n = rounded - kRound;
  const Floats8 r = (x - n * kLn2High) - n * kLn2Low;
  Floats8 series = r * (1.0F / 5040) + 1.0F / 720;
  series = series * r + 1.0F / 120;
  series = series * r + 1.0F / 24;
  series = series * r + 1.0F / 6;
  series = series * r + 0.5F;
  series = (series * r * r + r) + 1.0F;
  const Words8 power = (reinterpret_cast<Words8>(rounded) << 23) + (127U << 23);
  return keep8(~(x < -87.0F), series * reinterpret_cast<Floats8>(power));
}

}  // namespace foretrain
