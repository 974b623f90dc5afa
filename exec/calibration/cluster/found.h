// What was measured of a cluster, what that says of its hosts.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "reports/record/processor.h"
#include "scenarios/spec/machine.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace foretrain::exec {

/// So many TCP connections carry what one host sends another, in turn.
inline constexpr std::array kConnections{1, 4, 8};

struct HostFound {
  std::string name;     ///< as it calls itself, each of another name
  Processor processor;  ///< with the cores that its task may use
  Machine machine;      ///< its compute
};

/// What one host sends another while nobody else sends.
struct PairFound {
  std::size_t from = 0;
  std::size_t to = 0;
  Duration round_trip{};                               ///< less what both programs take for it
  std::array<double, kConnections.size()> bytes_ps{};  ///< by kConnections, headers left out

  [[nodiscard]] double most() const;
};

inline constexpr std::size_t kAllPairs = 8;

/// Who sends to whom, in turn, among so many hosts: all, both ways, up to kAllPairs; of more hosts
/// each sends to those 1, 2, 4, 8, ... places after it.
std::vector<PairFound> pairs_among(std::size_t hosts);

struct ClusterFound {
  std::vector<HostFound> hosts;
  std::vector<PairFound> pairs;  ///< each host sends and receives in one or more
  /// All hosts at once send to the next one: what each receives, bytes a second, headers left out.
  std::vector<double> ring;
};

/// A host's wire to the switch, in the terms of a scenario (HostSpec).
struct Wire {
  BytesPerSecond nic;
  BytesPerSecond flow_rate;  ///< 0: one connection carries 90 % of what several do, or more
  Duration latency;
};

/// Of each host.
///
///     nic         the most that it had part in, as long as its full frames take on the wire
///     flow_rate   the same of one connection, as interfaces count it (models/base/ethernet.h)
///     latency     of two hosts the sum is half of their round trip; of three or more the one that
///                 suits the middle of all its pairs, of two half of the sum
///
/// A host at which a slower one is measured is not slower for it: the best of its pairs counts.
std::vector<Wire> wires_of(const ClusterFound& found);

/// Hosts that are alike: one processor, as many cores, no figure (gradients of each model, nic,
/// flow_rate, latency) that differs by more than kAlike from those of the first of them.
struct Kind {
  std::string name;                ///< of its machine file: amd-epyc-7b13, amd-epyc-7b13-2
  std::vector<std::size_t> hosts;  ///< ascending
  std::size_t typical = 0;         ///< the host whose gradients are in their middle
  Wire wire;                       ///< medians, of four digits
  /// Of a kind whose processor an earlier one has, too: what differs from that one; else empty.
  std::string differs;
};

inline constexpr double kAlike = 0.1;
/// Below this latencies are alike.
inline constexpr Duration kAlikeLatency{20'000};

/// In the order of their first hosts.
std::vector<Kind> kinds_of(const ClusterFound& found, const std::vector<Wire>& wires);

/// A sentence's part each, of pairs that carry less, or take longer, by more than kAlike than the
/// wires of both hosts say: `node3 to node1: 40 Mbps of 100 Mbps`.
std::vector<std::string> slow_pairs(const ClusterFound& found, const std::vector<Wire>& wires);

/// What the ring's worst host receives over what the same pair carries alone; 1: no less. 0: no
/// such pair, no ring.
double ring_share(const ClusterFound& found);

}  // namespace foretrain::exec
