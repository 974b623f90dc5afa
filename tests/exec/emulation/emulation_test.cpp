// The networks of emulated hosts.
#include "exec/emulation/emulation.h"

#include "exec/emulation/hosts.h"
#include "exec/emulation/tool.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/emulated.h"
#include "tests/exec/emulation/support.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <optional>
#include <thread>

namespace foretrain::testing {
namespace {
namespace asio = boost::asio;
using asio::ip::tcp;
using exec::Emulation;
using exec::find_tool;
using exec::InterfaceBytes;
using exec::kHostInterface;
using exec::NetworkNamespace;
using exec::run_tool;
using nlohmann::json;

ClusterSpec emulated_star(int hosts, BytesPerSecond nic) {
  ClusterSpec cluster;
  HostSpec host;
  host.name = "node";
  host.count = hosts;
  host.nic = nic;
  cluster.hosts = {host};
  return cluster;
}

std::string error_of(const ClusterSpec& cluster) {
  try {
    const Emulation emulation(cluster);
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

/// The output of a tool about the network of a host, or of this machine.
json asked(const std::vector<std::string>& arguments) {
  return json::parse(run_tool(arguments, ""));
}

/// The queue of the host's interface.
json queue_of(const Emulation& emulation, std::size_t host) {
  json queues;
  emulation.network(host).enter([&] {
    queues = asked({find_tool("tc"), "-j", "qdisc", "show", "dev", kHostInterface});
  });
  return queues.at(0);
}

/// Sends `size` bytes from the first host to the second.
void transfer(const Emulation& emulation, std::size_t size) {
  asio::io_context loop;
  std::optional<tcp::acceptor> acceptor;
  tcp::socket sender(loop);
  const auto at_second = [&](int port) {
    return tcp::endpoint(asio::ip::make_address_v4(Emulation::address(1)),
                         static_cast<std::uint16_t>(port));
  };
  emulation.network(1).enter([&] { acceptor.emplace(loop, at_second(0)); });
  emulation.network(0).enter([&] { sender.connect(at_second(acceptor->local_endpoint().port())); });
  tcp::socket receiver = acceptor->accept();
  std::vector<char> got(size);
  std::thread reading([&] { asio::read(receiver, asio::buffer(got)); });
  asio::write(sender, asio::buffer(std::vector<char>(size, 'x')));
  reading.join();
  CHECK(got.back() == 'x');
}

TEST_CASE("emulation: a host's interface has the rate and the burst of the scenario") {
  if (!can_emulate()) return;
  ClusterSpec cluster = emulated_star(2, {1.25e7});
  cluster.hosts.push_back(cluster.hosts[0]);
  cluster.hosts[1].name = "fast";
  cluster.hosts[1].count = 1;
  cluster.hosts[1].nic = {1.25e8};
  cluster.hosts[1].burst = {50'000};
  const Emulation emulation(cluster);
  REQUIRE(emulation.hosts() == 3);
  for (std::size_t host = 0; host < 3; ++host) {
    const json queue = queue_of(emulation, host);
    CAPTURE(queue.dump());
    CHECK(queue.at("kind") == "tbf");
    CHECK(queue.at("options").at("rate") == (host < 2 ? 12'500'000 : 125'000'000));
    CHECK(queue.at("options").at("burst").get<double>() ==
          Approx(host < 2 ? 32'000 : 50'000).margin(20));  // the kernel stores it as a time
  }
}

TEST_CASE("emulation: what goes from host to host is counted where it leaves, where it arrives") {
  if (!can_emulate()) return;
  const Emulation emulation(emulated_star(3, {1.25e8}));
  constexpr std::size_t kSize = 1'000'000;
  const InterfaceBytes before = emulation.counted(0);
  REQUIRE(before.tx >= Bytes{0});
  transfer(emulation, kSize);
  const double sent = static_cast<double>((emulation.counted(0).tx - before.tx).value);
  CHECK(sent == Approx(kSize).epsilon(0.06));
  CHECK(sent > kSize);
  CHECK(static_cast<double>(emulation.counted(1).rx.value) == Approx(sent).epsilon(0.01));
  CHECK(emulation.counted(2).rx.value < 1'000);
}

TEST_CASE("emulation: this machine's network stays as it is") {
  if (!can_emulate()) return;
  const auto links = [] { return asked({find_tool("ip"), "-j", "address"}).size(); };
  const std::string home = network_of(getpid());
  const std::size_t before = links();
  const Emulation emulation(emulated_star(2, {1.25e8}));
  CHECK(links() == before);
  CHECK(network_of(getpid()) == home);
}

TEST_CASE("emulation: two at a time have the same addresses without conflict") {
  if (!can_emulate()) return;
  const Emulation first(emulated_star(2, {1.25e8}));
  const Emulation second(emulated_star(2, {1.25e8}));
  transfer(second, 10'000);
  CHECK(first.counted(0).tx.value < 1'000);
}

TEST_CASE("emulation: it is gone when its object is") {
  if (!can_emulate()) return;
  std::set<std::string> networks;
  {
    const Emulation emulation(emulated_star(2, {1.25e8}));
    for (std::size_t host = 0; host < 2; ++host) {
      emulation.network(host).enter([&] { networks.insert(network_of(gettid())); });
    }
    CHECK(networks.size() == 2);
  }
  CHECK_FALSE(still_kept(networks));
}

TEST_CASE("emulation: an exception inside a network leads back out of it") {
  if (!can_emulate()) return;
  const std::string home = network_of(gettid());
  const NetworkNamespace other;
  CHECK_THROWS_AS(other.enter([] { throw InputError("no"); }), InputError);
  CHECK(network_of(gettid()) == home);
}

TEST_CASE("emulation: latency is a queue of netem behind the rate") {
  if (!can_emulate()) return;
  ClusterSpec cluster = emulated_star(2, {1.25e8});
  cluster.hosts[0].latency = {2'000'000};
  try {
    const Emulation emulation(cluster);
    json queues;
    emulation.network(0).enter([&] {
      queues = asked({find_tool("tc"), "-j", "qdisc", "show", "dev", kHostInterface});
    });
    CAPTURE(queues.dump());
    CHECK(queues.at(1).at("kind") == "netem");
    CHECK(queues.at(1).at("options").at("delay").at("delay").get<double>() == Approx(0.002));
    transfer(emulation, 100'000);
  } catch (const InputError& error) {
    const std::string what = error.what();
    CHECK(what.find("leave latency: out") != std::string::npos);
    WARN("skipped: this kernel has no netem");
  }
}

TEST_CASE("emulation: who is not root is told so") {
  const uid_t user = geteuid();
  if (user == 0) REQUIRE(seteuid(65'534) == 0);
  const std::string error = error_of(emulated_star(1, {1e6}));
  REQUIRE(seteuid(user) == 0);
  CHECK(error.find("--emulate: makes network namespaces, for which it has to be root") == 0);
}

TEST_CASE("emulation: clusters that no machine stands for are refused") {
  if (!can_emulate()) return;
  CHECK(error_of(emulated_star(1, {1.3e10})).find("above 100 Gbps") != std::string::npos);
  CHECK(error_of(emulated_star(251, {1e8})).find("at most 250") != std::string::npos);
}

TEST_CASE("emulation: the burst left out is a millisecond of the rate, no less than 32 KB") {
  HostSpec host;
  host.nic = {1.25e9};
  CHECK(emulated_burst(host) == Bytes{1'250'000});
  host.nic = {1.25e6};
  CHECK(emulated_burst(host) == Bytes{32'000});
  host.burst = {5'000};
  CHECK(emulated_burst(host) == Bytes{5'000});
}

TEST_CASE("emulation: hosts share this machine's cores in turn") {
  Case scenario_case = emulated_case("sync", 3, 1);
  Scenario& scenario = scenario_case.scenario;
  scenario.cluster.hosts[0].cores = 10;
  scenario.cluster.placement = {{"node0", "node1", "node2"}, {"node0"}};
  const auto placed = exec::placed_nodes(prepare(scenario_case, Need::shape), {4, 6});
  REQUIRE(placed.size() == 4);
  CHECK(placed[0].role == "worker0");
  CHECK(placed[3].role == "server0");
  CHECK(placed[3].host_name == "node0");
  std::vector<int> cores;
  for (const auto& each : placed) cores.push_back(each.cores.at(0));
  CHECK(cores == std::vector<int>{4, 6, 4, 6});
  // With one core, worker and server of a host have to share it.
  scenario.cluster.hosts[0].cores = 1;
  CHECK(exec::placed_nodes(prepare(scenario_case, Need::shape), {4, 6})[3].cores ==
        std::vector<int>{4});
}

TEST_CASE("emulation: a tool that fails says why, one that is missing is not found") {
  CHECK(find_tool("no-such-tool").empty());
  CHECK(run_tool({"/bin/cat"}, std::string(100'000, 'x')) == std::string(100'000, 'x'));
  CHECK_THROWS_WITH(run_tool({"/bin/ls", "/no/such/file"}, ""),
                    Catch::Contains("exited with status 2") && Catch::Contains("/no/such/file"));
}

}  // namespace
}  // namespace foretrain::testing
