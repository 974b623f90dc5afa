// Collects the reports of a training's nodes into its record.
#pragma once

#include "models/protocol/node.h"
#include "reports/record/record.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace foretrain {

/// The result of a node, as the node sends it to the writer of the record.
struct NodeEnd {
  std::int64_t updates = 0;
  std::int64_t gradients = 0;
  std::int64_t dropped = 0;
  std::int64_t most_lead = 0;
  Instant last_update;
  std::string weights_sha256;  ///< from the chief; empty for other nodes and without numerics
};

/// The result of a node with its weights replaced by their hash.
NodeEnd end_of(const Finished& finished);

/// Adds up steps whose rows are not recorded, in constant memory. Up to kExact steps the median is
/// exact: the middle one, or the mean of the two in the middle. For more steps it is the middle of
/// the histogram bucket that contains it, whose width is a thousandth of its value. The order of
/// steps does not matter.
class StepTally {
 public:
  static constexpr std::size_t kExact = 1U << 20U;  // 8 MB

  void add(const StepReport& step, int worker = 0);
  [[nodiscard]] StepTotals totals() const;

 private:
  [[nodiscard]] Duration median() const;

  StepTotals totals_;
  std::vector<std::int64_t> lengths_ns_;  // up to kExact steps
  std::vector<std::int64_t> buckets_;     // for more steps: the number of lengths in each bucket
};

/// Adds up the rows of a training as they arrive, without storing them.
class RowTally {
 public:
  /// Adds the steps and the usage of `rows`.
  void add(const Record& rows);
  void add(const StepReport& step, int worker);
  [[nodiscard]] StepTotals steps() const { return steps_.totals(); }
  [[nodiscard]] std::int64_t step_count() const { return step_count_; }
  /// Number of steps that the most advanced worker has finished.
  [[nodiscard]] std::int64_t furthest() const { return furthest_; }

  /// CPU time, memory, bytes of each node, from its usage rows.
  [[nodiscard]] const std::vector<NodeTotals>& nodes() const { return nodes_; }

  /// Fills in what nodes could not report. A node without totals gets CPU time, memory, bytes from
  /// its rows. A training that did not complete gets its time, the gradients of the reported steps,
  /// and the updates that these correspond to, if they exceed the known numbers.
  void fill_in(Record& record) const;

 private:
  StepTally steps_;
  std::int64_t step_count_ = 0;
  std::int64_t furthest_ = 0;
  Instant latest_;  // end of a step
  std::vector<NodeTotals> nodes_;
};

/// Totals of the record's steps, with or without rows.
StepTotals step_totals_of(const Record& record);

/// Replaces the rows that grow with the number of steps by their totals.
void keep_summary(Record& record);

/// Adds a worker's report to the record.
void add_report(Record& record, int worker, const Report& report);
/// Adds a node's result. A number that several servers report counts once: the largest is taken, as
/// for the time of the last update.
void add_end(Record& record, const NodeEnd& end);
/// Sorts the rows as the record promises, whatever their order of arrival.
void sort_rows(Record& record);

}  // namespace foretrain
