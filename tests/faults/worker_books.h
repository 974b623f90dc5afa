// The rules for a worker, checked by its messages alone.
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

/// Rules for a worker of a parameter server:
///
/// 1. It pushes a bucket once per step, after the answer to the previous push, computed on the
///    latest version that it received.
/// 2. In a synchronous strategy without backups, no gradient of step k is pushed before all buckets
///    of version k have arrived. With backups, the gradient of a step uses one version of all
///    buckets, on all shards.
///
/// Rules for a worker of a collective:
///
/// 3. It contributes its part of a bucket to the sum of each round once, and receives the values of
///    each round once, round after round.
/// 4. The values of a bucket after a round are the same bits on all workers.
/// 5. They follow from one part per worker (round_values.h).
class WorkerBooks {
 public:
  /// State shared by all workers.
  struct Rounds {
    /// By bucket and round: the values seen first.
    std::map<std::pair<std::uint32_t, std::int64_t>, std::vector<float>> seen{};
    std::unique_ptr<RoundValues> expected{};  ///< null if workers form no sums
  };

  WorkerBooks(std::shared_ptr<const Training> training, NodeId id, Rounds& rounds);

  /// @throws Broken
  void happened(const Heard& heard, std::span<const Effect> effects);
  /// A new process replaces it.
  void begin_again() { views_.assign(views_.size(), {}); }

 private:
  struct View {
    std::int64_t version = 0;
    bool awaits = false;
    std::int64_t partials = 0;  // rounds with its part sent
    std::int64_t renewals = 0;  // rounds with values received
  };
  struct Gradient {
    std::int64_t step = -1;
    std::int64_t version = 0;  // version that its first push used
    std::size_t pushes = 0;
  };

  /// Splits a message of a collective, which may contain several consecutive buckets.
  [[nodiscard]] std::vector<Envelope> by_bucket(const Envelope& mail) const;
  void received(const Envelope& mail);
  void sent(NodeId to, const Envelope& mail);
  void pushed(const Envelope& push);
  /// The version check with backups.
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
  Gradient gradient_;  // gradient whose buckets are being pushed
};

}  // namespace foretrain::faults
