// What must hold of a worker, told from its mail alone.
#pragma once

#include "models/protocol/training.h"
#include "tests/faults/envelope.h"
#include "tests/faults/round_values.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace foretrain::faults {

/// A worker of a parameter server:
///
/// 1. It pushes a bucket once a step, when the push before it is answered, computed on the version
///    that it was sent last.
/// 2. Where the strategy is synchronous without backups: no gradient of step k is pushed before all
///    buckets of version k are here. With backups: the gradient of a step is by one version of all
///    buckets, whichever shards hold them.
///
/// A worker among workers:
///
/// 3. It gives its part of a bucket to the sum of each round once, and gets the values of each
///    round once, round after round.
/// 4. The values of a bucket after a round are the same bits whoever has them.
/// 5. They are what one part of each worker makes (round_values.h).
class WorkerBooks {
 public:
  /// Shared by all workers.
  struct Rounds {
    /// By bucket and round: the values that were seen first.
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<float>> seen{};
    std::unique_ptr<RoundValues> expected{};  ///< null: no sums among workers
  };

  WorkerBooks(std::shared_ptr<const Training> training, NodeId id, Rounds& rounds);

  /// @throws Broken
  void happened(const Heard& heard, std::span<const Effect> effects);
  /// Another process takes its place.
  void begin_again() { views_.assign(views_.size(), {}); }

 private:
  struct View {
    std::int64_t version = 0;
    bool awaits = false;
    std::int64_t partials = 0;  // rounds that its part has gone into
    std::int64_t renewals = 0;  // rounds whose values have come
  };
  struct Gradient {
    std::int64_t step = -1;
    std::int64_t version = 0;  // that its first push is by
    std::size_t pushes = 0;
  };

  /// Among workers a message may bring several buckets, one after another: each by itself.
  [[nodiscard]] std::vector<Envelope> by_bucket(const Envelope& mail) const;
  void received(const Envelope& mail);
  void sent(NodeId to, const Envelope& mail);
  void pushed(const Envelope& push);
  /// With backups.
  void check_version(const Envelope& push);
  void check_round(const Envelope& values);
  void require(bool holds, const std::string& what) const;

  std::shared_ptr<const Training> training_;
  NodeId id_;
  Rounds& rounds_;
  std::vector<View> views_;                                              // by bucket
  std::set<std::tuple<NodeId, std::uint32_t, std::int64_t>> passed_on_;  // to, bucket, round
  bool in_step_;
  bool synchronous_;
  Gradient gradient_;  // whose buckets are being pushed
};

}  // namespace foretrain::faults
