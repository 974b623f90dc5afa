#include "models/protocol/layout.h"

#include "models/base/check.h"

#include <algorithm>

namespace foretrain {

std::vector<std::uint32_t> Layout::of_shard(int shard) const {
  std::vector<std::uint32_t> found;
  for (std::uint32_t index = 0; index < buckets.size(); ++index) {
    if (buckets[index].shard == shard) found.push_back(index);
  }
  return found;
}

Bucket Layout::joined(BucketRun run) const {
  FT_CHECK(!run.empty());
  Bucket all = buckets[run.first];
  all.count = count_in(run);
  return all;
}

namespace {

// The begin of part `index` of `parts` equal parts: floor(count * index / parts), without the
// product, which overflows for 10^12 parameters.
std::int64_t begin_of(std::int64_t index, std::int64_t parts, std::int64_t count) {
  return count / parts * index + count % parts * index / parts;
}

}  // namespace

Layout make_layout(std::int64_t parameters, Bytes bucket_size, int shards) {
  const std::int64_t most = bucket_size.value / 4;  // floats in a bucket
  FT_CHECK_OP(most, >, 0);
  FT_CHECK_OP(shards, >, 0);
  FT_CHECK_OP(shards, <=, parameters);
  Layout layout{parameters, {}};
  // Each shard is cut separately, so shards differ by at most one parameter.
  for (int shard = 0; shard < shards; ++shard) {
    const std::int64_t begin = begin_of(shard, shards, parameters);
    const std::int64_t end = begin_of(shard + 1, shards, parameters);
    const std::int64_t pieces = (end - begin + most - 1) / most;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t first = begin + begin_of(piece, pieces, end - begin);
      const std::int64_t last = begin + begin_of(piece + 1, pieces, end - begin);
      layout.buckets.push_back({first, last - first, shard});
    }
  }
  return layout;
}

// The members of the first group, then those of the last; the same if there is one group.
int Trees::owner(std::int64_t turn) const {
  const auto place = static_cast<int>(turn % owners());
  return place < group ? place : workers - owners() + place;
}

Layout make_round_robin_layout(std::int64_t parameters, Bytes bucket_size, int owners,
                               const Trees& trees) {
  const std::int64_t most = bucket_size.value / 4;  // floats in a bucket
  FT_CHECK_OP(most, >, 0);
  FT_CHECK_OP(owners, >, 0);
  FT_CHECK_OP(owners, <=, parameters);
  const bool tree = Bytes{4 * parameters} <= trees.up_to;
  const int round_robin_owners = tree ? trees.owners() : owners;
  const std::int64_t rounds =
      (parameters + round_robin_owners * most - 1) / (round_robin_owners * most);
  const std::int64_t pieces = rounds * round_robin_owners;
  Layout layout{parameters, {}, !tree, tree, trees.group};
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    const std::int64_t first = begin_of(piece, pieces, parameters);
    const std::int64_t last = begin_of(piece + 1, pieces, parameters);
    const int owner = tree ? trees.owner(piece) : static_cast<int>(piece % owners);
    layout.buckets.push_back({first, last - first, owner, -1, tree});
  }
  return layout;
}

std::vector<std::int64_t> ddp_buckets(const std::vector<std::int64_t>& tensors, Bytes cap) {
  constexpr Bytes kFirst{1 << 20};
  std::vector<std::int64_t> buckets;
  bool open = false;
  for (auto tensor = tensors.rbegin(); tensor != tensors.rend(); ++tensor) {
    if (!open) buckets.push_back(0);
    buckets.back() += *tensor;
    open = Bytes{buckets.back() * 4} < (buckets.size() == 1 ? std::min(kFirst, cap) : cap);
  }
  return buckets;
}

Layout make_ddp_layout(const std::vector<std::int64_t>& tensors, Bytes cap, Bytes largest,
                       int owners, const Trees& trees, bool padded) {
  const std::int64_t most = largest.value / 4;  // floats in a piece
  FT_CHECK_OP(most, >, 0);
  FT_CHECK_OP(owners, >, 0);
  std::vector<std::int64_t> counts = ddp_buckets(tensors, cap);
  std::ranges::reverse(counts);  // in the order of the parameters
  Layout layout;
  layout.rings = false;
  layout.tree_group = trees.group;
  layout.padded = padded;
  for (const std::int64_t count : counts) {
    const bool tree = Bytes{4 * count} <= trees.up_to;
    (tree ? layout.trees : layout.rings) = true;
    const int round_robin_owners = tree ? trees.owners() : owners;
    const std::int64_t rounds =
        (count + round_robin_owners * most - 1) / (round_robin_owners * most);
    const std::int64_t all = rounds * round_robin_owners;
    const std::int64_t pieces = padded ? all : std::min(count, all);
    const std::int64_t begin = layout.parameters;
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const std::int64_t first = begin + begin_of(piece, pieces, count);
      const std::int64_t last = begin + begin_of(piece + 1, pieces, count);
      const std::int64_t length = padded ? (count + pieces - 1) / pieces : last - first;
      const std::int64_t turn = std::ssize(layout.buckets);
      const int owner = tree ? trees.owner(turn) : static_cast<int>(turn % owners);
      layout.buckets.push_back({first, length, owner, begin, tree});
    }
    layout.parameters += count;
  }
  FT_CHECK_OP(owners, <=, layout.parameters);
  return layout;
}

Layout make_tensor_layout(const std::vector<std::int64_t>& tensors, int shards) {
  FT_CHECK_OP(shards, >, 0);
  FT_CHECK_OP(static_cast<std::size_t>(shards), <=, tensors.size());
  Layout layout;
  layout.buckets.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const int shard = static_cast<int>(i % static_cast<std::size_t>(shards));
    layout.buckets.push_back({layout.parameters, tensors[i], shard});
    layout.parameters += tensors[i];
  }
  return layout;
}

}  // namespace foretrain
