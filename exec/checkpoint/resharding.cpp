#include "exec/checkpoint/resharding.h"

#include "models/base/check.h"
#include "models/protocol/node_state.h"
#include "models/protocol/registry.h"
#include "models/protocol/shard.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace foretrain {
namespace {

/// A bucket with its server's numbers for each worker.
struct KeptBucket {
  ShardBucket bucket;
  std::vector<std::int64_t> of_workers;
};

bool overlap(const Bucket& a, const Bucket& b) {
  return a.first < b.first + b.count && b.first < a.first + a.count;
}

/// The servers of `before` that held some of the parameters of `buckets`.
std::set<int> holders(const std::vector<Bucket>& buckets, const Layout& before) {
  std::set<int> shards;
  for (const Bucket& bucket : before.buckets) {
    const auto is_here = [&](const Bucket& each) { return overlap(each, bucket); };
    if (std::ranges::any_of(buckets, is_here)) shards.insert(bucket.shard);
  }
  return shards;
}

/// A server state under construction.
class Gathered {
 public:
  Gathered(const Training& training, int shard)
      : training_(std::make_shared<const Training>(training)),
        kept_(training.protocol->server_state(training.options)),
        counts_(static_cast<std::size_t>(kept_.counts)) {
    for (const std::uint32_t index : training_->layout->of_shard(shard)) {
      buckets_.push_back({ShardBucket(training_, index), {}});
    }
  }

  /// Takes over the state of server `shard`; `then` has the layout of that time.
  void take(const std::shared_ptr<const Training>& then, int shard, const std::string& bytes) {
    StateReader state(bytes);
    // With several servers the maximum counts, as for a client that asks all of them.
    for (std::int64_t& count : counts_) count = std::max(count, state.integer());
    for (const std::uint32_t index : then->layout->of_shard(shard)) {
      KeptBucket kept{ShardBucket(then, index), {}};
      kept.bucket.read(state);
      const auto numbers = static_cast<std::size_t>(kept_.of_worker * training_->workers);
      for (std::size_t i = 0; i < numbers; ++i) kept.of_workers.push_back(state.integer());
      take(kept);
    }
    state.end();
  }

  [[nodiscard]] std::string state() const {
    StateWriter writer;
    for (const std::int64_t count : counts_) writer.integer(count);
    for (const KeptBucket& each : buckets_) {
      each.bucket.write(writer);
      for (const std::int64_t number : each.of_workers) writer.integer(number);
    }
    return writer.take();
  }

 private:
  void take(const KeptBucket& kept) {
    const std::vector<std::int64_t> mark = mark_of(kept);
    if (mark_.empty()) mark_ = mark;
    if (mark != mark_) throw StateError(kNoCut);
    for (KeptBucket& each : buckets_) {
      // Numbers of workers come from the last bucket that overlaps, as of its updates.
      if (each.bucket.take_over(kept.bucket)) each.of_workers = kept.of_workers;
    }
  }

  /// Values that are equal in all buckets of a cut. If updates are counted singly, a lost worker's
  /// gradient may have reached only some of the buckets.
  [[nodiscard]] std::vector<std::int64_t> mark_of(const KeptBucket& kept) const {
    std::vector<std::int64_t> mark{kept_.one_version ? kept.bucket.version().value : 0};
    const auto stride = static_cast<std::size_t>(std::max(kept_.of_worker, 1));
    for (std::size_t i = 0; i < kept.of_workers.size(); i += stride) {
      mark.push_back(kept.of_workers[i]);
    }
    return mark;
  }

  std::shared_ptr<const Training> training_;
  ServerState kept_;
  std::vector<std::int64_t> counts_;
  std::vector<KeptBucket> buckets_;
  std::vector<std::int64_t> mark_;  // common to the buckets taken so far
};

}  // namespace

std::string gathered_state(const Training& training, int shard,
                           const std::shared_ptr<const Layout>& before,
                           const std::function<std::string(int shard)>& state_of) {
  FT_CHECK_OP(before->parameters, ==, training.layout->parameters);
  auto then = std::make_shared<Training>(training);
  then->layout = before;
  Gathered gathered(training, shard);
  std::vector<Bucket> buckets;
  for (const std::uint32_t index : training.layout->of_shard(shard)) {
    buckets.push_back(training.layout->buckets[index]);
  }
  for (const int holder : holders(buckets, *before)) {
    gathered.take(then, holder, state_of(holder));
  }
  return gathered.state();
}

}  // namespace foretrain
