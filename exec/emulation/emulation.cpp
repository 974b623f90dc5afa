#include "exec/emulation/emulation.h"

#include "exec/emulation/tool.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/emulated.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <system_error>

namespace foretrain::exec {
namespace {

constexpr Bytes kQueue{1'000'000};  // queue length of a port, beyond which it drops

std::string tool(const char* name) {
  std::string path = find_tool(name);
  if (path.empty()) {
    throw InputError(fmt::format(
        "--emulate: the program {} is not here; install iproute2 (apt-get install iproute2)",
        name));
  }
  return path;
}

/// A copy of the spec for every single host, in order.
std::vector<HostSpec> expanded(const ClusterSpec& cluster) {
  std::vector<HostSpec> hosts;
  for (const HostSpec& spec : cluster.hosts) {
    hosts.insert(hosts.end(), static_cast<std::size_t>(spec.count), spec);
  }
  return hosts;
}

// Otherwise IPv6 would announce each interface, and that traffic would be counted.
void disable_ipv6() {
  const int file = open("/proc/sys/net/ipv6/conf/default/disable_ipv6", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;  // a kernel without IPv6
  const bool written = write(file, "1", 1) == 1;
  close(file);
  if (!written) throw std::system_error(errno, std::generic_category(), "disable_ipv6");
}

std::vector<NetworkNamespace> make(std::size_t count) {
  std::vector<NetworkNamespace> all;
  all.reserve(count);
  for (std::size_t i = 0; i < count; ++i) all.emplace_back().enter(disable_ipv6);
  return all;
}

NetworkNamespace make_switch() {
  if (geteuid() != 0) {
    throw InputError(
        "--emulate: makes network namespaces, for which it has to be root; run it "
        "with sudo, or leave --emulate out");
  }
  try {
    NetworkNamespace made;
    made.enter(disable_ipv6);
    return made;
  } catch (const std::system_error& error) {
    throw InputError(
        fmt::format("--emulate: {}; in a container it needs the capabilities "
                    "SYS_ADMIN, NET_ADMIN, or --privileged",
                    error.what()));
  }
}

/// The queue of an interface that sends at a share of its host's rate. `how`: add or change.
std::string port_queue(const char* how, const std::string& interface, const HostSpec& host,
                       double share) {
  const Bytes burst = emulated_burst(host);
  const auto rate = std::max<std::int64_t>(1, std::llround(host.nic.value * 8 * share));
  return fmt::format("qdisc {} dev {} root handle 1: tbf rate {}bit burst {}b limit {}b\n", how,
                     interface, rate, burst.value, (burst + kQueue).value);
}

std::string port_of(std::size_t host) { return fmt::format("port{}", host); }

/// The queues of an interface that sends at a host's rate, with its latency.
std::string queues(const std::string& interface, const HostSpec& host) {
  std::string text = port_queue("add", interface, host, 1);
  if (host.latency.ns > 0) {
    // Its limit counts packets: those in the delay and those that wait for a token.
    const double under_way = host.nic.value * host.latency.seconds();
    const auto packets = std::llround((under_way + static_cast<double>(kQueue.value)) / 1'500) + 1;
    text += fmt::format("qdisc add dev {} parent 1:1 handle 2: netem delay {}ns limit {}\n",
                        interface, host.latency.ns, packets);
  }
  return text;
}

}  // namespace

Emulation::Emulation(const ClusterSpec& cluster)
    : specs_(expanded(cluster)), switch_(make_switch()) {
  check_emulated(cluster);
  hosts_ = make(specs_.size());
  wire(tool("ip"));
  shape(tool("tc"));
}

std::string Emulation::address(std::size_t host) { return fmt::format("10.0.0.{}", host + 1); }

void Emulation::wire(const std::string& ip) {
  std::string batch =
      "link add name switch type bridge stp_state 0 mcast_snooping 0\n"
      "link set dev switch up\n";
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    batch += fmt::format(
        "link add name port{0} type veth peer name {1} netns {2}\n"
        "link set dev port{0} master switch\n"
        "link set dev port{0} up\n",
        i, kHostInterface, hosts_[i].path());
  }
  switch_.enter([&] { run_tool({ip, "-batch", "-"}, batch); });
  for (std::size_t i = 0; i < hosts_.size(); ++i) {
    const std::string inside = fmt::format(
        "link set dev lo up\n"
        "address add {0}/24 dev {1}\n"
        "link set dev {1} up\n",
        address(i), kHostInterface);
    hosts_[i].enter([&] { run_tool({ip, "-batch", "-"}, inside); });
  }
}

void Emulation::shape(const std::string& tc) {
  std::string ports;
  try {
    for (std::size_t i = 0; i < hosts_.size(); ++i) {
      hosts_[i].enter([&] { run_tool({tc, "-batch", "-"}, queues(kHostInterface, specs_[i])); });
      ports += queues(port_of(i), specs_[i]);
    }
    switch_.enter([&] { run_tool({tc, "-batch", "-"}, ports); });
  } catch (const std::runtime_error& error) {
    const bool delayed = std::ranges::any_of(specs_, [](auto& s) { return s.latency.ns > 0; });
    throw InputError(
        fmt::format("--emulate: cannot shape the network; the kernel needs its tbf "
                    "queue{}: {}",
                    delayed ? ", and netem for latency (leave latency: out where "
                              "there is none)"
                            : "",
                    error.what()));
  }
}

// By the host's own routing: packets in transit still arrive, connections survive.
void Emulation::set_cut(std::size_t from, std::size_t to, bool cut) {
  const std::string route =
      fmt::format("route {} blackhole {}/32\n", cut ? "add" : "del", address(to));
  hosts_[from].enter([&] { run_tool({tool("ip"), "-batch", "-"}, route); });
}

void Emulation::set_pace(std::size_t host, double share) {
  const auto change = [&](const std::string& interface) {
    run_tool({tool("tc"), "-batch", "-"}, port_queue("change", interface, specs_[host], share));
  };
  hosts_[host].enter([&] { change(kHostInterface); });
  switch_.enter([&] { change(port_of(host)); });
}

InterfaceBytes Emulation::counted(std::size_t host) const {
  InterfaceBytes bytes;
  hosts_[host].enter([&] { bytes = interface_bytes(kHostInterface); });
  return bytes;
}

}  // namespace foretrain::exec
