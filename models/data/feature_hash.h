// Hashes a feature's name to its number.
#pragma once

#include <cstdint>
#include <string_view>

namespace foretrain {

/// FNV-1a in 64 bits (Fowler, Noll, Vo), fed piece by piece.
class FeatureHash {
 public:
  void add(std::string_view text) {
    for (const char c : text) add_byte(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      add_byte(static_cast<unsigned char>(number >> shift & 0xff));
    }
  }

  /// A number of `bits` bits, 1 to 32. FNV-1a alone spreads short names badly over its low bits, so
  /// they are mixed once more (MurmurHash3's finaliser, Appleby 2011).
  [[nodiscard]] std::uint32_t below(int bits) const {
    std::uint64_t h = hash_;
    h ^= h >> 33;
    h *= 0xff51afd7ed558ccdu;
    h ^= h >> 33;
    h *= 0xc4ceb9fe1a85ec53u;
    h ^= h >> 33;
    return static_cast<std::uint32_t>(h & ((std::uint64_t{1} << bits) - 1));
  }

 private:
  void add_byte(unsigned char byte) {
    hash_ ^= byte;
    hash_ *= 0x100000001b3u;
  }

  std::uint64_t hash_ = 0xcbf29ce484222325u;
};

constexpr int kHashBitsMax = 30;

/// @throws DataError if `hash_bits` is not 1 to 30
void check_hash_bits(int hash_bits);

}  // namespace foretrain
