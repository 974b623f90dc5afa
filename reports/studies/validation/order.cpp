// Compares all cases with all.
#include "reports/studies/validation/order.h"

#include "models/protocol/registry.h"
#include "reports/record/statistics.h"
#include "reports/studies/validation/verdict.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

namespace foretrain {
namespace {

struct Rate {
  std::size_t place;
  const Comparison* of;
};

/// How far apart two measurements must be for their order to mean something.
double uncertainty(const Comparison& c) { return c.spread.value_or(0) * std::abs(c.measured); }

bool told_apart(const Comparison& a, const Comparison& b) {
  return std::abs(a.measured - b.measured) > uncertainty(a) + uncertainty(b);
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
  return ordered == 0 ? std::nullopt : std::optional(inverted.empty());
}

Order order_of(const Validation& validation) {
  std::vector<Rate> rates;
  std::vector<double> measured;
  std::vector<double> predicted;
  for (std::size_t i = 0; i < validation.cases.size(); ++i) {
    const Comparison* rate = validation.cases[i].find("gradients_per_s");
    if (rate == nullptr) continue;
    rates.push_back({i, rate});
    measured.push_back(rate->measured);
    predicted.push_back(rate->predicted);
  }
  Order order;
  order.tau = kendall_tau(measured, predicted);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      Rate faster = rates[i];
      Rate slower = rates[j];
      if (!told_apart(*faster.of, *slower.of)) continue;
      if (faster.of->measured < slower.of->measured) std::swap(faster, slower);
      const bool inverted = slower.of->predicted > faster.of->predicted * (1 + kErrorBand);
      const Inversion inversion{faster.place, slower.place,
                                faster.of->measured / slower.of->measured,
                                faster.of->predicted / slower.of->predicted};
      const auto count = [&](PairOrder& pairs) {
        ++pairs.ordered;
        if (inverted) pairs.inverted.push_back(inversion);
      };
      count(order.all);
      if (are_weighed(validation.cases[i], validation.cases[j])) count(order.weighed);
    }
  }
  for (PairOrder* pairs : {&order.all, &order.weighed}) {
    std::ranges::stable_sort(pairs->inverted, std::greater{},
                             [](const Inversion& pair) { return pair.measured / pair.predicted; });
  }
  return order;
}

}  // namespace foretrain
