// Vectors of floats as the kernels use them, one type for each register width.
#pragma once

#include <algorithm>
#include <cstddef>

#if defined(__AVX2__) || defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace foretrain {

// Each type below has the same operations; a kernel is a template on the type, so the logic of one
// width is tested with another. Addresses need no alignment except for `stream`, which writes past
// the caches. `load_some` and `store_some` touch the first `count` numbers only; the others read
// as zero. `multiply_add(a, b, c)` is a b + c, rounded once where the processor can. `hold` keeps a
// loaded vector in a register: g++ would load it again for each multiplication, and processors load
// no faster than they multiply.

/// Arrays that a compiler may vectorise or not: any machine, any width.
template <int kWidth>
struct PlainSimd {
  static constexpr int kCount = kWidth;
  static constexpr int kRegisters = 16;
  float v[kWidth];

  static PlainSimd broadcast(float x) {
    PlainSimd r;
    for (float& e : r.v) e = x;
    return r;
  }
  static PlainSimd zero() { return broadcast(0); }
  static PlainSimd load(const float* p) {
    PlainSimd r;
    for (int i = 0; i < kWidth; ++i) r.v[i] = p[i];
    return r;
  }
  static PlainSimd load_some(const float* p, int count) {
    PlainSimd r = zero();
    for (int i = 0; i < count; ++i) r.v[i] = p[i];
    return r;
  }
  void store(float* p) const { store_some(p, kWidth); }
  void store_some(float* p, int count) const {
    for (int i = 0; i < count; ++i) p[i] = v[i];
  }
  void stream(float* p) const { store(p); }
  static void hold(PlainSimd& /*x*/) {}
  static PlainSimd multiply_add(PlainSimd a, PlainSimd b, PlainSimd c) {
    for (int i = 0; i < kWidth; ++i) c.v[i] += a.v[i] * b.v[i];
    return c;
  }
  static PlainSimd add(PlainSimd a, PlainSimd b) {
    for (int i = 0; i < kWidth; ++i) a.v[i] += b.v[i];
    return a;
  }
  // max(x, least); NaN stays NaN.
  static PlainSimd at_least(PlainSimd x, PlainSimd least) {
    for (int i = 0; i < kWidth; ++i) x.v[i] = least.v[i] > x.v[i] ? least.v[i] : x.v[i];
    return x;
  }
  // x where `gate` is above zero, else 0.
  static PlainSimd gated(PlainSimd x, PlainSimd gate) {
    for (int i = 0; i < kWidth; ++i) x.v[i] = gate.v[i] > 0 ? x.v[i] : 0.0F;
    return x;
  }
};

#if defined(__AVX2__) && defined(__FMA__)
struct Simd8 {
  static constexpr int kCount = 8;
  static constexpr int kRegisters = 16;
  __m256 v;

  static Simd8 broadcast(float x) { return {_mm256_set1_ps(x)}; }
  static Simd8 zero() { return {_mm256_setzero_ps()}; }
  static Simd8 load(const float* p) { return {_mm256_loadu_ps(p)}; }
  static Simd8 load_some(const float* p, int count) {
    const __m256i index = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return {_mm256_maskload_ps(p, _mm256_cmpgt_epi32(_mm256_set1_epi32(count), index))};
  }
  void store(float* p) const { _mm256_storeu_ps(p, v); }
  // Not by a masked store, which takes 20 cycles on some processors.
  void store_some(float* p, int count) const {
    if (count >= kCount) return store(p);
    __m128 rest = _mm256_castps256_ps128(v);
    if ((count & 4) != 0) {
      _mm_storeu_ps(p, rest);
      rest = _mm256_extractf128_ps(v, 1);
      p += 4;
    }
    if ((count & 2) != 0) {
      _mm_storel_pi(reinterpret_cast<__m64*>(p), rest);
      rest = _mm_movehl_ps(rest, rest);
      p += 2;
    }
    if ((count & 1) != 0) _mm_store_ss(p, rest);
  }
  void stream(float* p) const { _mm256_stream_ps(p, v); }
  static void hold(Simd8& x) { asm("" : "+x"(x.v)); }
  static Simd8 multiply_add(Simd8 a, Simd8 b, Simd8 c) { return {_mm256_fmadd_ps(a.v, b.v, c.v)}; }
  static Simd8 add(Simd8 a, Simd8 b) { return {_mm256_add_ps(a.v, b.v)}; }
  static Simd8 at_least(Simd8 x, Simd8 least) { return {_mm256_max_ps(least.v, x.v)}; }
  static Simd8 gated(Simd8 x, Simd8 gate) {
    return {_mm256_and_ps(x.v, _mm256_cmp_ps(gate.v, _mm256_setzero_ps(), _CMP_GT_OQ))};
  }
};
#endif

#if defined(__AVX512F__)
struct Simd16 {
  static constexpr int kCount = 16;
  static constexpr int kRegisters = 32;
  __m512 v;

  static Simd16 broadcast(float x) { return {_mm512_set1_ps(x)}; }
  static Simd16 zero() { return {_mm512_setzero_ps()}; }
  static Simd16 load(const float* p) { return {_mm512_loadu_ps(p)}; }
  static __mmask16 first(int count) {
    return static_cast<__mmask16>((1U << std::min(count, kCount)) - 1U);
  }
  static Simd16 load_some(const float* p, int count) {
    return {_mm512_maskz_loadu_ps(first(count), p)};
  }
  void store(float* p) const { _mm512_storeu_ps(p, v); }
  void store_some(float* p, int count) const { _mm512_mask_storeu_ps(p, first(count), v); }
  void stream(float* p) const { _mm512_stream_ps(p, v); }
  static void hold(Simd16& x) { asm("" : "+v"(x.v)); }
  static Simd16 multiply_add(Simd16 a, Simd16 b, Simd16 c) {
    return {_mm512_fmadd_ps(a.v, b.v, c.v)};
  }
  static Simd16 add(Simd16 a, Simd16 b) { return {_mm512_add_ps(a.v, b.v)}; }
  static Simd16 at_least(Simd16 x, Simd16 least) { return {_mm512_max_ps(least.v, x.v)}; }
  static Simd16 gated(Simd16 x, Simd16 gate) {
    return {_mm512_maskz_mov_ps(_mm512_cmp_ps_mask(gate.v, _mm512_setzero_ps(), _CMP_GT_OQ), x.v)};
  }
};
using Simd = Simd16;
#elif defined(__AVX2__) && defined(__FMA__)
using Simd = Simd8;
#else
using Simd = PlainSimd<4>;
#endif

}  // namespace foretrain
