// Where a training goes on: machines with their wires, what befalls them.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "scenarios/language/money.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/measured_networks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `cluster.hosts[].device_link:` - what joins the devices of a host: NVLink, PCIe.
struct DeviceLinkSpec {
  BytesPerSecond rate{};  ///< each direction, of each device; 0: what devices say costs no time
  Duration latency{};     ///< one way
  bool shared = false;    ///< all devices of the host share one such link: a PCIe root

  bool operator==(const DeviceLinkSpec&) const = default;
};

/// `cluster.hosts[]` - machines that the training is forecast on.
struct HostSpec {
  std::string name;
  int count = 1;  ///< above 1, hosts are called name0, name1, ...
  int cores = 1;
  BytesPerSecond nic{1.25e9};       ///< full duplex, each direction
  Bytes burst{};                    ///< what the rate's token bucket saves up; 0: a default
  Duration latency{};               ///< one way, host to switch
  BytesPerSecond flow_rate{};       ///< the most that one connection carries; 0: all there is
  int ports = 1;                    ///< that share `nic`; one connection uses one of them
  std::string transport = "tcp";    ///< tcp | rdma: the network card moves messages, no core
  std::string machine;              ///< a machine file; empty: this machine's calibration
  std::optional<Duration> compute;  ///< instead of a machine: every gradient takes this long
  Roofline roofline;                ///< instead of a machine, or of what it was not measured for
  AffineCost send;                  ///< a message's CPU time; 0: as the machine says, or none
  AffineCost receive;               ///< likewise
  int devices = 0;                  ///< accelerators, one a worker; 0: workers compute on its cores
  std::string device_name{};        ///< its chip, as drivers spell it: V100; empty: not told
  Roofline device;                  ///< of each of them; not described: as the host's machine says
  bool device_updates = false;      ///< they apply what workers update; else its cores do
  DeviceLinkSpec device_link;
  std::vector<MeasuredNetwork> measured{};  ///< what each of them trains alone
  Duration mtbf{};                         ///< mean time between failures of each of them; 0: never
  Duration restart_after{60'000'000'000};  ///< from such a failure until what it took is back
  Price price{};                           ///< of each of them
  bool bought = false;                     ///< the price is of buying it, over its years; no rent

  [[nodiscard]] bool rdma() const { return transport == "rdma"; }
  bool operator==(const HostSpec&) const = default;
};

struct Placement {
  std::vector<std::string> workers;  ///< host of each worker, in order
  std::vector<std::string> servers;  ///< host of each server shard, in order

  bool operator==(const Placement&) const = default;
};

/// `cluster.leaf_spine:` - two levels of switches; the hosts in their order fill the leaves.
struct LeafSpineSpec {
  int hosts_per_leaf = 16;
  int spines = 1;
  double oversubscription = 1;  ///< what a leaf's hosts can send over what its uplinks carry
  Duration latency{};           ///< one way, leaf to spine

  bool operator==(const LeafSpineSpec&) const = default;
};

/// `cluster.links[]` - a full-duplex link between hosts and switches.
struct LinkSpec {
  std::string from;
  std::string to;  ///< a name that is no host is a switch
  BytesPerSecond rate{};
  Duration latency{};  ///< one way

  bool operator==(const LinkSpec&) const = default;
};

/// `cluster:` - left out: this machine, over loopback, and `hosts` is empty.
struct ClusterSpec {
  std::vector<HostSpec> hosts;
  std::string topology = "star";  ///< star | leaf_spine | links
  LeafSpineSpec leaf_spine;
  std::vector<LinkSpec> links;
  bool tcp = true;      ///< simulate: headers and slow start; off: messages are a fluid
  int connections = 1;  ///< simulate: connections between two nodes, that share what they send
  /// Left out: equally many workers a host, or as many as it has devices, one host's ranks before
  /// the next one's; servers on the hosts after the last that got one (placement.h).
  Placement placement;

  /// The most that two nodes exchange, each direction, `host` the place of one; 0: all there is.
  [[nodiscard]] BytesPerSecond rate_between_two(const HostSpec& host) const {
    return {host.flow_rate.value * std::max(connections, host.ports)};
  }
  bool operator==(const ClusterSpec&) const = default;
};

/// `stragglers[]` - multiplies the compute time of gradients, stops workers now and then.
struct StragglerSpec {
  std::vector<int> workers;  ///< whom it concerns; empty: all
  double slowdown = 1;       ///< constant factor
  std::string distribution;  ///< exponential | shifted_exponential | lognormal | pareto: a
                             ///< factor of mean 1 a gradient; empty: none
  double shift = 0;          ///< shifted_exponential: the least factor, 0 to 1
  double sigma = 0;          ///< lognormal: standard deviation of the logarithm
  double shape = 0;          ///< pareto: above 1
  Duration pause{};          ///< stops the worker for this long, now and then; 0: never
  Duration every{};          ///< pause: mean of the exponential time from one to the next
  std::string trace;         ///< a CSV file of step times: a factor of mean 1 a gradient
  std::string column;        ///< trace: which one holds the times; empty: the last

  bool operator==(const StragglerSpec&) const = default;
};

/// `faults[]` - what happens once, to nodes that are named as records name them: `worker1`,
/// `server0`. One of kill, join, stop, cut, slow.
struct FaultSpec {
  Duration at{};                            ///< after the training began, above 0
  std::string kill{};                       ///< its process ends
  std::optional<Duration> restart_after{};  ///< kill: then another process takes its place
  std::string join{};                       ///< a worker: it begins only then
  std::string stop{};                       ///< its process stands still, as by SIGSTOP
  std::vector<std::string> cut{};           ///< two: between their hosts nothing moves
  bool one_way = false;  ///< cut: but from the second one's host to the first one's
  std::string slow{};    ///< the link of its host runs at `to`
  double to = 0;         ///< slow: share of the link's rate, above 0 to 1
  Duration lasting{};    ///< stop, cut, slow: for so long

  bool operator==(const FaultSpec&) const = default;
};

/// `neighbours[]` - another training on the same hosts, over the same network.
struct NeighbourSpec {
  std::string scenario;  ///< its file; what that says of its own cluster does not count
  Placement placement;   ///< on hosts of this cluster
  Duration starts_at{};  ///< after this training began

  bool operator==(const NeighbourSpec&) const = default;
};

}  // namespace foretrain
