// What of a large record is drawn, so that no extreme is lost.
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

/// The steps of a record one after another, as often as somebody looks: of a run of many millions
/// they are not all in memory.
using Steps = std::function<void(const std::function<void(const StepRow&)>& look)>;
/// Those that the record has.
Steps steps_of(const Record& record);

/// How many of them each node has, what they take.
struct StepsOfNode {
  std::size_t count = 0;
  Duration time;
};
std::vector<StepsOfNode> count_steps(const Steps& steps, std::size_t nodes);

/// Which of `values` to draw, ascending: all, where there are no more than `most`. Else the first,
/// the last and, of each of equally many in a row, the smallest and the largest; what is not a
/// number is left out then. At most `most`, or 4 where that is more.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t most);

/// The same of values that come one after another, so many of them; each stands for an item.
template <class Item>
class Thinning {
 public:
  Thinning(std::size_t count, std::size_t most)
      : count_(count),
        all_(count <= most || count < 3),
        stretches_(std::max<std::size_t>(most, 4) / 2 - 1) {}

  /// Calls `draw(place, item)` for what is drawn for sure by now, in order: each item once.
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

  /// One past its last place.
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

/// Which nodes to draw, ascending: all, where there are no more than `most`. Else every so manieth,
/// and with them the chief, the first server, the workers whose steps took least and most.
std::vector<int> shown_nodes(const Record& record, const std::vector<StepsOfNode>& steps,
                             std::size_t most);

/// The rows of one node in the order of the record; for each node one list.
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
