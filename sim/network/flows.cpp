#include "sim/network/flows.h"

#include "models/base/check.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace foretrain::sim {
namespace {
// An event's token: a port with the number of its plan, or this one to solve the equations.
constexpr std::uint64_t kSolve = ~std::uint64_t{0};

Instant after(Instant now, double seconds) {
  // Rounded up to a nanosecond, except for rounding errors of the arithmetic.
  const double ns = std::min(std::ceil(seconds * 1e9 - 1e-3), 4e18);
  return now + Duration{static_cast<std::int64_t>(std::max(ns, 0.0))};
}
}  // namespace

FlowNetwork::FlowNetwork(Engine& engine, std::span<const PortSpec> ports) : engine_(engine) {
  ports_.reserve(ports.size());
  for (const PortSpec& spec : ports) add_port(spec);
}

FlowNetwork::PortId FlowNetwork::add_port(const PortSpec& spec) {
  FT_CHECK_OP(spec.rate, >, 0.0);
  FT_CHECK_OP(spec.burst, >=, 0.0);
  Port& port = ports_.emplace_back();
  port.spec = spec;
  port.full_rate = spec.rate;
  port.tokens = spec.burst;
  port.capacity = spec.burst > 0 ? port.burst_rate() : spec.rate;
  flow_classes_.add_port();
  return static_cast<PortId>(ports_.size() - 1);
}

double FlowNetwork::rate(FlowId flow) const {
  const PortId bottleneck = flows_[flow].bottleneck;
  return bottleneck == kNone ? 0 : ports_[bottleneck].fair_rate;
}

double FlowNetwork::left(FlowId flow) const {
  const Flow& asked = flows_[flow];
  if (asked.bottleneck == kNone) return asked.left;
  const Port& bottleneck = ports_[asked.bottleneck];
  const double served =
      bottleneck.served + bottleneck.fair_rate * (engine_.now() - bottleneck.advanced_to).seconds();
  return std::max(0.0, asked.end - served);
}

double FlowNetwork::load(PortId port) const {
  const Port& at = ports_[port];
  double sum = 0;
  for (const FlowId flow : at.listed) {
    if (flow != kNone) sum += rate(flow);
  }
  for (const auto& [kind, id] : flow_classes_.at(port)) {
    const FlowClasses::FlowClass& flow_class = flow_classes_[id];
    if (flow_class.mixed || flow_class.bottleneck == kNone) {
      for (const FlowId flow : flow_class.flows) sum += rate(flow);
    } else {
      sum += static_cast<double>(flow_class.flows.size()) * ports_[flow_class.bottleneck].fair_rate;
    }
  }
  // Flows outside bundles have no other active port, so they run at this port's level.
  if (at.active) sum += (at.count - flow_classes_.flows_at(port)) * at.fair_rate;
  return sum;
}

FlowNetwork::FlowId FlowNetwork::begin(std::span<const PortId> path, double bytes, Callback moved) {
  FT_CHECK(!path.empty());
  FT_CHECK_OP(bytes, >, 0.0);
  auto id = static_cast<FlowId>(flows_.size());
  if (free_.empty()) {
    flows_.emplace_back();
  } else {
    id = free_.back();
    free_.pop_back();
    if (free_.size() > kFetchedAhead) fetch(flows_[free_[free_.size() - 1 - kFetchedAhead]]);
  }
  Flow& flow = flows_[id];
  flow.moved = moved;
  flow.left = bytes;
  flow.order = begun_++;
  flow.active = 0;
  flow.hops.clear();
  PortId home = path[0];
  for (const PortId number : path) {
    Port& port = ports_[number];
    flow.hops.push_back({number, kNone});
    ++port.count;
    if (port.active) ++flow.active;
    if (port.idle_share() <= ports_[home].idle_share()) home = number;
  }
  for (Hop& hop : flow.hops) {
    Port& port = ports_[hop.port];
    if (port.active) {
      mark_dirty(hop.port);
      continue;
    }
    list(id, hop);
    if (hop.port != home && port.count > 1) {
      touched_.push_back(hop.port);
    }
  }
  for (const Hop& hop : flow.hops) {
    Port& port = ports_[hop.port];
    if (port.active) continue;
    if (port.spec.burst > 0) port.advance_to(engine_.now());
    if (hop.port == home || (port.spec.burst > 0 && port.lacks_tokens())) activate(hop.port);
  }
  if (flow.active > 1 && !flow_classes_.contains(id)) flow_class(id);
  fresh_.push_back(id);
  request();
  return id;
}

void FlowNetwork::extend(FlowId id, double bytes, Callback moved) {
  Flow& flow = flows_[id];
  FT_CHECK(flow.drained);
  FT_CHECK_OP(bytes, >, 0.0);
  Port& port = ports_[flow.bottleneck];
  flow.drained = false;
  flow.moved = moved;
  flow.end += bytes;  // counted from its planned end, exact to the fraction of a nanosecond
  ++port.bottlenecked;
  port.ends.push({flow.end, flow.order, id, flow.epoch});
}

void FlowNetwork::break_off(FlowId id) {
  FT_CHECK(!flows_[id].drained);
  if (flows_[id].bottleneck == kNone) {
    std::erase(fresh_, id);
  } else {
    release(id, engine_.now());
  }
  remove(id);
}

void FlowNetwork::set_rate_factor(PortId number, double rate_factor) {
  FT_CHECK_OP(rate_factor, >, 0.0);
  Port& port = ports_[number];
  port.advance_to(engine_.now());
  port.rate_factor = rate_factor;
  port.spec.rate = port.full_rate * rate_factor;
  port.capacity = port.spec.burst > 0 && port.tokens >= 1 ? port.burst_rate() : port.spec.rate;
  if (port.active) {
    mark_dirty(number);
  } else if (port.count > 0) {
    activate(number);
  }
}

void FlowNetwork::request() {
  if (requested_) return;
  requested_ = true;
  // Runs after everything else that begins or ends in this instant.
  engine_.schedule(engine_.now(), {this, kSolve});
}

void FlowNetwork::wake(Instant now, std::uint64_t token) {
  if (token == kSolve) return solve(now);
  const auto number = static_cast<PortId>(token);
  Port& port = ports_[number];
  if (port.plan != token >> 32) return;  // a later plan has replaced it
  port.planned = Port::kNever;
  port.advance_to(now);
  if (port.spec.burst > 0 && port.tokens < 1 && port.capacity > port.spec.rate) mark_dirty(number);
  end_flows(number, now);
  if (!ports_[number].dirty) plan(number, now);
}

void FlowNetwork::end_flows(PortId number, Instant now) {
  // Its event was rounded up to a nanosecond, so the end may lie up to one ahead.
  const auto is_over = [](const Port& port) {
    return port.ends.front().end - port.served <= port.fair_rate * 1e-9;
  };
  std::vector<FlowId> ended = std::move(ended_);
  ended.clear();
  for (Port& port = ports_[number]; !port.ends.empty();) {
    const Port::Bottlenecked first = port.ends.front();
    // If there are as many entries as held flows, none is stale.
    const bool counts =
        port.ends.size() == port.bottlenecked || flows_[first.flow].epoch == first.epoch;
    if (counts && !is_over(port)) break;
    port.ends.pop_front();
    if (!counts) continue;
    --port.bottlenecked;
    flows_[first.flow].drained = true;
    ended.push_back(first.flow);
  }
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const FlowId flow = ended[i];
    look_ahead(std::span(ended).subspan(i));
    const Callback moved = flows_[flow].moved;
    moved.actor->wake(now, moved.token);
    if (flows_[flow].drained) remove(flow);
  }
  ended_ = std::move(ended);
}

// Prefetches for a loop that visits the flows in this order.
void FlowNetwork::look_ahead(std::span<const FlowId> flows) const {
  if (flows.size() > 2 * kFetchedAhead) fetch(flows_[flows[2 * kFetchedAhead]]);
  if (flows.size() <= kFetchedAhead) return;
  const Flow& near = flows_[flows[kFetchedAhead]];
  near.moved.actor->expect(near.moved.token);
  for (const Hop& hop : near.hops) fetch(ports_[hop.port].spec);  // its first cache line
}

// Removes a flow from its path.
void FlowNetwork::remove(FlowId id) {
  Flow& flow = flows_[id];
  if (flow.active > 1) flow_classes_.leave(id);
  for (Hop& hop : flow.hops) {
    Port& port = ports_[hop.port];
    if (hop.place != kNone) unlist(hop);
    --port.count;
    if (!port.active) continue;
    if (port.count == 0) {
      deactivate(hop.port);
    } else {
      mark_dirty(hop.port);
    }
  }
  ++flow.epoch;
  flow.bottleneck = kNone;
  flow.drained = false;
  free_.push_back(id);
}

// Ports ----------------------------------------------------------------------------------------

// Whether an active port without held flows, so that all of its flows are crossing, may be idle.
bool FlowNetwork::is_slack(PortId number) const {
  const double share = ports_[number].idle_share() * kRounding;
  return std::ranges::all_of(flow_classes_.at(number), [&](const FlowClasses::Listed& listed) {
    const FlowClasses::FlowClass& flow_class = flow_classes_[listed.flow_class];
    if (!flow_class.mixed) return ports_[flow_class.bottleneck].fair_rate <= share;
    return std::ranges::all_of(flow_class.flows, [&](FlowId flow) { return rate(flow) <= share; });
  });
}

// Puts a flow into a bundle. It is new, or its set of active ports has changed.
void FlowNetwork::flow_class(FlowId flow) {
  const Flow& joining = flows_[flow];
  if (joining.active < 2) return;
  boost::container::small_vector<PortId, 4> active;
  for (const Hop& hop : joining.hops) {
    if (ports_[hop.port].active) active.push_back(hop.port);
  }
  FlowClasses::FlowClass& joined = flow_classes_.join(flow, {active.data(), active.size()});
  if (joined.flows.size() == 1) joined.bottleneck = joining.bottleneck;
  if (joining.bottleneck != kNone && joining.bottleneck != joined.bottleneck) joined.mixed = true;
}

void FlowNetwork::activate(PortId number) {
  Port& port = ports_[number];
  port.advance_to(engine_.now());
  port.active = true;
  while (!port.listed.empty()) {
    const FlowId id = port.listed.back();
    Flow& flow = flows_[id];
    flow_classes_.leave(id);
    ++flow.active;
    for (Hop& hop : flow.hops) {
      if (hop.port == number) unlist(hop);
    }
    flow_class(id);
  }
  mark_dirty(number);
}

void FlowNetwork::deactivate(PortId number) {
  Port& port = ports_[number];
  FT_CHECK_OP(flow_classes_.flows_at(number), ==, port.count);
  port.active = false;
  port.promised = port.count;
  while (!flow_classes_.at(number).empty()) {
    const FlowId id = flow_classes_[flow_classes_.at(number).back().flow_class].flows.back();
    Flow& flow = flows_[id];
    flow_classes_.leave(id);
    --flow.active;
    for (Hop& hop : flow.hops) {
      if (hop.port == number) list(id, hop);
    }
    flow_class(id);
    Port& bottleneck = ports_[flow.bottleneck];
    bottleneck.bound = std::min(bottleneck.bound, port.idle_share());
  }
  if (port.spec.burst > 0) port.advance_to(engine_.now());
  port.dirty = false;
  port.load = 0;
  port.fair_rate = 0;
  port.served = 0;
  port.bound = std::numeric_limits<double>::infinity();
  port.ends.clear();
  port.planned = Port::kNever;
  ++port.plan;
}

void FlowNetwork::list(FlowId flow, Hop& hop) {
  Port& port = ports_[hop.port];
  if (port.listed.size() > 2 * std::size_t{port.count} + kGaps) close_gaps(hop.port);
  hop.place = static_cast<std::uint32_t>(port.listed.size());
  port.listed.push_back(flow);
}

// Leaves a gap, so that no other flow, which would lie anywhere in memory, is touched.
void FlowNetwork::unlist(Hop& hop) {
  auto& listed = ports_[hop.port].listed;
  listed[std::exchange(hop.place, kNone)] = kNone;
  while (!listed.empty() && listed.back() == kNone) listed.pop_back();
}

void FlowNetwork::close_gaps(PortId number) {
  auto& listed = ports_[number].listed;
  std::erase(listed, kNone);
  for (std::uint32_t place = 0; place < listed.size(); ++place) {
    for (Hop& hop : flows_[listed[place]].hops) {
      if (hop.port == number) hop.place = place;
    }
  }
}

void FlowNetwork::mark_dirty(PortId number) {
  if (ports_[number].dirty) return;
  ports_[number].dirty = true;
  dirty_.push_back(number);
  request();
}

void FlowNetwork::mark_changed(PortId number) {
  if (ports_[number].changed) return;
  ports_[number].changed = true;
  changed_.push_back(number);
}

void FlowNetwork::hold(FlowId id, PortId number, Instant now) {
  Flow& flow = flows_[id];
  Port& port = ports_[number];
  port.advance_to(now);
  flow.bottleneck = number;
  flow.end = port.served + flow.left;
  ++port.bottlenecked;
  port.ends.push({flow.end, flow.order, id, flow.epoch});
  for (const Hop& hop : flow.hops) {
    const Port& other = ports_[hop.port];
    if (!other.active) port.bound = std::min(port.bound, other.promised_share());
  }
  mark_changed(number);
  if (watcher_ != nullptr) watcher_->bottlenecked(id, number, now);
}

void FlowNetwork::release(FlowId id, Instant now) {
  Flow& flow = flows_[id];
  Port& port = ports_[flow.bottleneck];
  port.advance_to(now);
  flow.left = flow.end - port.served;
  flow.bottleneck = kNone;
  ++flow.epoch;  // invalidates its entry among the ends
  --port.bottlenecked;
}

// Schedules the end of the first flow that the port holds, or the instant at which its bucket is
// empty. An event that comes too early does nothing, so flows that join cost no event.
void FlowNetwork::plan(PortId number, Instant now) {
  Port& port = ports_[number];
  while (!port.ends.empty() && flows_[port.ends.front().flow].epoch != port.ends.front().epoch) {
    port.ends.pop_front();
  }
  Instant at = Port::kNever;
  if (!port.ends.empty()) at = after(now, (port.ends.front().end - port.served) / port.fair_rate);
  if (port.load > port.spec.rate * kRounding && port.capacity > port.spec.rate) {
    at = std::min(at, after(now, port.tokens / (port.load - port.spec.rate)));
  }
  if (at == Port::kNever || port.planned <= at) return;
  port.planned = at;
  ++port.plan;
  engine_.schedule(at, {this, (static_cast<std::uint64_t>(port.plan) << 32) | number});
}

}  // namespace foretrain::sim
