// Tests of the reading of interface counters.
#include "exec/usage/interface.h"

#include <catch2/catch.hpp>

#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>

namespace foretrain::exec {
namespace {

const std::string kText =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n"
    "    lo: 1040 10 0 0 0 0 0 0 1040 10 0 0 0 0 0 0\n"
    "  eth0:5000000001       7    0    0    0     0          0         0 88 3 0 0 0 0 0 0\n"
    "  eth01: 1 2 0 0 0 0 0 0 3 4 0 0 0 0 0 0\n";

TEST_CASE("interface: the bytes of the interface that is named") {
  const InterfaceBytes bytes = parse_interface_bytes(kText, "eth0");
  CHECK(bytes.rx == Bytes{5'000'000'001});
  CHECK(bytes.tx == Bytes{88});
  CHECK(parse_interface_bytes(kText, "eth01").tx == Bytes{3});
}

TEST_CASE("interface: a new network's loopback device is down, this one's is up") {
  CHECK(loopback_trouble().empty());
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kRefused = 2;
    if (unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0) _exit(kRefused);
    _exit(loopback_trouble().find("ip link set lo up") == std::string::npos ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) {
    WARN("skipped: this user may make no network");
    return;
  }
  CHECK(status == 0);
}

TEST_CASE("interface: nothing is counted of one that is not there") {
  for (const std::string& text : {kText, std::string(), std::string("eth1: 1 2")}) {
    CHECK(parse_interface_bytes(text, "eth").tx == Bytes{-1});
    CHECK(parse_interface_bytes(text, "eth").rx == Bytes{-1});
  }
  CHECK(parse_interface_bytes("eth0: 12 3", "eth0").tx == Bytes{-1});
}

TEST_CASE("interface: every machine has a loopback") {
  CHECK(interface_bytes("lo").rx >= Bytes{0});
}

}  // namespace
}  // namespace foretrain::exec
