// How the parameter vector is cut into buckets that servers hold.
#pragma once

#include "models/base/quantity.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// A contiguous part of the parameters, the least that travels, is summed up or applied by itself.
struct Bucket {
  std::int64_t first = 0;  ///< index of its first parameter
  std::int64_t count = 0;  ///< parameters in it
  int shard = 0;           ///< the server that holds it
  std::int64_t with = -1;  ///< first parameter of those that are reduced with it; -1: its own
  bool tree = false;       ///< workers sum it up over a tree, else round a ring (route.h)
  float tensors = 0;       ///< of the network's; cut by size, it has its share of them, as if
                           ///< they were dealt round

  /// Its gradient leaves when that of this parameter is there, too.
  [[nodiscard]] std::int64_t leaves_with() const { return with < 0 ? first : with; }
  [[nodiscard]] Bytes offset() const { return {first * 4}; }
  [[nodiscard]] Bytes size() const { return {count * 4}; }
};

/// Buckets that follow each other, as indices into Layout::buckets; `count` 0: none.
struct BucketRun {
  std::uint32_t first = 0;
  std::uint32_t count = 0;

  [[nodiscard]] bool empty() const { return count == 0; }
  [[nodiscard]] std::uint32_t end() const { return first + count; }
  [[nodiscard]] bool has(std::uint32_t bucket) const { return first <= bucket && bucket < end(); }
  bool operator==(const BucketRun&) const = default;
};

/// The parameters as buckets in order.
struct Layout {
  std::int64_t parameters = 0;
  std::vector<Bucket> buckets;
  bool rings = true;   ///< some buckets may go round a ring
  bool trees = false;  ///< some go over a tree
  int tree_group = 1;  ///< workers of a group, of which trees join one member each

  /// The buckets of a shard, as indices into `buckets`.
  [[nodiscard]] std::vector<std::uint32_t> of_shard(int shard) const;
  /// How many parameters a run has, which is not empty.
  [[nodiscard]] std::int64_t count_in(BucketRun run) const {
    const Bucket& last = buckets[run.first + run.count - 1];
    return last.first + last.count - buckets[run.first].first;
  }
  /// A run, which is not empty, as one bucket with the first one's owner.
  [[nodiscard]] Bucket joined(BucketRun run) const;
};

/// Cuts `parameters` floats into buckets of at most `bucket_size` bytes, and deals them to
/// `shards` servers so that each has at least one, a contiguous run of them, and shards differ by
/// at most one bucket's bytes. `shards` >= 1 and at most `parameters`; `bucket_size` holds at least
/// one float.
Layout make_layout(std::int64_t parameters, Bytes bucket_size, int shards);

/// Which sums among workers go over trees, two of them, that have their roots in the first and in
/// the last group of workers (route.h). Members of these own the buckets in turn.
struct Trees {
  Bytes up_to{};  ///< of what is reduced at once; 0: none
  int workers = 1;
  int group = 1;  ///< workers of a group

  [[nodiscard]] int owners() const { return 2 * group < workers ? 2 * group : workers; }
  /// Of the bucket whose turn it is.
  [[nodiscard]] int owner(std::int64_t turn) const;
};

/// Cuts `parameters` floats into a multiple of `owners` buckets, of at most `bucket_size` bytes,
/// equal to within one float, and deals them round: bucket i belongs to owner i % owners. So each
/// has an equal part of every stretch of the parameters. `owners` as `shards` above. All of them
/// are reduced at once; over trees they have the owners of these instead.
Layout make_dealt_layout(std::int64_t parameters, Bytes bucket_size, int owners,
                         const Trees& trees = {});

/// The buckets of PyTorch's DistributedDataParallel, in floats, in the order in which they are
/// reduced. Tensors become ready from the last to the first; each joins the open bucket, which is
/// closed when it has reached its size: 1 MiB for the first one, `cap` for the others. No tensor is
/// cut. Source: Li et al. 2020, PyTorch Distributed; its Reducer after the first step.
std::vector<std::int64_t> ddp_buckets(const std::vector<std::int64_t>& tensors, Bytes cap);

/// The parameters of these tensors in such buckets, whose pieces leave together. A piece has
/// `largest` bytes at most, and belongs to one of `owners` in turn. `owners` as `shards` above.
/// Each such bucket goes over trees, or does not, by its own size.
Layout make_ddp_layout(const std::vector<std::int64_t>& tensors, Bytes cap, Bytes largest,
                       int owners, const Trees& trees = {});

/// A bucket for each tensor, of the lengths in `tensors`; bucket i belongs to shard i % shards, as
/// TensorFlow deals variables: where weights and biases take turns, one of two shards has all
/// weights. `shards` is at most their number.
Layout make_tensor_layout(const std::vector<std::int64_t>& tensors, int shards);

}  // namespace foretrain
