// A node behind an ssh, for which a shell stands in.
#include "exec/launch/remote_node.h"

#include "exec/system/process.h"
#include "tests/support/places.h"

#include <boost/asio/io_context.hpp>
#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace foretrain::exec {
namespace {

using Catch::Contains;
using Catch::StartsWith;

// Arguments of the script: the host ($0), the command ($1).
SshHosts shell_as_ssh() {
  return {{"b"}, {"/bin/sh", "-c", "exec /bin/sh -c \"$1\""}, "127.0.0.1"};
}

int waited_for(pid_t process) {
  for (int i = 0; i < 4'000; ++i) {
    if (const auto status = status_if_ended(process)) return *status;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  FAIL("it lives on");
  return -1;
}

std::string end_of_words(const std::vector<std::string>& words, bool joined = false) {
  boost::asio::io_context loop(1);
  RemoteNode node(loop, shell_as_ssh(), "b", words, "the-secret");
  return node.describe(waited_for(node.process()), joined);
}

std::string end_of_script(const std::string& script, bool joined = false) {
  return end_of_words({"/bin/sh", "-c", script}, joined);
}

TEST_CASE("remote node: it reads its secret, is called with its words, its last line is kept") {
  CHECK(end_of_script("read line; echo before; echo \"it's $line\" >&2; exit 3", true) ==
        "exited with status 3 (it's the-secret)");
  CHECK(end_of_script("printf 'said\\r\\n'; exit 0") == "exited with status 0 (said)");
}

TEST_CASE("remote node: a host that ssh does not reach is told from one without the program") {
  const std::string unknown = end_of_script("echo 'ssh: no such host b'; exit 255");
  CHECK_THAT(unknown, StartsWith("was not started (ssh: no such host b); check that this works"));
  CHECK_THAT(unknown, Catch::EndsWith(" b true"));
  CHECK_THAT(end_of_words({"/no/such/foretrain", "node"}),
             StartsWith("was not started (") &&
                 Contains("install this build on that host, too, as /no/such/foretrain"));
  CHECK_THAT(end_of_script("exit 255", true), StartsWith("is gone: it was killed, or its host"));
}

TEST_CASE("remote node: one that nobody answers ends when its launcher lets go of it") {
  boost::asio::io_context loop(1);
  // Nobody listens on that port; the node would try for a minute.
  const std::vector<std::string> words{program_path(), "node", "--address", "127.0.0.1",
                                       "--port",       "1",    "--id",      "0",
                                       "--folder",     "/",    "--key",     "stdin"};
  auto node = std::make_unique<RemoteNode>(loop, shell_as_ssh(), "b", words, "the-secret");
  const pid_t process = node->process();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  REQUIRE(!status_if_ended(process).has_value());
  node.reset();
  CHECK(describe_status(waited_for(process)) == "exited with status 1");
}

}  // namespace
}  // namespace foretrain::exec
