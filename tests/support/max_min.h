// Max-min fair rates by the simplest algorithm, as a reference for the simulator.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace foretrain::testing {

/// The rate of every flow, given the ports on its path. All rates grow equally from zero; a flow
/// stops growing if a port on its path is full.
inline std::vector<double> max_min_rates(const std::vector<double>& capacities,
                                         const std::vector<std::vector<std::size_t>>& paths) {
  std::vector<double> rates(paths.size(), 0);
  std::vector<bool> grows(paths.size(), true);
  for (;;) {
    double step = std::numeric_limits<double>::infinity();
    std::size_t full = capacities.size();
    for (std::size_t port = 0; port < capacities.size(); ++port) {
      double left = capacities[port];
      double growing = 0;
      for (std::size_t f = 0; f < paths.size(); ++f) {
        for (const std::size_t hop : paths[f]) {
          if (hop != port) continue;
          left -= rates[f];
          growing += grows[f] ? 1 : 0;
        }
      }
      if (growing > 0 && left / growing < step) {
        step = left / growing;
        full = port;
      }
    }
    if (full == capacities.size()) return rates;
    for (std::size_t f = 0; f < paths.size(); ++f) rates[f] += grows[f] ? step : 0;
    for (std::size_t f = 0; f < paths.size(); ++f) {
      for (const std::size_t hop : paths[f]) grows[f] = grows[f] && hop != full;
    }
  }
}

}  // namespace foretrain::testing
