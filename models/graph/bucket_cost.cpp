// The cost of one bucket in a step, besides the gradient.
#include "models/cost/work.h"
#include "models/graph/step_graph.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "models/protocol/touched.h"

namespace foretrain {
namespace {

std::int64_t gradients_an_apply(const Training& training) {
  const Protocol& protocol = *training.protocol;
  return protocol.gradients_an_apply(training.options, training.workers);
}

bool averages(const Training& training) {
  return training.protocol->steps_an_averaging(training.options) > 0;
}

// Workers sum their gradients, or their parameters, without a server.
bool among_workers(const Training& training) {
  return training.servers == 0 && (gradients_an_apply(training) > 1 || averages(training));
}

// Among workers: the number of sums that the owner of a bucket adds up, its own part included; over
// a hypercube two at every turn.
std::int64_t sums_of(const Training& training, const Bucket& bucket) {
  if (Ways::of(training, bucket).hypercube) return 2;
  return 1 + static_cast<std::int64_t>(Route(training, bucket, bucket.shard).sources());
}

// If n parts end as k sums, n - k have been added to others.
Cost cost_before_owner(const Training& training, const Bucket& bucket) {
  return reduce_cost(bucket.count, training.workers - sums_of(training, bucket) + 1);
}

// Over a hypercube the chief copies forwarded values of its own half, because they may change.
Cost kept_values(const Training& training, const Bucket& bucket) {
  const bool of_half = 2 * bucket.shard < training.workers;
  if (!of_half || training.gathers() || !Ways::of(training, bucket).hypercube) return {};
  return copy_cost(compressed_size(training.compression, bucket.count));
}

Cost dense_pull(const Training& training, const Bucket& bucket) {
  const bool own = training.servers == 0 && (!among_workers(training) || bucket.shard == 0);
  return own || training.layout->buckets.size() == 1 ? Cost{} : copy_cost(bucket.count);
}

Cost sparse_pull(const Training& training, const Listed& listed) {
  if (training.servers == 0) return pick_cost(listed.wanted);
  const Cost answered = gather_cost(listed.wanted);
  if (training.layout->buckets.size() == 1) return answered;
  return answered + copy_cost(listed.wanted);  // buckets are copied into one vector
}

// The chief converts received halves to floats, and floats to halves to send them; an owner has a
// master copy besides the values that all hold, to which the others add received differences.
Cost conversions(const Training& training, const Bucket& bucket) {
  const bool own = bucket.shard == 0;
  const std::size_t come = Route(training, bucket, 0).sources() + (own ? 0 : 1);
  Cost cost = compress_cost(training.compression, bucket.count) + copy_cost(bucket.count);
  for (std::size_t i = 0; i < come; ++i) {
    cost = cost + expand_cost(training.compression, bucket.count);
  }
  return cost;
}

}  // namespace

BucketCost bucket_cost(const Training& training, const Bucket& bucket) {
  const Optimizer& rule = *training.optimizer;
  const std::int64_t gradients = gradients_an_apply(training);
  BucketCost cost;
  if (training.sparse()) {
    const Listed listed = listed_mean(training, bucket, false);
    cost.push = encode_cost(listed);
    if (training.servers > 0) cost.push = cost.push + decode_cost(listed);
    cost.apply = sparse_apply_cost(bucket.count, gradients, push_size(listed) * gradients, rule);
    cost.pull = sparse_pull(training, listed);
    return cost;
  }
  const Compression& compression = training.compression;
  const bool sums = among_workers(training) && !averages(training);
  const bool in_halves = sums && compression.converts_sums();
  if (compression.wanted() && !in_halves) {
    cost.push = compress_cost(compression, bucket.count) + expand_cost(compression, bucket.count);
  }
  const bool rooted = training.protocol->rooted;
  if (sums) cost.reduce = cost_before_owner(training, bucket);
  if (rooted) cost.reduce = reduce_cost(bucket.count, training.workers);
  const std::int64_t applied = rooted ? 1 : sums ? sums_of(training, bucket) : gradients;
  cost.apply = apply_cost(bucket.count, applied, rule);
  if (averages(training)) {
    const Protocol& protocol = *training.protocol;
    cost.average =
        cost_before_owner(training, bucket) +
        protocol.averaging_cost(training.options, bucket.count, sums_of(training, bucket));
  }
  cost.pull = dense_pull(training, bucket);
  if (averages(training)) cost.pull = cost.pull + kept_values(training, bucket);
  if (in_halves) cost.pull = conversions(training, bucket) + kept_values(training, bucket);
  return cost;
}

}  // namespace foretrain
