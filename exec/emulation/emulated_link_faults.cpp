#include "exec/emulation/emulated_link_faults.h"

#include "scenarios/resolve/faults.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace foretrain::exec {
using Clock = std::chrono::steady_clock;

LinkFaults::LinkFaults(boost::asio::io_context& loop, const Scenario& scenario,
                       std::vector<std::size_t> hosts, Hosts& network, Instant begins,
                       std::function<void(const std::string& why)> failed)
    : scenario_(scenario),
      hosts_(std::move(hosts)),
      network_(network),
      begins_(begins),
      failed_(std::move(failed)),
      timer_(loop) {
  for (std::size_t i = 0; i < scenario.faults.size(); ++i) {
    const FaultSpec& fault = scenario.faults[i];
    if (fault.cut.empty() && fault.slow.empty()) continue;
    if (Instant{} + fault.at < begins) continue;
    events_.push_back({fault.at, i, true});
    events_.push_back({fault.at + fault.lasting, i, false});
  }
  std::ranges::stable_sort(events_, {}, &Event::at);
  std::ranges::reverse(events_);
}

void LinkFaults::start() {
  start_ = Clock::now() - std::chrono::nanoseconds(begins_.ns);
  wait();
}

void LinkFaults::end() {
  events_.clear();
  timer_.cancel();
  try {
    heal();
  } catch (const std::exception& wrong) {
    failed_(wrong.what());
  }
}

void LinkFaults::heal() {
  for (const auto& [way, faults] : std::exchange(cuts_, {})) {
    if (faults > 0) network_.set_cut(way.first, way.second, false);
  }
  for (const auto& [host, shares] : std::exchange(shares_, {})) {
    if (!shares.empty()) network_.set_pace(host, 1);
  }
}

void LinkFaults::wait() {
  if (events_.empty()) return;
  timer_.expires_at(start_ + std::chrono::nanoseconds(events_.back().at.ns));
  timer_.async_wait([this](boost::system::error_code error) {
    if (error || events_.empty()) return;
    const Event event = events_.back();
    events_.pop_back();
    try {
      act(event);
    } catch (const std::exception& wrong) {
      return failed_(wrong.what());
    }
    wait();
  });
}

void LinkFaults::act(const Event& event) {
  const FaultSpec& fault = scenario_.faults[event.fault];
  if (!fault.slow.empty()) {
    const std::size_t host = host_of(fault.slow);
    std::vector<double>& shares = shares_[host];
    if (event.begins) {
      shares.push_back(fault.to);
    } else {
      shares.erase(std::ranges::find(shares, fault.to));
    }
    return pace(host);
  }
  const auto way = [&](std::size_t from, std::size_t to) {
    int& faults = cuts_[{host_of(fault.cut[from]), host_of(fault.cut[to])}];
    const bool was_cut = faults > 0;
    faults += event.begins ? 1 : -1;
    if (was_cut == (faults > 0)) return;
    network_.set_cut(host_of(fault.cut[from]), host_of(fault.cut[to]), faults > 0);
  };
  way(0, 1);
  if (!fault.one_way) way(1, 0);
}

// If several faults overlap, the rate is the product of their shares.
void LinkFaults::pace(std::size_t host) {
  double share = 1;
  for (const double each : shares_[host]) share *= each;
  network_.set_pace(host, share);
}

std::size_t LinkFaults::host_of(const std::string& node) const {
  return hosts_[static_cast<std::size_t>(*node_called(scenario_, node))];
}

}  // namespace foretrain::exec
