#include "sim/network/fair_share.h"

#include "models/base/check.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace foretrain::sim {
namespace {
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
}  // namespace

void SharedPorts::clear() {
  ports.clear();
  hops.clear();
  first_hops.clear();
  sizes.clear();
}

void SharedPorts::add_bundle(std::span<const std::uint32_t> through, std::size_t flows) {
  first_hops.push_back(static_cast<std::uint32_t>(hops.size()));
  hops.insert(hops.end(), through.begin(), through.end());
  sizes.push_back(flows);
}

std::span<const std::uint32_t> SharedPorts::hops_of(std::size_t flow_class) const {
  const std::size_t begin = first_hops[flow_class];
  const std::size_t end =
      flow_class + 1 < first_hops.size() ? first_hops[flow_class + 1] : hops.size();
  return std::span(hops).subspan(begin, end - begin);
}

void FairShareSolver::solve(const SharedPorts& shared, FairShares& shares) {
  const std::size_t ports = shared.ports.size();
  shares.fair_rates.assign(ports, std::numeric_limits<double>::infinity());
  shares.bottlenecks.assign(shared.flow_classes(), kNone);
  left_.resize(ports);
  first_.assign(ports + 1, 0);
  for (const std::uint32_t port : shared.hops) ++first_[port + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end());
  flow_classes_.resize(shared.hops.size());
  waiting_.resize(ports);
  for (std::size_t port = 0; port < ports; ++port) waiting_[port] = shared.ports[port].alone;
  for (std::uint32_t flow_class = 0; flow_class < shared.flow_classes(); ++flow_class) {
    for (const std::uint32_t port : shared.hops_of(flow_class)) {
      flow_classes_[next_[port]++] = flow_class;
      waiting_[port] += shared.sizes[flow_class];
    }
  }
  heap_.clear();
  const auto share_of = [&](std::uint32_t port) {
    const double given = shared.ports[port].fair_rate;
    return given > 0 ? given : left_[port] / static_cast<double>(waiting_[port]);
  };
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.share != b.share ? a.share > b.share : a.port > b.port;
  };
  for (std::uint32_t port = 0; port < ports; ++port) {
    left_[port] = shared.ports[port].capacity;
    if (waiting_[port] > 0) heap_.push_back({share_of(port), port});
  }
  std::ranges::make_heap(heap_, worse);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, worse);
    const Candidate least = heap_.back();
    heap_.pop_back();
    const std::uint32_t port = least.port;
    if (waiting_[port] == 0) continue;
    const double share = share_of(port);
    if (share > least.share) {
      heap_.push_back({share, port});
      std::ranges::push_heap(heap_, worse);
      continue;
    }
    FT_CHECK_OP(share, >, 0.0);
    shares.fair_rates[port] = share;
    waiting_[port] = 0;
    for (std::size_t i = first_[port]; i < first_[port + 1]; ++i) {
      const std::uint32_t flow_class = flow_classes_[i];
      if (shares.bottlenecks[flow_class] != kNone) continue;
      shares.bottlenecks[flow_class] = port;
      const std::size_t flows = shared.sizes[flow_class];
      for (const std::uint32_t other : shared.hops_of(flow_class)) {
        if (other == port) continue;
        left_[other] -= share * static_cast<double>(flows);
        waiting_[other] -= flows;
      }
    }
  }
}

}  // namespace foretrain::sim
