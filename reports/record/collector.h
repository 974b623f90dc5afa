// Gathers what the nodes of a training report into its record.
#pragma once

#include "models/protocol/node.h"
#include "reports/record/record.h"

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

/// Adds up steps whose rows are not kept.
class StepTally {
 public:
  void add(const StepReport& step);
  [[nodiscard]] StepTotals totals() const;

 private:
  StepTotals totals_;
  std::vector<std::int64_t> lengths_ns_;  // for their median
};

/// Leaves out of the record what grows with its steps, but for what they come to.
void keep_summary(Record& record);

/// Adds a worker's report to the record.
void add_report(Record& record, int worker, const Report& report);
/// Adds a node's end: what shards count alike is counted once, the last update is the last of all.
void add_end(Record& record, const NodeEnd& end);
/// Puts the rows in the order that the record promises, whatever the order in which they came.
void sort_rows(Record& record);

}  // namespace foretrain
