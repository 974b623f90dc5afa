#include "models/graph/bucket_cost.h"

#include "models/cost/work.h"
#include "models/protocol/registry.h"
#include "models/protocol/route.h"
#include "models/protocol/sparse_payload.h"

namespace foretrain {
namespace {

std::int64_t gradients_an_apply(const Training& training) {
  const Protocol& protocol = protocol_called(training.strategy);
  return protocol.gradients_an_apply(training.options, training.workers);
}

// Workers sum up their gradients without a server.
bool among_workers(const Training& training) {
  return training.servers == 0 && gradients_an_apply(training) > 1;
}

// Gradients, or sums of them, that whoever applies has to add up.
std::int64_t addends(const Training& training, const Bucket& bucket) {
  if (among_workers(training)) {
    return 1 + static_cast<std::int64_t>(Route(training, bucket.shard, bucket.shard).sources());
  }
  return gradients_an_apply(training);
}

Cost dense_pull(const Training& training, const Bucket& bucket) {
  const bool own = training.servers == 0 && (!among_workers(training) || bucket.shard == 0);
  return own || training.layout->buckets.size() == 1 ? Cost{} : copy_cost(bucket.count);
}

Cost sparse_pull(const Training& training, const Listed& listed) {
  if (training.servers == 0) return pick_cost(listed.wanted);
  const Cost answered = decode_cost(listed) + gather_cost(listed.wanted);
  if (training.layout->buckets.size() == 1) return answered;
  return answered + copy_cost(listed.wanted);  // buckets are put end to end
}

}  // namespace

BucketCost bucket_cost(const Training& training, const Bucket& bucket) {
  const Optimizer& rule = *training.optimizer;
  const std::int64_t gradients = addends(training, bucket);
  BucketCost cost;
  if (training.sparse()) {
    const Listed listed = listed_mean(training, bucket, false);
    cost.push = encode_cost(listed);
    if (training.servers > 0) cost.push = cost.push + decode_cost(listed);
    cost.apply = sparse_apply_cost(bucket.count, gradients, push_size(listed) * gradients, rule);
    cost.pull = sparse_pull(training, listed);
    return cost;
  }
  // Of n gradients that end as k sums n - k have been added to others.
  if (among_workers(training)) {
    cost.reduce = reduce_cost(bucket.count, training.workers - gradients + 1);
  }
  cost.apply = apply_cost(bucket.count, gradients, rule);
  cost.pull = dense_pull(training, bucket);
  return cost;
}

}  // namespace foretrain
