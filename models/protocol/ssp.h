// Stale synchronous parallel SGD: asynchronous, with a bound on how far a worker may run ahead.
#pragma once

#include "models/protocol/async.h"

#include <cstdint>
#include <memory>
#include <optional>

namespace foretrain {

/// `training.staleness`: the bound.
extern const Option kStaleness;

/// A worker that has had c gradients applied is at clock c. It may begin its next step only while
///
///     c - min over workers of their clocks <= staleness
///
/// (Ho, Cipar, Cui, Lee, Kim, Gibbons, Gibson, Ganger, Xing 2013); until then its answer is held
/// back, so it sleeps in its pull, then sees all that has been applied. Buckets keep clocks of
/// their own: a worker reads none that has not answered, so the bound holds for each.
///
/// At staleness 0 all workers compute on the same values. Their gradients are held until the clock
/// is complete, then applied one by one in the order of the workers, so weights are a function of
/// the seed alone. It differs from `sync` in that a clock makes an update of every gradient, not
/// one of their mean.
///
/// A worker that comes back begins at the slowest clock of those who are there, or past the steps
/// that it had, where these were further. So those who wait are let go no sooner, and for ever held
/// by nobody.
class SspServer : public AsyncServer {
 public:
  SspServer(const std::shared_ptr<const Training>& training, NodeId id);

 protected:
  [[nodiscard]] std::optional<std::size_t> next(const Queue& queue) const override;
  [[nodiscard]] bool may_go_on(const Queue& queue, int worker) const override;
  [[nodiscard]] std::int64_t first_step(const Queue& queue, int worker) const override;

 private:
  std::int64_t staleness_;
};

/// Its nodes: a Worker each, and SspServers.
Protocol ssp_protocol();

}  // namespace foretrain
