// Rejects widths of a hash that no table can have.
#include "models/data/feature_hash.h"

#include "models/data/data_error.h"

#include <fmt/format.h>

namespace foretrain {

void check_hash_bits(int hash_bits) {
  if (hash_bits >= 1 && hash_bits <= kHashBitsMax) return;
  throw DataError(fmt::format("{} bits of hash; write 1 to {}", hash_bits, kHashBitsMax));
}

}  // namespace foretrain
