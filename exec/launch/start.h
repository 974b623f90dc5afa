// The ways to start the processes of a training.
#pragma once

#include "exec/launch/ssh_hosts.h"
#include "exec/launch/tls_choice.h"
#include "exec/transport/handshake.h"
#include "models/base/time.h"
#include "scenarios/spec/scenario.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain::exec {

struct ManagedNode;
struct RunOptions;

/// The address at which the launcher listens, and the credentials of its nodes.
struct Meeting {
  boost::asio::ip::tcp::endpoint place;
  Credentials known;
};

/// A command that starts the process of a node.
struct NodeCommand {
  boost::asio::io_context& loop;
  std::filesystem::path program;
  std::vector<std::string> words;  ///< follow the program: `node`, `--address`, ...
  JobKey key;                      ///< not among the words, which everybody on a host can read
};

/// How the processes of a training start. The launcher calls it wherever the ways differ:
///
///     started by                   class      the launcher starts      nodes are on
///     this process                 HereStart  all nodes                this machine
///     this process, through ssh    SshStart   all nodes                the hosts of --hosts
///     srun, mpirun, ... (task.h)   TaskStart  the node of rank 0       the hosts of that launcher
///
/// The tasks of other ranks have no launcher: `serve` makes each of them a node. A start lives as
/// long as the command, over all of its trainings.
class Start {
 public:
  explicit Start(TlsChoice tls) : tls_(std::move(tls)) {}
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  virtual ~Start() = default;

  /// @throws InputError if the case cannot be trained in this way
  virtual void check(const Case& scenario_case, const RunOptions& options) const = 0;
  /// `limit`: how long tasks look for rank 0. `port`: of a launcher, no task. @throws InputError
  [[nodiscard]] virtual Meeting meet(Duration limit, int port) const = 0;
  /// Nodes may be on other machines, with other cores and files than this one.
  [[nodiscard]] virtual bool elsewhere() const { return true; }
  /// False if another program starts all nodes except that of rank 0.
  [[nodiscard]] virtual bool starts_all() const { return true; }
  [[nodiscard]] bool through_ssh() const { return elsewhere() && starts_all(); }
  /// Starts the process of a node, on this machine unless the class says otherwise.
  /// @throws std::system_error
  virtual void start(ManagedNode& member, const NodeCommand& command) const;
  /// `Record::machine`; `here` describes this machine.
  [[nodiscard]] virtual std::string machine(const std::string& here) const { return here; }
  /// Last part of the error that the launcher cannot listen.
  [[nodiscard]] virtual std::string listen_advice() const {
    return "choose other ports with --port";
  }
  /// Last part of the error that a node has not joined at `place`; may be empty.
  [[nodiscard]] virtual std::string join_advice(const std::string& /*place*/) const { return {}; }
  /// The kernels of the last training if its nodes used others than this process; else empty. Nodes
  /// that are started from now on begin with them.
  [[nodiscard]] const std::string& kernels() const { return kernels_; }
  void begin_with(std::string kernels) { kernels_ = std::move(kernels); }

 protected:
  [[nodiscard]] const TlsChoice& tls() const { return tls_; }
  /// Checks that the case pauses and kills no nodes: only the parent of a process can signal it.
  /// `advice`: who started the nodes, and what to do. @throws InputError
  static void check_signals(const Case& scenario_case, std::string_view advice);
  /// A meeting with a new random key.
  [[nodiscard]] Meeting meet_at(const std::string& address, int port) const;
  /// The words of the command, followed by those about TLS.
  [[nodiscard]] std::vector<std::string> words_of(const NodeCommand& command) const;

 private:
  TlsChoice tls_;
  std::string kernels_;
};

/// All nodes on this machine. `measures`: this process may be one of several tasks, but trains here
/// alone.
std::shared_ptr<Start> start_here(TlsChoice tls = {}, bool measures = false);

/// The user's options.
struct StartOptions {
  std::optional<SshHosts> hosts{};  ///< --hosts
  std::string job_key{};            ///< --job-key; the environment's if empty
  TlsChoice tls{};
};

/// How often a command trains its cases.
enum class Trainings {
  each_once,
  as_told  ///< as often as rank 0 likes, while its Start lives
};

/// Called first: sets `options.start` and `options.join_timeout` by the user's options and the
/// environment. A task of another rank than 0 becomes the node of its rank in each of the
/// trainings; then its exit status is returned: 0, or that of rank 0. nullopt if the caller should
/// `run` each case. @throws InputError (cases that need another number of tasks or hosts, a missing
/// job key, a key for a process that is no task, no way to find rank 0)
std::optional<int> take_part(const std::vector<Case>& cases, const StartOptions& asked,
                             RunOptions& options, Trainings trainings = Trainings::each_once);

}  // namespace foretrain::exec
