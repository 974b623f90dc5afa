// Whether the forecast ranks the cases by gradients a second as the runs do.
#pragma once

#include "reports/studies/validation/validation.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace foretrain {

/// Two cases in the wrong order: `faster` was faster in the runs, `slower` is in the forecast.
struct Inversion {
  std::size_t faster = 0;  ///< indices of the cases
  std::size_t slower = 0;
  double measured = 0;   ///< gradients/s of `faster` over those of `slower`; above 1
  double predicted = 0;  ///< the same ratio in the forecast; below 1
};

/// Counts the pairs of cases that have an order; lists those that the forecast inverts.
///
/// A pair has an order if the rates of its runs differ by more than both spreads together and by
/// more than the last printed digit; else it is a tie of the runs. The forecast inverts the pair if
/// it differs the other way by more than its error; a difference within that error is its tie.
struct PairOrder {
  int ordered = 0;
  int tied = 0;                     ///< how many of `ordered` are ties of the forecast
  std::vector<Inversion> inverted;  ///< largest deviation first

  /// Whether no pair is inverted; empty if no pair has an order in both runs and forecast.
  [[nodiscard]] std::optional<bool> kept() const;
};

struct Order {
  std::optional<double> tau;  ///< Kendall's tau-b (RankAgreement) over all cases, ties as above
  int pairs = 0;              ///< pairs of cases with known rates
  PairOrder all;
  PairOrder weighed;  ///< pairs with equal settings whose strategies are weighed_against each other
};

Order order_of(const Validation& validation);

}  // namespace foretrain
