#include "sim/network/star.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace foretrain::sim {

StarNetwork::StarNetwork(Engine& engine, const std::vector<Nic>& hosts)
    : engine_(engine), hosts_(hosts) {
  for (const Nic& nic : hosts_) {
    FT_CHECK_OP(nic.rate.value, >, 0.0);
    FT_CHECK_OP(nic.latency.ns, >=, 0);
    capacities_.push_back(nic.rate.value);
    capacities_.push_back(nic.rate.value);
  }
}

void StarNetwork::transfer(std::size_t from, std::size_t to, Bytes size, Callback arrived) {
  FT_CHECK_OP(from, !=, to);
  FT_CHECK_OP(size.value, >, 0);
  const Instant now = engine_.now();
  settle(now);
  flows_.push_back({{2 * from, 2 * to + 1},
                    static_cast<double>(size.value),
                    0,
                    hosts_[from].latency + hosts_[to].latency,
                    arrived});
  // Shares are found once an instant, after all of its flows have begun.
  engine_.schedule(now, {this, ++generation_});
}

void StarNetwork::wake(Instant now, std::uint64_t token) {
  if (token != generation_) return;  // the shares have changed since
  settle(now);
  end_flows(now);
  share(now);
}

void StarNetwork::settle(Instant now) {
  const double passed_s = (now - settled_).seconds();
  for (Flow& flow : flows_) flow.left -= flow.rate * passed_s;
  settled_ = now;
}

void StarNetwork::end_flows(Instant now) {
  // Less than what passes in a nanosecond is nothing: completion was rounded up to one.
  const auto done = [](const Flow& flow) { return flow.left <= flow.rate * 1e-9 && flow.rate > 0; };
  for (const Flow& flow : flows_) {
    if (done(flow)) engine_.schedule(now + flow.latency, flow.arrived);
  }
  std::erase_if(flows_, done);
}

void StarNetwork::share(Instant now) {
  if (flows_.empty()) return;
  std::vector<FlowPorts> ports;
  ports.reserve(flows_.size());
  for (const Flow& flow : flows_) ports.push_back(flow.ports);
  const std::vector<double> rates = max_min_rates(capacities_, ports);
  double first_s = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < flows_.size(); ++f) {
    flows_[f].rate = rates[f];
    first_s = std::min(first_s, flows_[f].left / rates[f]);
  }
  const auto ns = static_cast<std::int64_t>(std::ceil(first_s * 1e9 - 1e-3));
  engine_.schedule(now + Duration{std::max<std::int64_t>(ns, 0)}, {this, ++generation_});
}

}  // namespace foretrain::sim
