// Sums that two trees between workers bring about sooner than a ring.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <vector>

namespace foretrain {

/// What messages between the workers of a training go over.
struct SumLinks {
  std::vector<int> hosts;  ///< of each worker, counted from 0
  Duration latency{};      ///< until a message that leaves a host is there
  Duration inside{};       ///< likewise, of one that does not
  BytesPerSecond rate{};   ///< of one message that leaves; 0: none has to wait for others
  BytesPerSecond port{};   ///< of a host, each direction, for all that leave; at least `rate`
};

/// Up to how many bytes two trees are quicker than a ring, by the usual costs of n bytes among N
/// groups, where a message waits for `latency` and a port carries `rate`:
///
///     ring     2 (N - 1) latency + 2 (N - 1) / N n / rate
///     trees    2 log2 N  latency + 2 n / rate
///
/// (Rabenseifner 2004; Sanders, Speck, Traeff 2009), so N (N - 1 - log2 N) x latency x rate. NCCL
/// 2.4 (2019) has such trees beside its rings, and weighs them like that.
///
/// Where workers share hosts, only messages that leave one count, and those of a host share its
/// port. Of the ring e edges leave a host, one where ranks follow hosts, and each of them carries
/// 2 (N - 1) / N n; of both trees t edges end at a host, and each of them carries n / 2 either way:
/// 4 at an inner node of one tree, which is a leaf of the other, the 2 n above. Messages that
/// leave, of those one after another, are counted, the others wait for `inside`. So
///
///     up to N (waits of ring - waits of trees) / 2 x rate / (1.1 t N / 4 - e (N - 1))
///
/// where t and e are at least 1. Buckets fill both trees less evenly than rings: simulated, 128 MB
/// on 2 to 4 hosts of 2 to 8 devices took 7 to 10 % longer than t says, on 3 and 8 a quarter. Trees
/// may have larger groups than the ring: `tree_group`. Both count bytes as if slices of them
/// followed each other: without any, trees take longer.
Bytes trees_up_to(const SumLinks& links, int group, int tree_group);

}  // namespace foretrain
