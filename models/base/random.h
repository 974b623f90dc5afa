// Named streams of random numbers with the same bits on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

namespace foretrain {

/// A stream of draws for one purpose (`data.shuffle.worker1`, `init`, `straggler.worker3`).
///
/// The generator is xoshiro256** 1.0 (Blackman and Vigna 2018), its state filled by splitmix64 from
/// the seed and the FNV-1a hash of the name. The distributions are implemented here, because the
/// standard library's, and the C library's log and exp, differ by version and processor.
class Stream {
 public:
  Stream(std::uint64_t seed, std::string_view name);
  /// One of many numbered streams for that purpose: the draws of a step are a function of the seed
  /// and the step, whichever worker made the steps before it.
  Stream(std::uint64_t seed, std::string_view name, std::int64_t number);

  /// 64 uniform bits.
  std::uint64_t bits();
  /// Uniform in [0, 1), a multiple of 2^-53.
  double uniform();
  /// Uniform in {0, ..., bound - 1}; bound > 0. Unbiased.
  std::uint64_t below(std::uint64_t bound);
  /// Standard normal (Marsaglia's polar method).
  double normal();
  /// Exponential of mean 1.
  double exponential();
  /// Pareto of scale 1: P(X > x) = x^-shape for x >= 1.
  double pareto(double shape);
  /// Fisher-Yates, from the back.
  template <class T>
  void shuffle(std::span<T> items) {
    for (std::size_t left = items.size(); left > 1; --left) {
      std::swap(items[left - 1], items[static_cast<std::size_t>(below(left))]);
    }
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

/// Natural logarithm of a positive finite number, to about 2 units in the last place; only
/// additions, multiplications and divisions, so the same bits everywhere.
double portable_log(double x);
/// Exponential function for |x| < 700, as portable_log.
double portable_exp(double x);

}  // namespace foretrain
