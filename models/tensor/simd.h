// Registers of floats for the kernels, based on Eigen's packets.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cstdint>

// Eigen's packets are the compilers' vectors, whose alignment a template argument does not carry.
#pragma GCC diagnostic ignored "-Wignored-attributes"

namespace foretrain {

/// A register of `kLanesOf` floats: 4, or 8, 16 if the build's processor has them; a kernel is a
/// template on it, so the logic of one width is tested with another. Addresses need no alignment.
/// `load_some`, `store_some` access the first `count` numbers only; the others read as zero.
template <int kLanesOf>
struct Register {
  using Packet = typename Eigen::internal::find_best_packet<float, kLanesOf>::type;
  using Traits = Eigen::internal::unpacket_traits<Packet>;
  static constexpr int kCount = kLanesOf;
  static constexpr bool kExists = Traits::size == kCount;
  Packet v;

  static Register broadcast(float x) { return {Eigen::internal::pset1<Packet>(x)}; }
  static Register zero() { return broadcast(0); }
  static Register load(const float* p) { return {Eigen::internal::ploadu<Packet>(p)}; }
  static Register load_some(const float* p, int count) {
    if constexpr (Traits::masked_load_available) {
      return {Eigen::internal::ploadu<Packet>(p, mask(count))};
    } else {
      float some[kCount] = {};
      std::copy_n(p, std::min(count, kCount), some);
      return load(some);
    }
  }
  void store(float* p) const { Eigen::internal::pstoreu(p, v); }
  void store_some(float* p, int count) const {
    if constexpr (kCount == 16) {
      Eigen::internal::pstoreu(p, v, mask(count));
    } else {  // masks of AVX take 20 cycles on some processors
      if (count >= kCount) return store(p);
      float all[kCount];
      store(all);
      const float* from = all;
      for (int piece = kCount / 2; piece > 0; piece /= 2) {
        if ((count & piece) == 0) continue;
        p = std::copy_n(from, piece, p);
        from += piece;
      }
    }
  }

  /// Keeps a loaded vector in its register: otherwise g++ loads it again for each multiplication,
  /// and processors do not load faster than they multiply.
  static void hold([[maybe_unused]] Register& x) {
#if defined(__x86_64__)
    asm("" : "+v"(x.v));
#elif defined(__aarch64__)
    asm("" : "+w"(x.v));
#endif
  }
  /// a b + c, rounded once if the processor can.
  static Register multiply_add(Register a, Register b, Register c) {
    return {Eigen::internal::pmadd(a.v, b.v, c.v)};
  }
  static Register add(Register a, Register b) { return {Eigen::internal::padd(a.v, b.v)}; }
  /// max(x, least); NaN stays NaN.
  static Register at_least(Register x, Register least) {
    return {Eigen::internal::pmax(x.v, least.v)};
  }
  /// x if `gate` is above zero, else 0.
  static Register gated(Register x, Register gate) {
    return {Eigen::internal::pand(Eigen::internal::pcmp_lt(zero().v, gate.v), x.v)};
  }

 private:
  using Mask = std::conditional_t<kCount == 16, std::uint16_t, std::uint8_t>;
  static Mask mask(int count) { return static_cast<Mask>((1U << std::min(count, kCount)) - 1U); }
};

/// The widest register of the build's processor.
using Simd = Register<Eigen::internal::packet_traits<float>::size>;
inline constexpr int kRegisters = EIGEN_ARCH_DEFAULT_NUMBER_OF_REGISTERS;

}  // namespace foretrain
