// The generator of random numbers with its distributions, independent of libraries.
#include "models/base/random.h"

#include "models/base/check.h"

#include <bit>
#include <cmath>

namespace foretrain {
namespace {

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3u;
  }
  return hash;
}

std::uint64_t splitmix64(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

constexpr double kLn2High = 0x1.62e42fefa0000p-1;  // ln 2 with its low 16 bits cleared
constexpr double kLn2Low = 0x1.cf79abc9e3b39p-40;  // ln 2 - kLn2High

}  // namespace

Stream::Stream(std::uint64_t seed, std::string_view name) {
  std::uint64_t mix = seed;
  mix = splitmix64(mix) ^ fnv1a(name);
  for (auto& word : state_) word = splitmix64(mix);
}

Stream::Stream(std::uint64_t seed, std::string_view name, std::int64_t number) {
  std::uint64_t mix = seed;
  mix = splitmix64(mix) ^ fnv1a(name);
  mix = splitmix64(mix) ^ static_cast<std::uint64_t>(number);
  for (auto& word : state_) word = splitmix64(mix);
}

std::uint64_t Stream::bits() {
  auto& s = state_;
  const std::uint64_t result = std::rotl(s[1] * 5, 7) * 9;
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = std::rotl(s[3], 45);
  return result;
}

double Stream::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

std::uint64_t Stream::below(std::uint64_t bound) {
  FT_CHECK_OP(bound, >, 0u);
  // Draws below `excess` would make the low remainders likelier than the high ones by one draw.
  const std::uint64_t excess = (0 - bound) % bound;
  std::uint64_t draw = bits();
  while (draw < excess) draw = bits();
  return draw % bound;
}

double Stream::normal() {
  double x = 0;
  double square = 0;
  do {
    x = 2 * uniform() - 1;
    const double y = 2 * uniform() - 1;
    square = x * x + y * y;
  } while (square >= 1 || square == 0);
  return x * std::sqrt(-2 * portable_log(square) / square);
}

double Stream::exponential() { return -portable_log(1 - uniform()); }

double Stream::pareto(double shape) {
  FT_CHECK_OP(shape, >, 0.0);
  return portable_exp(exponential() / shape);
}

double portable_log(double x) {
  FT_CHECK_OP(x, >, 0.0);
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < 0.70710678118654752) {
    m *= 2;
    --exponent;
  }
  // ln m = 2 artanh(z), z = (m-1)/(m+1), |z| <= 0.172: after 10 terms the rest is below 2^-53.
  const double z = (m - 1) / (m + 1);
  const double z2 = z * z;
  double sum = 0;
  for (int k = 21; k >= 3; k -= 2) sum = (sum + 1.0 / k) * z2;
  return exponent * kLn2High + (2 * z + (2 * z * sum + exponent * kLn2Low));
}

double portable_exp(double x) {
  FT_CHECK_OP(std::abs(x), <, 700.0);
  const double n = std::floor(x * (1 / (kLn2High + kLn2Low)) + 0.5);
  const double r = (x - n * kLn2High) - n * kLn2Low;  // |r| <= 0.347
  // The rest of the series after 14 terms is below 2^-53. Adjacent terms are added up first, then
  // pairs of them (Estrin 1960): a fifth of the time of adding term by term with divisions.
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double low = (1 / 2. + r * (1 / 6.)) + r2 * (1 / 24. + r * (1 / 120.));
  const double middle = (1 / 720. + r * (1 / 5040.)) + r2 * (1 / 40320. + r * (1 / 362880.));
  const double high =
      (1 / 3628800. + r * (1 / 39916800.)) + r2 * (1 / 479001600. + r * (1 / 6227020800.));
  const double power = 1 + (r + r2 * (low + r4 * (middle + r4 * high)));
  // 2^n is a normal number.
  const auto exponent = static_cast<std::uint64_t>(static_cast<std::int64_t>(n) + 1023);
  return power * std::bit_cast<double>(exponent << 52);
}

}  // namespace foretrain
