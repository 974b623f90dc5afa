#include "sim/node/cache_use.h"

#include <algorithm>
#include <cmath>

namespace foretrain::sim {

std::unique_ptr<CacheUse> CacheUse::of(const Process& process,
                                       const std::shared_ptr<const Training>& training, NodeId id) {
  Caches* const caches = process.host().caches.get();
  if (caches == nullptr) return nullptr;
  return std::make_unique<CacheUse>(process, *caches, training, id);
}

CacheUse::CacheUse(const Process& process, Caches& caches,
                   const std::shared_ptr<const Training>& training, NodeId id)
    : process_(process), caches_(caches), touched_(training, id, process.host().simd) {}

int CacheUse::computing() const { return std::max(1, process_.cpu().computing()); }

Duration CacheUse::before(const Job& job, Duration takes) {
  const int core = process_.place().core;
  caches_.at(process_.now());
  if (job.kind != JobKind::gradient) {
    return caches_.time_of(touched_.job(caches_, core, job), computing());
  }
  if (job.stage == 0) {
    const double all_ns = job.share > 0 ? static_cast<double>(takes.ns) / job.share : 0;
    const WorkingSet::Span span{process_.now(), {std::llround(all_ns)}};
    const CacheMisses misses = touched_.gradient(caches_, core, span, job.batch > 0);
    gradient_ = caches_.time_of(misses, computing());
  }
  return {std::llround(static_cast<double>(gradient_.ns) * job.share)};
}

Duration CacheUse::before(NodeId from, const Message& message, bool addend) {
  caches_.at(process_.now());
  const CacheMisses misses =
      touched_.message(caches_, process_.place().core, from, message, addend);
  return caches_.time_of_message(misses, computing());
}

Duration CacheUse::before_sent(NodeId to, const Message& message) {
  caches_.at(process_.now());
  const CacheMisses misses = touched_.sent(caches_, process_.place().core, to, message);
  return caches_.time_of_message(misses, computing());
}

}  // namespace foretrain::sim
