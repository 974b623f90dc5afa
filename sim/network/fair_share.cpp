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
}

void SharedPorts::add_crossing(std::span<const std::uint32_t> through) {
  first_hops.push_back(static_cast<std::uint32_t>(hops.size()));
  hops.insert(hops.end(), through.begin(), through.end());
}

std::span<const std::uint32_t> SharedPorts::hops_of(std::size_t crossing) const {
  const std::size_t begin = first_hops[crossing];
  const std::size_t end = crossing + 1 < first_hops.size() ? first_hops[crossing + 1] : hops.size();
  return std::span(hops).subspan(begin, end - begin);
}

void FairShareSolver::solve(const SharedPorts& shared, FairShares& shares) {
  const std::size_t ports = shared.ports.size();
  shares.levels.assign(ports, std::numeric_limits<double>::infinity());
  shares.holders.assign(shared.crossing(), kNone);
  left_.resize(ports);
  waiting_.resize(ports);
  first_.assign(ports + 1, 0);
  for (const std::uint32_t port : shared.hops) ++first_[port + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  next_.assign(first_.begin(), first_.end());
  flows_.resize(shared.hops.size());
  for (std::uint32_t flow = 0; flow < shared.crossing(); ++flow) {
    for (const std::uint32_t port : shared.hops_of(flow)) flows_[next_[port]++] = flow;
  }
  heap_.clear();
  const auto worse = [](const Candidate& a, const Candidate& b) {
    return a.share != b.share ? a.share > b.share : a.port > b.port;
  };
  for (std::uint32_t port = 0; port < ports; ++port) {
    left_[port] = shared.ports[port].capacity;
    waiting_[port] = shared.ports[port].alone + (first_[port + 1] - first_[port]);
    if (waiting_[port] > 0) {
      heap_.push_back({left_[port] / static_cast<double>(waiting_[port]), port});
    }
  }
  std::ranges::make_heap(heap_, worse);
  while (!heap_.empty()) {
    std::ranges::pop_heap(heap_, worse);
    const Candidate least = heap_.back();
    heap_.pop_back();
    const std::uint32_t port = least.port;
    if (waiting_[port] == 0) continue;
    const double share = left_[port] / static_cast<double>(waiting_[port]);
    if (share > least.share) {
      heap_.push_back({share, port});
      std::ranges::push_heap(heap_, worse);
      continue;
    }
    FT_CHECK_OP(share, >, 0.0);
    shares.levels[port] = share;
    waiting_[port] = 0;
    for (std::size_t i = first_[port]; i < first_[port + 1]; ++i) {
      const std::uint32_t flow = flows_[i];
      if (shares.holders[flow] != kNone) continue;
      shares.holders[flow] = port;
      for (const std::uint32_t other : shared.hops_of(flow)) {
        if (other == port) continue;
        left_[other] -= share;
        --waiting_[other];
      }
    }
  }
}

}  // namespace foretrain::sim
