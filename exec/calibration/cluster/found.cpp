#include "exec/calibration/cluster/found.h"

#include "models/base/ethernet.h"
#include "reports/record/statistics.h"
#include "scenarios/language/units.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace foretrain::exec {
namespace {

// Bytes on the wire, and counted bytes, per payload byte of a full packet.
constexpr double kOnWire = static_cast<double>(ethernet::kOnWire) / ethernet::kSegment;
constexpr double kCountedPart = static_cast<double>(ethernet::kCounted) / ethernet::kSegment;
constexpr double kOneCarriesAll = 0.9;
constexpr int kAgreements = 50;  // iterations for consistent latencies

// Four digits: the measurements are not more precise.
double rough(double value) {
  if (value <= 0) return 0;
  const double unit = std::pow(10, std::floor(std::log10(value)) - 3);
  return std::round(value / unit) * unit;
}
BytesPerSecond rough(BytesPerSecond rate) { return {std::round(rough(rate.value * 8)) / 8}; }
Duration rough(Duration time) {
  return {std::llround(rough(static_cast<double>(std::max<std::int64_t>(0, time.ns))))};
}

bool alike(double a, double b) { return std::abs(a - b) <= kAlike * std::max(a, b); }

bool alike_latency(double a_s, double b_s) {
  return alike(a_s, b_s) || std::abs(a_s - b_s) <= kAlikeLatency.seconds();
}

// Moves each latency halfway to the median that its pairs leave for it, repeatedly.
std::vector<double> latencies_of(const ClusterFound& found) {
  const auto way_s = [](const PairFound& pair) { return pair.round_trip.seconds() / 2; };
  std::vector<double> latencies(found.hosts.size(), 0);
  for (std::size_t host = 0; host < latencies.size(); ++host) {
    std::vector<double> halves;
    for (const PairFound& pair : found.pairs) {
      if (pair.from == host || pair.to == host) halves.push_back(way_s(pair) / 2);
    }
    latencies[host] = median(std::move(halves)).value_or(0);
  }
  for (int round = 0; round < kAgreements; ++round) {
    const std::vector<double> before = latencies;
    for (std::size_t host = 0; host < latencies.size(); ++host) {
      std::vector<double> left;
      for (const PairFound& pair : found.pairs) {
        if (pair.from != host && pair.to != host) continue;
        left.push_back(way_s(pair) - before[pair.from == host ? pair.to : pair.from]);
      }
      const auto rest = median(std::move(left));
      if (rest) latencies[host] = std::max(0.0, (before[host] + *rest) / 2);
    }
  }
  return latencies;
}

using Figures = std::vector<std::pair<std::string, double>>;

// By model: the time of a gradient at the middle one of the measured batch sizes.
Figures gradients_of(const Machine& machine) {
  Figures figures;
  figures.reserve(machine.models.size());
  for (const auto& [model, cost] : machine.models) {
    figures.emplace_back(model, cost.gradient_of(std::max(1, cost.checked_batch)).seconds());
  }
  return figures;
}

// Differences of host b from host a, by name; empty if they are alike.
std::vector<std::string> differences(const ClusterFound& found, const std::vector<Wire>& wires,
                                     std::size_t a, std::size_t b) {
  std::vector<std::string> names;
  const Figures ours = gradients_of(found.hosts[a].machine);
  const Figures theirs = gradients_of(found.hosts[b].machine);
  for (std::size_t i = 0; i < std::min(ours.size(), theirs.size()); ++i) {
    const double one_s = ours[i].second;
    const double other_s = theirs[i].second;
    if (alike(one_s, other_s)) continue;
    names.push_back(
        fmt::format("gradients of {} take {:.2f} times as long", ours[i].first, other_s / one_s));
  }
  const Wire& here = wires[a];
  const Wire& there = wires[b];
  if (!alike(here.nic.value, there.nic.value)) {
    names.push_back(
        fmt::format("its nic has {:.2f} times the rate", there.nic.value / here.nic.value));
  }
  if (!alike(here.flow_rate.value, there.flow_rate.value)) {
    names.emplace_back("one connection has another rate");
  }
  if (!alike_latency(here.latency.seconds(), there.latency.seconds())) {
    names.push_back(fmt::format("its latency is {}, not {}", to_text(rough(there.latency)),
                                to_text(rough(here.latency))));
  }
  return names;
}

bool one_design(const HostFound& a, const HostFound& b) {
  return a.processor == b.processor && a.machine.kernel_set == b.machine.kernel_set;
}

// `AMD EPYC 7B13 64-Core Processor @ 2.2 GHz` as amd-epyc-7b13-64-core-processor.
std::string file_name_of(const Processor& processor) {
  std::string name;
  std::string text = processor.name.substr(0, processor.name.find('@'));
  for (const std::string_view mark : {"(R)", "(TM)", "(r)", "(tm)"}) {
    for (std::size_t at = 0; (at = text.find(mark)) != std::string::npos;) {
      text.erase(at, mark.size());
    }
  }
  for (const char each : text) {
    const auto c = static_cast<unsigned char>(each);
    if (std::isalnum(c) != 0) {
      name += static_cast<char>(std::tolower(c));
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "host" : name;
}

// The host with the median gradient time, over all models together.
std::size_t typical_of(const ClusterFound& found, const std::vector<std::size_t>& hosts) {
  std::vector<std::pair<double, std::size_t>> by_time;
  by_time.reserve(hosts.size());
  for (const std::size_t host : hosts) {
    double product = 0;
    for (const auto& [model, seconds] : gradients_of(found.hosts[host].machine)) {
      product += std::log(std::max(seconds, 1e-12));
    }
    by_time.emplace_back(product, host);
  }
  std::ranges::sort(by_time);
  return by_time[by_time.size() / 2].second;
}

Wire median_wire(const std::vector<Wire>& wires, const std::vector<std::size_t>& hosts) {
  const auto middle = [&](auto figure) {
    std::vector<double> values;
    values.reserve(hosts.size());
    for (const std::size_t host : hosts) values.push_back(figure(wires[host]));
    return median(std::move(values)).value_or(0);
  };
  return {rough(BytesPerSecond{middle([](const Wire& wire) { return wire.nic.value; })}),
          rough(BytesPerSecond{middle([](const Wire& wire) { return wire.flow_rate.value; })}),
          rough(Duration::from_seconds(
              middle([](const Wire& wire) { return wire.latency.seconds(); })))};
}

}  // namespace

std::vector<PairFound> pairs_among(std::size_t hosts) {
  std::vector<PairFound> pairs;
  for (std::size_t step = 1; step < hosts; step = hosts <= kAllPairs ? step + 1 : 2 * step) {
    for (std::size_t from = 0; from < hosts; ++from) {
      PairFound pair;
      pair.from = from;
      pair.to = (from + step) % hosts;
      pairs.push_back(pair);
    }
  }
  return pairs;
}

double PairFound::most() const { return *std::ranges::max_element(bytes_ps); }

std::vector<Wire> wires_of(const ClusterFound& found) {
  const std::vector<double> latencies = latencies_of(found);
  std::vector<Wire> wires(found.hosts.size());
  for (std::size_t host = 0; host < wires.size(); ++host) {
    double several = 0;
    double one = 0;
    for (const PairFound& pair : found.pairs) {
      if (pair.from != host && pair.to != host) continue;
      several = std::max(several, pair.most());
      one = std::max(one, pair.bytes_ps.front());
    }
    wires[host].nic = {several * kOnWire};
    if (one < kOneCarriesAll * several) wires[host].flow_rate = {one * kCountedPart};
    wires[host].latency = Duration::from_seconds(latencies[host]);
  }
  return wires;
}

std::vector<Kind> kinds_of(const ClusterFound& found, const std::vector<Wire>& wires) {
  std::vector<Kind> kinds;
  std::set<std::string> names;
  for (std::size_t host = 0; host < found.hosts.size(); ++host) {
    Kind* alike_one = nullptr;
    const Kind* first = nullptr;  // with the same processor
    for (Kind& kind : kinds) {
      const std::size_t other = kind.hosts.front();
      if (alike_one != nullptr || !one_design(found.hosts[other], found.hosts[host])) continue;
      if (first == nullptr) first = &kind;
      if (differences(found, wires, other, host).empty()) alike_one = &kind;
    }
    if (alike_one != nullptr) {
      alike_one->hosts.push_back(host);
      continue;
    }
    Kind fresh;
    fresh.hosts = {host};
    const std::string name = file_name_of(found.hosts[host].processor);
    fresh.name = name;
    for (int n = 2; !names.insert(fresh.name).second; ++n)
      fresh.name = fmt::format("{}-{}", name, n);
    if (first != nullptr) {
      fresh.differs =
          fmt::format("{}", fmt::join(differences(found, wires, first->hosts.front(), host), ", "));
    }
    kinds.push_back(std::move(fresh));
  }
  for (Kind& kind : kinds) {
    kind.typical = typical_of(found, kind.hosts);
    kind.wire = median_wire(wires, kind.hosts);
  }
  return kinds;
}

std::vector<std::string> slow_pairs(const ClusterFound& found, const std::vector<Wire>& wires) {
  std::vector<std::string> slow;
  for (const PairFound& pair : found.pairs) {
    const Wire& from = wires[pair.from];
    const Wire& to = wires[pair.to];
    const double rate = pair.most() * kOnWire;
    const double wanted = std::min(from.nic.value, to.nic.value);
    std::string what;
    if (rate < (1 - kAlike) * wanted) {
      what = fmt::format("{} of {}", to_text(rough(BytesPerSecond{rate})),
                         to_text(rough(BytesPerSecond{wanted})));
    }
    const Duration way = Duration::from_seconds(pair.round_trip.seconds() / 2);
    const Duration usual = from.latency + to.latency;
    if (way > usual && !alike_latency(way.seconds(), usual.seconds())) {
      what += fmt::format("{}{} one way, not {}", what.empty() ? "" : ", ", to_text(rough(way)),
                          to_text(rough(usual)));
    }
    if (what.empty()) continue;
    slow.push_back(
        fmt::format("{} to {}: {}", found.hosts[pair.from].name, found.hosts[pair.to].name, what));
  }
  return slow;
}

double ring_share(const ClusterFound& found) {
  const std::size_t count = found.ring.size();
  std::optional<double> least;
  for (std::size_t host = 0; host < count; ++host) {
    const auto pair = std::ranges::find_if(found.pairs, [&](const PairFound& each) {
      return each.to == host && (each.from + 1) % count == host;
    });
    if (pair == found.pairs.end() || pair->most() <= 0) continue;
    least = std::min(least.value_or(1), found.ring[host] / pair->most());
  }
  return least.value_or(0);
}

}  // namespace foretrain::exec
