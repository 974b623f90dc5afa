#include "exec/launch/ssh_hosts.h"

#include "exec/launch/task.h"
#include "scenarios/language/input_error.h"
#include "scenarios/resolve/placement.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/udp.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <system_error>

namespace foretrain::exec {
namespace {

namespace ip = boost::asio::ip;

constexpr const char* kOwnLoopback = "127.0.0.1";

// A name that begins with a dash would be an option of ssh.
void add_slots(const std::string& named, std::vector<std::string>& slots) {
  constexpr int kMostOfHost = 10'000;
  const std::size_t colon = named.find(':');
  const std::string host = named.substr(0, colon);
  int count = 1;
  bool good = !host.empty() && host.front() != '-' && host.find(' ') == std::string::npos;
  if (colon != std::string::npos) {
    const char* end = named.data() + named.size();
    const auto read = std::from_chars(named.data() + colon + 1, end, count);
    good = good && read.ec == std::errc{} && read.ptr == end && count > 0 && count <= kMostOfHost;
  }
  if (!good) {
    throw InputError(fmt::format(
        "--hosts: '{}': write HOST, or HOST:N for N nodes on it, such as node1:2,node2; write an "
        "address with colons as a name, such as one of ssh's configuration",
        named));
  }
  slots.insert(slots.end(), static_cast<std::size_t>(count), host);
}

// The full path, found by PATH: a child that cannot execute it could not report that.
std::string found_program(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  std::istringstream folders(process_environment("PATH").value_or("/usr/bin:/bin"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const auto path = std::filesystem::path(folder) / name;
    if (access(path.c_str(), X_OK) == 0) return path.string();
  }
  return {};
}

// The user's options come first, so they take precedence. There is nobody to type a password: an
// ssh that needs one fails with a message. Hosts' greetings are suppressed. Each ssh has its own
// connection: a shared one would end with the ssh that opened it.
std::vector<std::string> ssh_words(const std::string& ssh) {
  std::istringstream text(ssh);
  std::vector<std::string> words{std::istream_iterator<std::string>(text), {}};
  const std::string program = words.empty() ? "" : found_program(words.front());
  if (program.empty()) {
    throw InputError(
        fmt::format("--ssh '{}': there is no such program here; install ssh (Debian: "
                    "openssh-client), or name another that takes its options",
                    ssh));
  }
  words.front() = program;
  words.insert(words.end(), {"-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20", "-o",
                             "LogLevel=ERROR", "-o", "ControlPath=none"});
  return words;
}

// To ssh `user@host` is a host.
std::string name_of_host(const std::string& host) { return host.substr(host.find('@') + 1); }

bool is_named_here(const std::string& name) {
  boost::system::error_code error;
  const ip::address address = ip::make_address(name, error);
  return name == "localhost" || (!error && address.is_loopback());
}

// This end's address on the route to a host, as the kernel chooses it; nothing is sent. nullopt if
// its name is unknown here, or there is no route.
std::optional<ip::address> way_to(const std::string& name) {
  boost::asio::io_context loop;
  boost::system::error_code error;
  const auto found = ip::udp::resolver(loop).resolve(name, "9", error);
  if (error) return {};
  std::vector<ip::udp::endpoint> all;
  std::ranges::transform(found, std::back_inserter(all),
                         [](const auto& each) { return each.endpoint(); });
  std::ranges::stable_sort(all, {}, [](const auto& each) { return each.address().is_v6(); });
  for (const ip::udp::endpoint& each : all) {
    ip::udp::socket socket(loop);
    socket.connect(each, error);
    if (!error) return socket.local_endpoint(error).address();
  }
  return {};
}

std::string address_for(const std::vector<std::string>& slots) {
  bool known = false;
  std::string unknown;
  for (const std::string& host : slots) {
    const std::string name = name_of_host(host);
    const auto way = is_named_here(name) ? ip::make_address(kOwnLoopback) : way_to(name);
    if (way && !way->is_loopback()) return way->to_string();
    known = known || way.has_value();
    if (!way && unknown.empty()) unknown = name;
  }
  if (known && unknown.empty()) return kOwnLoopback;
  throw InputError(fmt::format(
      "--hosts: host {} has no known address; correct the name, or, if only ssh knows it, give the "
      "address at which hosts reach this machine: --address",
      unknown));
}

void check_address(const std::string& address) {
  boost::system::error_code error;
  const ip::address read = ip::make_address(address, error);
  if (!error && !read.is_unspecified()) return;
  throw InputError(fmt::format(
      "--address {}: is no address of this machine at which hosts could reach it; write one, such "
      "as 10.0.0.7",
      address));
}

}  // namespace

std::string SshHosts::describe() const {
  std::vector<std::string> names;
  for (const std::string& host : slots) {
    if (std::ranges::find(names, host) == names.end()) names.push_back(host);
  }
  return fmt::format("hosts {} over ssh", fmt::join(names, ", "));
}

std::optional<SshHosts> read_hosts(const std::vector<std::string>& named, const std::string& ssh,
                                   const std::string& address) {
  if (named.empty()) return {};
  SshHosts hosts;
  for (const std::string& each : named) add_slots(each, hosts.slots);
  hosts.ssh = ssh_words(ssh);
  hosts.address = address.empty() ? address_for(hosts.slots) : address;
  check_address(hosts.address);
  return hosts;
}

void check_hosts(const std::vector<Case>& cases, const SshHosts& hosts) {
  const auto task = own_task();
  if (task && task->size > 1) {
    throw InputError(fmt::format(
        "--hosts: starts the nodes itself, but this process is one of {} tasks ({}); leave --hosts "
        "out, or start one process",
        task->size, task->started_by));
  }
  for (const Case& each : cases) {
    const NodeCounts counts = node_counts(each.scenario);
    if (counts.nodes() == std::ssize(hosts.slots)) continue;
    throw InputError(fmt::format(
        "{}: {} nodes (workers: {}, servers: {}), but --hosts has {}: name a host for each, "
        "workers first, such as node1:2,node2 for three nodes",
        each.label(), counts.nodes(), counts.workers, counts.servers, hosts.slots.size()));
  }
}

}  // namespace foretrain::exec
