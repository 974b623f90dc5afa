// The measurements of a cluster with what follows from them for its hosts.
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

/// Numbers of TCP connections over which one host sends to another, tried in turn.
inline constexpr std::array kConnections{1, 4, 8};

struct HostFound {
  std::string name;     ///< its own host name, made unique
  Processor processor;  ///< with the cores that its task may use
  Machine machine;      ///< its compute
};

/// One host sends to another while no other host sends.
struct PairFound {
  std::size_t from = 0;
  std::size_t to = 0;
  Duration round_trip{};                               ///< without the time of both programs
  std::array<double, kConnections.size()> bytes_ps{};  ///< by kConnections, without headers

  [[nodiscard]] double most() const;
};

inline constexpr std::size_t kAllPairs = 8;

/// The pairs to measure, in turn: all ordered pairs of up to kAllPairs hosts; with more hosts, each
/// one sends to those 1, 2, 4, 8, ... places after it.
std::vector<PairFound> pairs_among(std::size_t hosts);

struct ClusterFound {
  std::vector<HostFound> hosts;
  std::vector<PairFound> pairs;  ///< each host sends and receives at least once
  /// All hosts at once send to the next one: received bytes per second by host, without headers.
  std::vector<double> ring;
};

/// A host's link to the switch, in the terms of a scenario (HostSpec).
struct Wire {
  BytesPerSecond nic;
  BytesPerSecond flow_rate;  ///< 0 if one connection carries 90 % or more of what several do
  Duration latency;
};

/// Computes the wire of each host.
///
///     nic         its highest rate in any pair, including the framing of full packets
///     flow_rate   the same for one connection, as interfaces count it (models/base/ethernet.h)
///     latency     two hosts' latencies add up to half of their round trip; with three or more
///                 hosts each has the one that fits the median of its pairs; with two, half of it
///
/// A slower peer does not make a host slower: the best of its pairs counts.
std::vector<Wire> wires_of(const ClusterFound& found);

/// Similar hosts: the same processor and number of cores, and no figure (gradients of each model,
/// nic, flow_rate, latency) that differs by more than kAlike from the first of them.
struct Kind {
  std::string name;                ///< name of its machine file: amd-epyc-7b13, amd-epyc-7b13-2
  std::vector<std::size_t> hosts;  ///< ascending
  std::size_t typical = 0;         ///< the host with the median gradients
  Wire wire;                       ///< medians, rounded to four digits
  /// Difference from an earlier kind with the same processor; empty if there is none.
  std::string differs;
};

inline constexpr double kAlike = 0.1;
/// Latencies with a smaller difference are considered equal.
inline constexpr Duration kAlikeLatency{20'000};

/// Kinds in the order of their first hosts.
std::vector<Kind> kinds_of(const ClusterFound& found, const std::vector<Wire>& wires);

/// Descriptions of pairs that carry less, or take longer, than the wires of both hosts say, by more
/// than kAlike: `node3 to node1: 40 Mbps of 100 Mbps`.
std::vector<std::string> slow_pairs(const ClusterFound& found, const std::vector<Wire>& wires);

/// The smallest ratio of a host's receive rate in the ring to the rate of the same pair alone; 1 if
/// there is no loss, 0 if there is no such pair or no ring.
double ring_share(const ClusterFound& found);

}  // namespace foretrain::exec
