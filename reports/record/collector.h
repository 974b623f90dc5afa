// Gathers what the nodes of a training report into its record.
#pragma once

#include "models/protocol/node.h"
#include "reports/record/record.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretrain {

/// How a node's part ended, as it travels from the node to the record.
struct NodeEnd {
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t dropped = 0;
  std::int64_t most_lead = 0;
  Instant last_update;
  std::string weights_sha256;  ///< the chief's; empty elsewhere and without numerics
};

/// The end of a node, its weights replaced by their hash.
NodeEnd end_of(const Finished& finished);

/// Adds up steps whose rows are not kept, in a memory that does not grow with them. Up to kExact
/// steps their median is the middle one, or the mean of the two in the middle; of more it is the
/// middle of the bucket that holds it, a thousandth of it wide. The order of steps does not matter.
class StepTally {
 public:
  static constexpr std::size_t kExact = 1U << 20U;  // 8 MB

  void add(const StepReport& step, int worker = 0);
  [[nodiscard]] StepTotals totals() const;

 private:
  [[nodiscard]] Duration median() const;

  StepTotals totals_;
  std::vector<std::int64_t> lengths_ns_;  // while there are few
  std::vector<std::int64_t> buckets_;     // once there are many: how many lengths each holds
};

/// What the rows of a training come to, as they come; it keeps none of them.
class RowTally {
 public:
  /// The steps and the usage that `rows` has.
  void add(const Record& rows);
  void add(const StepReport& step, int worker);
  [[nodiscard]] StepTotals steps() const { return steps_.totals(); }
  [[nodiscard]] std::int64_t step_count() const { return step_count_; }
  /// How far the worker is that is furthest.
  [[nodiscard]] std::int64_t furthest() const { return furthest_; }

  /// What its rows tell of each node: CPU, memory, bytes.
  [[nodiscard]] const std::vector<NodeTotals>& nodes() const { return nodes_; }

  /// What nodes could not tell any more. Of each that told no totals: CPU, memory, bytes, from its
  /// rows. Of a training that did not end by itself: its time, the gradients of the steps that were
  /// reported, the updates that so many make, where they are more than is known.
  void fill_in(Record& record) const;

 private:
  StepTally steps_;
  std::int64_t step_count_ = 0;
  std::int64_t furthest_ = 0;
  Instant latest_;  // end of a step
  std::vector<NodeTotals> nodes_;
};

/// What the steps of the record come to, whether it has their rows or not.
StepTotals step_totals_of(const Record& record);

/// Leaves out of the record what grows with its steps, but for what they come to.
void keep_summary(Record& record);

/// Adds a worker's report to the record.
void add_report(Record& record, int worker, const Report& report);
/// Adds a node's end: what shards count alike is counted once, the last update is the last of all.
void add_end(Record& record, const NodeEnd& end);
/// Puts the rows in the order that the record promises, whatever the order in which they came.
void sort_rows(Record& record);

}  // namespace foretrain
