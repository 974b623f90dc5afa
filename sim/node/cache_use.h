// How long a node waits for bytes that its host's caches do not hold.
#pragma once

#include "models/graph/working_set.h"
#include "sim/node/process.h"

#include <memory>

namespace foretrain::sim {

/// A node's bytes and the caches of its host, in which each job and message finds them or not, as
/// the caches are when it begins. A gradient that comes in stages touches all of its bytes with the
/// first; the others wait for their share.
class CacheUse {
 public:
  /// Null where nothing is known of the host's caches: every byte is there.
  static std::unique_ptr<CacheUse> of(const Process& process,
                                      const std::shared_ptr<const Training>& training, NodeId id);
  CacheUse(const Process& process, Caches& caches, const std::shared_ptr<const Training>& training,
           NodeId id);

  /// The job begins, and takes so long besides: CPU time until its bytes are there.
  Duration before(const Job& job, Duration takes);
  /// Likewise of the buffer that a message is put into (WorkingSet::message).
  Duration before(NodeId from, const Message& message, bool addend);
  /// Likewise of the kernel's pages that one is copied to (WorkingSet::sent).
  Duration before_sent(NodeId to, const Message& message);

 private:
  [[nodiscard]] int computing() const;

  const Process& process_;
  Caches& caches_;
  WorkingSet touched_;
  Duration gradient_;  // of all stages of the one that is computed
};

}  // namespace foretrain::sim
