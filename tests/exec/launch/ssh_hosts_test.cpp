// Parsing of a run's hosts on the command line.
#include "exec/launch/ssh_hosts.h"

#include "scenarios/language/input_error.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace foretrain::exec {
namespace {

using Catch::Contains;
using Catch::StartsWith;

SshHosts read_slots(const std::vector<std::string>& named, const std::string& ssh = "/bin/sh",
                    const std::string& address = "127.0.0.1") {
  return read_hosts(named, ssh, address).value();
}

std::string complaint_of_hosts(const std::vector<std::string>& named,
                               const std::string& ssh = "/bin/sh",
                               const std::string& address = "127.0.0.1") {
  try {
    read_hosts(named, ssh, address);
  } catch (const InputError& error) {
    return error.what();
  }
  return "none";
}

TEST_CASE("ssh hosts: without names there are none") {
  CHECK(!read_hosts({}, "no-such-program", "nowhere").has_value());
}

TEST_CASE("ssh hosts: a host has as many slots as it says, in the order of their names") {
  const SshHosts hosts = read_slots({"a:2", "me@b", "a"});
  CHECK(hosts.slots == std::vector<std::string>{"a", "a", "me@b", "a"});
  CHECK(hosts.describe() == "hosts a, me@b over ssh");
}

TEST_CASE("ssh hosts: what is no host is told what to write") {
  for (const char* wrong : {"", ":2", "a:", "a:0", "a:two", "a:2:3", "-oProxyCommand=sh", "a b"}) {
    CAPTURE(wrong);
    CHECK_THAT(complaint_of_hosts({"good", wrong}),
               StartsWith("--hosts: '" + std::string(wrong) + "': write HOST, or HOST:N"));
  }
}

TEST_CASE("ssh hosts: ssh is found in PATH, never asks, and the user's options come first") {
  const SshHosts hosts = read_slots({"a"}, "sh -p 2222");
  REQUIRE(hosts.ssh.size() > 5);
  CHECK_THAT(hosts.ssh[0], StartsWith("/") && Catch::EndsWith("/sh"));
  CHECK(hosts.ssh[1] == "-p");
  CHECK(hosts.ssh[2] == "2222");
  CHECK(std::ranges::count(hosts.ssh, std::string("BatchMode=yes")) == 1);
  for (const char* wrong : {"", "no-such-ssh -p 2222", "/no/such/ssh"}) {
    CAPTURE(wrong);
    CHECK_THAT(complaint_of_hosts({"a"}, wrong), Contains("there is no such program here"));
  }
}

TEST_CASE("ssh hosts: this machine's names meet on loopback") {
  CHECK(read_slots({"localhost:2", "127.0.0.2", "me@127.0.0.1"}, "/bin/sh", "").address ==
        "127.0.0.1");
}

TEST_CASE("ssh hosts: where no name is known an address of this machine is asked for") {
  CHECK_THAT(complaint_of_hosts({"localhost", "no..where"}, "/bin/sh", ""),
             Contains("host no..where has no known address") && Contains("--address"));
  CHECK(read_slots({"no..where"}, "/bin/sh", "10.0.0.7").address == "10.0.0.7");
  for (const char* wrong : {"here", "0.0.0.0", "10.0.0"}) {
    CAPTURE(wrong);
    CHECK_THAT(complaint_of_hosts({"a"}, "/bin/sh", wrong),
               StartsWith("--address " + std::string(wrong) + ": is no address"));
  }
}

}  // namespace
}  // namespace foretrain::exec
