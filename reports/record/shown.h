// What of a large record is drawn, so that no extreme is lost.
#pragma once

#include "reports/record/record.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace foretrain {

/// Which of `values` to draw, ascending: all, where there are no more than `most`. Else the first,
/// the last and, of each of equally many in a row, the smallest and the largest; what is not a
/// number is left out then. At most `most`, or 4 where that is more.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most);

/// Which nodes to draw, ascending: all, where there are no more than `most`. Else every so manieth,
/// and with them the chief, the first server, the workers whose steps took least and most.
std::vector<int> shown_nodes(const Record& record, std::size_t most);

/// The rows of one node in the order of the record; for each node one list.
std::vector<std::vector<const StepRow*>> steps_by_worker(const Record& record);
std::vector<std::vector<const UsageRow*>> usage_by_node(const Record& record);

/// What a node used from the row before to this one.
struct Used {
  Instant from;
  const UsageRow* row;
  /// Per second; 0 where no time passed.
  [[nodiscard]] double rate(double amount) const;
  [[nodiscard]] double rate(Bytes amount) const { return rate(static_cast<double>(amount.value)); }
};
std::vector<Used> used_by(const std::vector<const UsageRow*>& rows);

}  // namespace foretrain
