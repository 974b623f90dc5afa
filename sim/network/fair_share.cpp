#include "sim/network/fair_share.h"

#include "models/base/check.h"

#include <limits>

namespace foretrain::sim {

std::vector<double> max_min_rates(std::span<const double> capacities,
                                  std::span<const FlowPorts> flows) {
  std::vector<double> left(capacities.begin(), capacities.end());
  std::vector<std::size_t> waiting(capacities.size(), 0);  // flows through a port without a rate
  for (const FlowPorts& flow : flows) {
    ++waiting[flow.out];
    ++waiting[flow.in];
  }
  std::vector<double> rates(flows.size(), -1);
  for (std::size_t set = 0; set < flows.size();) {
    std::size_t tightest = 0;
    double share = std::numeric_limits<double>::infinity();
    for (std::size_t port = 0; port < left.size(); ++port) {
      if (waiting[port] == 0) continue;
      const double here = left[port] / static_cast<double>(waiting[port]);
      if (here < share) {
        share = here;
        tightest = port;
      }
    }
    FT_CHECK_OP(share, >, 0.0);
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (rates[f] >= 0 || (flows[f].out != tightest && flows[f].in != tightest)) continue;
      rates[f] = share;
      left[flows[f].out] -= share;
      left[flows[f].in] -= share;
      --waiting[flows[f].out];
      --waiting[flows[f].in];
      ++set;
    }
  }
  return rates;
}

}  // namespace foretrain::sim
