// How the parameter vector is cut into buckets that servers hold.
#pragma once

#include "models/base/quantity.h"

#include <cstdint>
#include <vector>

namespace foretrain {

/// A contiguous part of the parameters: the smallest unit that is sent, summed or applied.
struct Bucket {
  std::int64_t first = 0;  ///< index of its first parameter
  std::int64_t count = 0;  ///< parameters in it
  int shard = 0;           ///< the server that holds it
  std::int64_t with = -1;  ///< first parameter of the buckets reduced with it; -1: its own
  bool tree = false;       ///< workers sum it over a tree; else round a ring (route.h)
  float tensors = 0;       ///< number of the network's tensors in it; a bucket cut by size has its
                           ///< share of them, as if they were distributed round robin

  /// First parameter of the last gradient that this bucket's gradient has to wait for.
  [[nodiscard]] std::int64_t leaves_with() const { return with < 0 ? first : with; }
  [[nodiscard]] Bytes offset() const { return {first * 4}; }
  [[nodiscard]] Bytes size() const { return {count * 4}; }
};

/// Consecutive buckets, as indices into Layout::buckets; none if `count` is 0.
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
  bool rings = true;    ///< some buckets may use a ring
  bool trees = false;   ///< some buckets use a tree
  int tree_group = 1;   ///< workers of a group; one member of each group joins a tree
  bool padded = false;  ///< buckets of a collective are equally long (make_ddp_layout)

  /// The buckets of a shard, as indices into `buckets`.
  [[nodiscard]] std::vector<std::uint32_t> of_shard(int shard) const;
  /// The number of parameters in a run, which must not be empty; of a padded collective with its
  /// padding.
  [[nodiscard]] std::int64_t count_in(BucketRun run) const {
    if (padded && buckets[run.first].with == buckets[run.end() - 1].with) {
      return run.count * buckets[run.first].count;
    }
    const Bucket& last = buckets[run.first + run.count - 1];
    return last.first + last.count - buckets[run.first].first;
  }
  /// A run, which must not be empty, as one bucket with the owner of its first.
  [[nodiscard]] Bucket joined(BucketRun run) const;
};

/// Cuts `parameters` floats into buckets of at most `bucket_size` bytes and assigns each of
/// `shards` servers a contiguous run of at least one bucket; shards differ by at most one bucket's
/// bytes. `shards` is at least 1 and at most `parameters`; `bucket_size` holds at least one float.
Layout make_layout(std::int64_t parameters, Bytes bucket_size, int shards);

/// Defines which sums among workers use trees: two trees, with roots in the first and in the last
/// group of workers (route.h). Members of these groups own the buckets in turn.
struct Trees {
  Bytes up_to{};  ///< largest size of what is reduced at once; 0: no trees
  int workers = 1;
  int group = 1;  ///< workers of a group

  [[nodiscard]] int owners() const { return 2 * group < workers ? 2 * group : workers; }
  /// The owner of the bucket at this turn.
  [[nodiscard]] int owner(std::int64_t turn) const;
};

/// Cuts `parameters` floats into a multiple of `owners` buckets, of at most `bucket_size` bytes,
/// equal to within one float, and assigns them round robin: bucket i belongs to owner i % owners.
/// So each owner has an equal part of every stretch of the parameters. `owners` has the limits of
/// `shards` above. All buckets are reduced at once; over trees, the owners are those of `trees`.
Layout make_round_robin_layout(std::int64_t parameters, Bytes bucket_size, int owners,
                               const Trees& trees = {});

/// The buckets of PyTorch's DistributedDataParallel, in floats, in the order in which they are
/// reduced. Tensors become ready from the last to the first; each joins the open bucket, which is
/// closed when it has reached its size: 1 MiB for the first one, `cap` for the others. No tensor is
/// cut. Source: Li et al. 2020, PyTorch Distributed; its Reducer after the first step.
std::vector<std::int64_t> ddp_buckets(const std::vector<std::int64_t>& tensors, Bytes cap);

/// The layout of these tensors in such DDP buckets, whose pieces leave together. A piece has at
/// most `largest` bytes and belongs to one of `owners` in turn. `owners` has the limits of `shards`
/// above. Each DDP bucket uses trees or not by its own size. `padded`: all pieces of a DDP bucket
/// are as long as its longest, and each owner has as many, as FSDP pads its flat parameters; there
/// must be no values. Then all workers do the same (sim/world/fold.h).
Layout make_ddp_layout(const std::vector<std::int64_t>& tensors, Bytes cap, Bytes largest,
                       int owners, const Trees& trees = {}, bool padded = false);

/// One bucket for each tensor, of the lengths in `tensors`; bucket i belongs to shard i % shards,
/// as TensorFlow places variables: if weights and biases alternate, one of two shards has all
/// weights. `shards` is at most the number of tensors.
Layout make_tensor_layout(const std::vector<std::int64_t>& tensors, int shards);

}  // namespace foretrain
