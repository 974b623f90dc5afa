// A node on another host, with the ssh process that runs it.
#pragma once

#include "exec/launch/ssh_hosts.h"
#include "exec/launch/start.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::exec {

/// Passes the node's output on to the user with the host's name in front. When this object is
/// destroyed, the node's standard input ends, and with it the node, even if ssh or the launcher was
/// killed. On the thread of the loop, which outlives it.
class RemoteNode {
 public:
  /// Starts `words` on `host`: the program there with its arguments. `secret` is the first line of
  /// its standard input, since everybody on a host can read arguments. @throws std::system_error
  RemoteNode(boost::asio::io_context& loop, const SshHosts& hosts, std::string host,
             const std::vector<std::string>& words, const std::string& secret);
  RemoteNode(const RemoteNode&) = delete;
  RemoteNode& operator=(const RemoteNode&) = delete;
  ~RemoteNode();

  [[nodiscard]] const std::string& host() const { return host_; }
  /// The ssh process on this machine.
  [[nodiscard]] pid_t process() const { return process_; }
  /// How the node ended, by the waitpid status of ssh: "exited with status 1", with its last
  /// output. `joined`: it had joined the launcher, so ssh had found the host and the program.
  std::string describe(int status, bool joined);

 private:
  void listen();
  /// Reads what is available; false at the end of the output.
  bool hear();
  void take(std::string_view text);
  void tell(std::string line);

  std::string host_;
  std::string program_;
  std::string ssh_;  // command for the user to try
  std::optional<boost::asio::posix::stream_descriptor> input_;
  std::optional<boost::asio::posix::stream_descriptor> output_;
  std::string begun_;  // output after the last complete line
  std::string last_;   // last line of output
  pid_t process_ = 0;
};

/// Starts all nodes on these hosts, each with a separate ssh.
std::shared_ptr<Start> start_through_ssh(SshHosts hosts, TlsChoice tls);

}  // namespace foretrain::exec
