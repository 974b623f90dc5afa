// Ranks every pair of cases, by measured rates, by predicted ones.
#include "reports/studies/validation/order.h"

#include "models/protocol/registry.h"
#include "reports/record/forecast_range.h"
#include "reports/record/statistics.h"
#include "reports/record/wrapped_text.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace foretrain {
namespace {

struct Rate {
  std::size_t place;
  const Comparison* of;
  double apart = 0;  // ForecastRange::apart
};

/// Half-width of a measured rate's uncertainty: its spread times its value.
double uncertainty(const Comparison& c) { return c.spread.value_or(0) * std::abs(c.measured); }

/// 1 if the runs of `a` are faster, -1 if those of `b` are; 0 if the difference is not significant.
int order_measured(const Comparison& a, const Comparison& b) {
  const double apart = a.measured - b.measured;
  const bool tie = std::abs(apart) <= uncertainty(a) + uncertainty(b);
  if (tie || figure(a.measured) == figure(b.measured)) return 0;
  return apart > 0 ? 1 : -1;
}

/// The same for the forecast; rates that differ by less than the share `apart` are a tie.
int order_predicted(const Comparison& a, const Comparison& b, double apart) {
  if (a.predicted > b.predicted * (1 + apart)) return 1;
  return b.predicted > a.predicted * (1 + apart) ? -1 : 0;
}

std::vector<Setting> but_for_strategy(const Case& scenario_case) {
  std::vector<Setting> settings = scenario_case.settings;
  std::erase_if(settings, [](const Setting& s) { return s.key == "training.strategy"; });
  return settings;
}

bool are_weighed(const CaseValidation& a, const CaseValidation& b) {
  const Protocol* one = find_protocol(a.strategy());
  const Protocol* other = find_protocol(b.strategy());
  if (one == nullptr || other == nullptr) return false;
  const bool these = one->weighed_against == other->name || other->weighed_against == one->name;
  return these && but_for_strategy(a.scenario_case) == but_for_strategy(b.scenario_case);
}

}  // namespace

std::optional<bool> PairOrder::kept() const {
  return ordered == tied ? std::nullopt : std::optional(inverted.empty());
}

Order order_of(const Validation& validation) {
  std::vector<Rate> rates;
  for (std::size_t i = 0; i < validation.cases.size(); ++i) {
    const CaseValidation& c = validation.cases[i];
    const Comparison* rate = c.find("gradients_per_s");
    if (rate != nullptr) rates.push_back({i, rate, forecast_range(c.simulated).apart});
  }
  Order order;
  RankAgreement agreement;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Rate faster = rates[i];
      Rate slower = rates[j];
      const int measured = order_measured(*faster.of, *slower.of);
      const int predicted =
          order_predicted(*faster.of, *slower.of, std::max(faster.apart, slower.apart));
      agreement.add(measured, predicted);
      ++order.pairs;
      if (measured == 0) continue;
      if (measured < 0) std::swap(faster, slower);
      const Inversion inversion{faster.place, slower.place,
                                faster.of->measured / slower.of->measured,
                                faster.of->predicted / slower.of->predicted};
      const auto count = [&](PairOrder& pairs) {
        ++pairs.ordered;
        if (predicted == 0) ++pairs.tied;
        if (predicted == -measured) pairs.inverted.push_back(inversion);
      };
      count(order.all);
      if (are_weighed(validation.cases[rates[i].place], validation.cases[rates[j].place])) {
        count(order.weighed);
      }
    }
  }
  order.tau = agreement.tau();
  for (PairOrder* pairs : {&order.all, &order.weighed}) {
    std::ranges::stable_sort(pairs->inverted, std::greater{},
                             [](const Inversion& pair) { return pair.measured / pair.predicted; });
  }
  return order;
}

}  // namespace foretrain
