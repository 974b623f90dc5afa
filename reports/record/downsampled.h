// Downsampling of large records that preserves extremes.
#pragma once

#include "reports/record/record.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace foretrain {

/// Iterates over the steps of a record, any number of times. For a run of many millions they are
/// not all in memory.
using Steps = std::function<void(const std::function<void(const StepRow&)>& look)>;
/// The steps in `record` itself.
Steps steps_of(const Record& record);

/// Number and total duration of a node's steps.
struct StepsOfNode {
  std::size_t count = 0;
  Duration time;
};
std::vector<StepsOfNode> count_steps(const Steps& steps, std::size_t nodes);

/// Indices of the `values` to draw, ascending: all if there are at most `most`. Else the first and
/// the last value, and the smallest and the largest of each of equally long stretches between them;
/// NaN is left out then. At most `most` indices, or 4 if that is more.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most);

/// The same as a stream: `count` values arrive one by one, each with an item.
template <class Item>
class Thinning {
 public:
  Thinning(std::size_t count, std::size_t most)
      : count_(count),
        all_(count <= most || count < 3),
        stretches_(std::max<std::size_t>(most, 4) / 2 - 1) {}

  /// Calls `draw(place, item)` for each item that is now known to be drawn, in order, once each.
  template <class Draw>
  void add(double value, const Item& item, const Draw& draw) {
    const std::size_t place = next_++;
    if (all_ || place == 0 || place + 1 == count_) return draw(place, item);
    if (!std::isnan(value)) {
      if (!least_ || value < least_->value) least_ = {place, value, item};
      if (!most_ || value > most_->value) most_ = {place, value, item};
    }
    for (; stretch_ < stretches_ && end_of(stretch_) <= next_; ++stretch_) draw_stretch(draw);
  }

 private:
  struct Candidate {
    std::size_t place;
    double value;
    Item item;
  };

  /// Index after the last one of a stretch.
  [[nodiscard]] std::size_t end_of(std::size_t stretch) const {
    return 1 + (stretch + 1) * (count_ - 2) / stretches_;
  }
  template <class Draw>
  void draw_stretch(const Draw& draw) {
    if (!least_) return;
    const bool falls = most_->place < least_->place;
    const Candidate& first = falls ? *most_ : *least_;
    const Candidate& last = falls ? *least_ : *most_;
    draw(first.place, first.item);
    if (last.place != first.place) draw(last.place, last.item);
    least_.reset();
    most_.reset();
  }

  std::size_t count_;
  bool all_;
  std::size_t stretches_;
  std::size_t stretch_ = 0;
  std::size_t next_ = 0;
  std::optional<Candidate> least_;
  std::optional<Candidate> most_;
};

/// Indices of the nodes to draw, ascending: all if there are at most `most`. Else every n-th node,
/// and the chief, the first server, the workers with the least and the greatest total step time.
std::vector<int> shown_nodes(const Record& record, const std::vector<StepsOfNode>& steps,
                             std::size_t most);

/// For each node the list of its rows, in the order of the record.
std::vector<std::vector<const UsageRow*>> usage_by_node(const Record& record);

/// A node's usage in the interval from its previous row to this one.
struct Used {
  Instant from;
  const UsageRow* row;
  /// Amount per second; 0 if no time passed.
  [[nodiscard]] double rate(double amount) const;
  [[nodiscard]] double rate(Bytes amount) const { return rate(static_cast<double>(amount.value)); }
};
std::vector<Used> used_by(const std::vector<const UsageRow*>& rows);

}  // namespace foretrain
