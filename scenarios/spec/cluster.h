// The cluster of a training: its machines, their links, their failures.
#pragma once

#include "models/base/quantity.h"
#include "models/base/time.h"
#include "scenarios/language/money.h"
#include "scenarios/spec/device.h"
#include "scenarios/spec/machine.h"
#include "scenarios/spec/measured_networks.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace foretrain {

/// `cluster.hosts[].device_link:` - the link between the devices of a host: NVLink, PCIe.
struct DeviceLinkSpec {
  BytesPerSecond rate{};  ///< per direction of each device; 0: messages take no time
  Duration latency{};     ///< one way
  bool shared = false;    ///< all devices of the host share one such link, as under one PCIe root

  bool operator==(const DeviceLinkSpec&) const = default;
};

/// `cluster.hosts[]` - the machines of a forecast.
struct HostSpec {
  std::string name;
  int count = 1;  ///< above 1, hosts are called name0, name1, ...
  int cores = 1;
  BytesPerSecond nic{1.25e9};     ///< full duplex, each direction
  Bytes burst{};                  ///< depth of the rate's token bucket; 0: a default (emulated.h)
  Duration latency{};             ///< one way, host to switch
  BytesPerSecond flow_rate{};     ///< upper bound of one connection; 0: unlimited
  int ports = 1;                  ///< network ports that share `nic`; a connection uses one of them
  std::string transport = "tcp";  ///< tcp | rdma: the network card moves messages without a core
  std::string machine;            ///< a machine file; empty: this machine's calibration
  std::optional<Duration> compute;  ///< replaces a machine: every gradient takes this long
  Roofline roofline;                ///< replaces a machine, or what it did not measure
  AffineCost send;                  ///< CPU time of a message; 0: from the machine, or none
  AffineCost receive;               ///< likewise
  int devices = 0;  ///< accelerators, one per worker; 0: workers compute on the host's cores
  std::string device_name{};    ///< its chip, as drivers spell it: V100; empty: unknown
  DeviceSpec device;            ///< of each device; not described: from the host's machine
  bool device_updates = false;  ///< devices apply workers' updates; false: the host's cores do
  DeviceLinkSpec device_link;
  std::vector<MeasuredNetwork> measured{};  ///< training rates measured on one device alone
  Duration mtbf{};  ///< mean time between failures of each host; 0: never fails
  Duration restart_after{60'000'000'000};  ///< from a failure until the host's processes are back
  Price price{};                           ///< of each host
  bool bought = false;  ///< `price` is a purchase price spread over its years, no rent

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
  double oversubscription = 1;  ///< a leaf's host bandwidth over its uplink bandwidth
  Duration latency{};           ///< one way, leaf to spine

  bool operator==(const LeafSpineSpec&) const = default;
};

/// `cluster.links[]` - a full-duplex link between hosts and switches.
struct LinkSpec {
  std::string from;
  std::string to;  ///< a name that is not a host is a switch
  BytesPerSecond rate{};
  Duration latency{};  ///< one way

  bool operator==(const LinkSpec&) const = default;
};

/// `cluster:` - `hosts` is empty if it is left out: the training runs on this machine over
/// loopback.
struct ClusterSpec {
  std::vector<HostSpec> hosts;
  std::string topology = "star";  ///< star | leaf_spine | links
  LeafSpineSpec leaf_spine;
  std::vector<LinkSpec> links;
  bool tcp = true;      ///< simulate: headers and slow start; false: messages are a fluid
  int connections = 1;  ///< simulate: connections between two nodes, which share their messages
  /// If left out, each host gets the same number of workers, or one per device, with consecutive
  /// ranks; servers go to the hosts after the last one with a worker (placement.h).
  Placement placement;

  /// The largest rate between a node on `host` and another node, per direction; 0: unlimited.
  [[nodiscard]] BytesPerSecond rate_between_two(const HostSpec& host) const {
    return {host.flow_rate.value * std::max(connections, host.ports)};
  }
  bool operator==(const ClusterSpec&) const = default;
};

/// `stragglers[]` - multiplies the compute time of gradients or pauses workers now and then.
struct StragglerSpec {
  std::vector<int> workers;  ///< affected workers; empty: all
  double slowdown = 1;       ///< constant factor
  std::string distribution;  ///< exponential | shifted_exponential | lognormal | pareto: a
                             ///< factor with mean 1 per gradient; empty: none
  double shift = 0;          ///< shifted_exponential: the least factor, 0 to 1
  double sigma = 0;          ///< lognormal: standard deviation of the logarithm
  double shape = 0;          ///< pareto: above 1
  Duration pause{};          ///< pauses the worker for this long, at random times; 0: never
  Duration every{};          ///< mean of the exponential time between two pauses
  std::string trace;         ///< a CSV file of step times: a factor of mean 1 a gradient
  std::string column;        ///< column of the trace that holds the times; empty: the last

  bool operator==(const StragglerSpec&) const = default;
};

/// `faults[]` - a single event at nodes, which have the names of records: `worker1`, `server0`. One
/// of kill, join, stop, cut, slow.
struct FaultSpec {
  Duration at{};                            ///< after the training began, above 0
  std::string kill{};                       ///< its process ends
  std::optional<Duration> restart_after{};  ///< kill: delay until a new process replaces it
  std::string join{};                       ///< a worker that begins only then
  std::string stop{};                       ///< its process is suspended, as by SIGSTOP
  std::vector<std::string> cut{};           ///< two nodes: no data moves between their hosts
  bool one_way = false;  ///< cut: only from the first one's host to the second one's
  std::string slow{};    ///< the link of its host runs at `to`
  double to = 0;         ///< slow: share of the link's rate, above 0 to 1
  Duration lasting{};    ///< stop, cut, slow: duration

  bool operator==(const FaultSpec&) const = default;
};

/// `neighbours[]` - another training on the same hosts, over the same network.
struct ColocatedJob {
  std::string scenario;  ///< its file; the `cluster:` in that file is ignored
  Placement placement;   ///< on hosts of this cluster
  Duration starts_at{};  ///< after this training began

  bool operator==(const ColocatedJob&) const = default;
};

}  // namespace foretrain
