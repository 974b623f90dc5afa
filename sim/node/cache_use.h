// The time that a node waits for bytes that its host's caches do not hold.
#pragma once

#include "models/graph/working_set.h"
#include "sim/node/sim_process.h"

#include <memory>

namespace foretrain::sim {

/// Cache misses of a node: each job and message finds its bytes in the caches of the host, or not,
/// as the caches are when it begins. The first stage of a gradient touches the bytes of all stages;
/// the others pay their share of the time.
class CacheUse {
 public:
  /// Null if the caches of the host are unknown: every access hits.
  static std::unique_ptr<CacheUse> of(const Process& process,
                                      const std::shared_ptr<const Training>& training, NodeId id);
  CacheUse(const Process& process, Caches& caches, const std::shared_ptr<const Training>& training,
           NodeId id);

  /// Cache-miss penalty, as CPU time, of a job that begins and takes `takes` without misses.
  Duration before(const Job& job, Duration takes);
  /// Cache-miss penalty of the buffer that receives a message (WorkingSet::message).
  Duration before(NodeId from, const Message& message, bool addend);
  /// Cache-miss penalty of the kernel's pages to which a message is copied (WorkingSet::sent).
  Duration before_sent(NodeId to, const Message& message);

 private:
  [[nodiscard]] int computing() const;

  const Process& process_;
  Caches& caches_;
  WorkingSet touched_;
  Duration gradient_;  // penalty of all stages of the current gradient
};

}  // namespace foretrain::sim
