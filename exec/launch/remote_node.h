// A node on another host, with the ssh that runs it there.
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

/// What it says is told to people, with the name of its host in front. Where this object ends, so
/// does the node's standard input, and with that the node: also where ssh was killed, and where the
/// launcher was. On the thread of the loop, which outlives it.
class RemoteNode {
 public:
  /// Starts `words` on `host`: the program there, what it is told. `secret` is the first line of
  /// its standard input, since words can be read by everybody on a host.
  /// @throws std::system_error
  RemoteNode(boost::asio::io_context& loop, const SshHosts& hosts, std::string host,
             const std::vector<std::string>& words, const std::string& secret);
  RemoteNode(const RemoteNode&) = delete;
  RemoteNode& operator=(const RemoteNode&) = delete;
  ~RemoteNode();

  [[nodiscard]] const std::string& host() const { return host_; }
  /// Of ssh, on this machine.
  [[nodiscard]] pid_t process() const { return process_; }
  /// What became of it, by how ssh has ended (waitpid's status): "exited with status 1". Tells what
  /// it said last. `joined`: it had come to its launcher, so ssh had found the host, the program.
  std::string describe(int status, bool joined);

 private:
  void listen();
  /// Takes what is there; false: no more will come.
  bool hear();
  void take(std::string_view text);
  void tell(std::string line);

  std::string host_;
  std::string program_;
  std::string ssh_;  // as people try it
  std::optional<boost::asio::posix::stream_descriptor> input_;
  std::optional<boost::asio::posix::stream_descriptor> output_;
  std::string begun_;  // a line without its end
  std::string last_;   // line that it said
  pid_t process_ = 0;
};

/// All nodes on these hosts, each by an ssh of its own.
std::shared_ptr<Start> start_through_ssh(SshHosts hosts, TlsChoice tls);

}  // namespace foretrain::exec
