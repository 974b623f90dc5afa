// The size of sums for which two trees between workers are faster than a ring.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"

#include <vector>

namespace foretrain {

/// The links between the workers of a training.
struct SumLinks {
  std::vector<int> hosts;  ///< host of each worker, counted from 0
  Duration latency{};      ///< of a message between hosts
  Duration inside{};       ///< of a message within a host
  BytesPerSecond rate{};   ///< of one message between hosts; 0: messages never wait for others
  BytesPerSecond port{};   ///< of a host, each direction, for all such messages; at least `rate`
};

/// Returns the size up to which two trees are faster than a ring, by the usual costs of n bytes
/// among N groups, if a message takes `latency` and a port carries `rate`:
///
///     ring     2 (N - 1) latency + 2 (N - 1) / N n / rate
///     trees    2 log2 N  latency + 2 n / rate
///
/// (Rabenseifner 2004; Sanders, Speck, Traeff 2009), so up to N (N - 1 - log2 N) x latency x rate.
/// NCCL 2.4 (2019) has such trees besides its rings, and compares them in this way.
///
/// If workers share hosts, only messages between hosts count, and those of a host share its port.
/// In the ring e edges leave a host, one if ranks follow hosts, and each of them carries 2 (N - 1)
/// / N n; in both trees t edges end at a host, and each of them carries n / 2 either way: 4 at an
/// inner node of one tree, which is a leaf of the other, the 2 n above. Of the messages one after
/// another, those between hosts wait for `latency`, the others for `inside`. So
///
///     up to N (waits of ring - waits of trees) / 2 x rate / (1.1 t N / 4 - e (N - 1))
///
/// where t and e are at least 1. Buckets fill both trees less evenly than rings: simulated, 128 MB
/// on 2 to 4 hosts of 2 to 8 devices took 7 to 10 % longer than t predicts, on 3 and 8 a quarter.
/// Trees may have larger groups than the ring: `tree_group`. Both costs assume that bytes are
/// pipelined in slices: without slices, trees take longer.
Bytes trees_up_to(const SumLinks& links, int group, int tree_group);

}  // namespace foretrain
