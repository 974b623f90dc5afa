// Runs of numbers as Eigen's arrays.
#pragma once

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace foretrain {

// An expression of `+ - * /`, sqrt, min, max gives an element the same bits whatever its place:
// whole registers and the remainder use the same operations, none of them fused. Exceptions:
// - sum, mean, dot, norm of a run: their order follows the address;
// - exp, log, tanh: registers and the remainder use different code.
// Those use Lanes, which have no remainder.

using Array = Eigen::Array<float, Eigen::Dynamic, 1>;
using ArrayMap = Eigen::Map<Array>;
using ConstArrayMap = Eigen::Map<const Array>;

inline ArrayMap array(std::span<float> x) { return {x.data(), std::ssize(x)}; }
inline ConstArrayMap array(std::span<const float> x) { return {x.data(), std::ssize(x)}; }

/// sqrt(x), rounded correctly. (With AVX-512, Eigen 3.4 has either an estimate or no registers.)
struct Root {
  float operator()(float x) const { return std::sqrt(x); }
  template <class Packet>
  [[nodiscard]] Packet packetOp(const Packet& x) const {
    return Eigen::internal::psqrt(x);
  }
};
template <class X>
auto root(const Eigen::ArrayBase<X>& x) {
  return x.unaryExpr(Root{});
}

/// x if `gate` is above zero, else 0. (Eigen 3.4 has no select in registers.)
struct Gate {
  float operator()(float x, float gate) const { return gate > 0 ? x : 0; }
  template <class Packet>
  [[nodiscard]] Packet packetOp(const Packet& x, const Packet& gate) const {
    return Eigen::internal::pand(Eigen::internal::pcmp_lt(Eigen::internal::pzero(gate), gate), x);
  }
};
template <class X, class Y>
auto gated(const Eigen::ArrayBase<X>& x, const Eigen::ArrayBase<Y>& gate) {
  return x.binaryExpr(gate, Gate{});
}

/// A block of this many numbers is computed in registers.
inline constexpr Eigen::Index kLanes = 16;
using Lanes = Eigen::Array<float, kLanes, 1>;

inline Eigen::Map<const Lanes> lanes(const float* x) { return Eigen::Map<const Lanes>(x); }
inline Eigen::Map<Lanes> lanes(float* x) { return Eigen::Map<Lanes>(x); }

/// The first `count` numbers; `rest` in the remaining lanes.
inline Lanes lanes(const float* x, Eigen::Index count, float rest) {
  if (count >= kLanes) return lanes(x);
  Lanes some = Lanes::Constant(rest);
  std::copy_n(x, count, some.data());
  return some;
}
/// Stores the first `count` lanes.
inline void store(const Lanes& x, float* to, Eigen::Index count) {
  if (count >= kLanes) {
    lanes(to) = x;
  } else {
    std::copy_n(x.data(), count, to);
  }
}

/// Calls body(part) for each block of `size` numbers, in order: part(x) is that block of array x,
/// with kLanes numbers, or one number in the remainder.
///
/// For expressions of several statements, which then need no memory except for what they store: in
/// larger blocks Eigen computes the numbers outside whole cache lines one by one. A value that a
/// later statement needs must be evaluated (`eval`): reading it from where it was just written
/// would wait for the store. Flatten the caller ([[gnu::flatten]]): constants stay in registers.
/// Adam over 61,706 parameters takes 28 us so, 36 us not flattened, 68 us in blocks of 64; over 3.3
/// million 2.6 ms instead of 3.8 (Zen 4).
template <class Body>
void for_each_block(Eigen::Index size, const Body& body) {
  Eigen::Index first = 0;
  for (; first + kLanes <= size; first += kLanes) {
    body([first](auto x) { return x.template segment<kLanes>(first); });
  }
  for (; first < size; ++first) {
    body([first](auto x) { return x.template segment<1>(first); });
  }
}

}  // namespace foretrain

template <>
struct Eigen::internal::functor_traits<foretrain::Root> {
  enum { Cost = 14, PacketAccess = packet_traits<float>::Vectorizable };
};
template <>
struct Eigen::internal::functor_traits<foretrain::Gate> {
  enum { Cost = 2, PacketAccess = packet_traits<float>::Vectorizable };
};
