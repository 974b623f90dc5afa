// Whether the forecast ranks the cases by gradients a second as the runs do.
#pragma once

#include "reports/studies/validation/validation.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace foretrain {

/// Two cases in the wrong order: the runs of `faster` were faster, the forecast says `slower`.
struct Inversion {
  std::size_t faster = 0;  ///< places among the cases
  std::size_t slower = 0;
  double measured = 0;   ///< gradients/s of `faster` over those of `slower`; above 1
  double predicted = 0;  ///< the same of the forecast; below 1
};

/// How many pairs of some kind there are that have an order, with those that lost it.
///
/// A pair has an order where the runs tell the two apart by more than both spreads together, and
/// more than the last digit that is told: else it is a tie. It is inverted where the forecast tells
/// them apart the other way by more than its error; within that the forecast ties them.
struct PairOrder {
  int ordered = 0;
  int tied = 0;                     ///< of those, by the forecast
  std::vector<Inversion> inverted;  ///< the one that is furthest off first

  /// Empty where no pair has an order by both.
  [[nodiscard]] std::optional<bool> kept() const;
};

struct Order {
  std::optional<double> tau;  ///< Kendall's tau-b (RankAgreement) over all cases, ties as above
  int pairs = 0;              ///< of cases whose rate is known
  PairOrder all;
  PairOrder weighed;  ///< of `all`, strategies that are weighed against each other, all else equal
};

Order order_of(const Validation& validation);

}  // namespace foretrain
