#include "exec/launch/remote_node.h"

#include "exec/launch/kernel_program.h"
#include "exec/launch/managed_node.h"
#include "exec/launch/run.h"
#include "exec/system/process.h"
#include "reports/record/stderr_note.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace {

namespace asio = boost::asio;

constexpr int kNotStarted = 126;  // from a shell: the file is no program
constexpr int kNotFound = 127;    // from a shell: there is no such file
constexpr int kSshFailed = 255;   // from ssh itself, also if a signal ended the program

struct PipeEnds {
  int read = -1;
  int write = -1;
};

PipeEnds open_pipe() {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    throw std::system_error(errno, std::generic_category(), "pipe");
  }
  return {ends[0], ends[1]};
}

// Quoted as one word for every shell.
std::string as_one_word(const std::string& word) {
  std::string quoted = "'";
  for (const char each : word) quoted += each == '\'' ? std::string("'\\''") : std::string(1, each);
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  quoted.reserve(words.size());
  for (const std::string& word : words) quoted.push_back(as_one_word(word));
  return fmt::format("{}", fmt::join(quoted, " "));
}

// A pipe holds a line before it is read.
void write_line(int end, std::string line) {
  line += '\n';
  if (write(end, line.data(), line.size()) == static_cast<ssize_t>(line.size())) return;
  throw std::system_error(errno, std::generic_category(), "cannot write to a pipe");
}

class SshStart : public Start {
 public:
  SshStart(SshHosts hosts, TlsChoice tls) : Start(std::move(tls)), hosts_(std::move(hosts)) {}

  void check(const Case& scenario_case, const RunOptions& /*options*/) const override {
    check_signals(scenario_case, "that is ssh; remove it, or leave --hosts out");
  }
  [[nodiscard]] Meeting meet(Duration /*limit*/, int port) const override {
    return meet_at(hosts_.address, port);
  }
  // ssh starts the node in the home folder, but a scenario names files from this folder.
  void start(ManagedNode& member, const NodeCommand& command) const override {
    std::vector<std::string> words = words_of(command);
    words.insert(words.begin(),
                 called_program(std::filesystem::canonical(command.program)).string());
    words.insert(words.end(),
                 {"--folder", std::filesystem::current_path().string(), "--key", "stdin"});
    member.remote = std::make_unique<RemoteNode>(
        command.loop, hosts_, hosts_.slots.at(static_cast<std::size_t>(member.rank)), words,
        command.key.secret());
    member.process = member.remote->process();
  }
  [[nodiscard]] std::string machine(const std::string& /*here*/) const override {
    return hosts_.describe();
  }
  [[nodiscard]] std::string listen_advice() const override {
    return "name another address of this machine, --address, or port, --port";
  }
  [[nodiscard]] std::string join_advice(const std::string& place) const override {
    return fmt::format(
        "; check that hosts reach this machine at {}, and each other; --address gives another "
        "address, --port the first of fixed ports",
        place);
  }

 private:
  SshHosts hosts_;
};

}  // namespace

std::shared_ptr<Start> start_through_ssh(SshHosts hosts, TlsChoice tls) {
  return std::make_shared<SshStart>(std::move(hosts), std::move(tls));
}

RemoteNode::RemoteNode(asio::io_context& loop, const SshHosts& hosts, std::string host,
                       const std::vector<std::string>& words, const std::string& secret)
    : host_(std::move(host)),
      program_(words.front()),
      ssh_(fmt::format("{} {} true", fmt::join(hosts.ssh, " "), host_)) {
  const PipeEnds in = open_pipe();
  input_.emplace(loop, in.write);
  asio::posix::stream_descriptor theirs_in(loop, in.read);
  const PipeEnds out = open_pipe();
  output_.emplace(loop, out.read);
  output_->non_blocking(true);
  asio::posix::stream_descriptor theirs_out(loop, out.write);
  write_line(in.write, secret);
  std::vector<std::string> ssh = hosts.ssh;
  ssh.push_back(host_);
  ssh.push_back(shell_line(words));
  process_ = start_process(ssh, {}, {in.read, out.write});
  listen();
}

RemoteNode::~RemoteNode() {
  hear();
  if (!begun_.empty()) tell(std::move(begun_));
}

std::string RemoteNode::describe(int status, bool joined) {
  hear();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  const std::string said = last_.empty() ? "" : fmt::format(" ({})", last_);
  if (joined && code == kSshFailed) {
    return fmt::format("is gone: it was killed, or its host cannot be reached any more{}", said);
  }
  if (!joined && code == kSshFailed) {
    return fmt::format("was not started{}; check that this works without a prompt: {}", said, ssh_);
  }
  if (!joined && (code == kNotFound || code == kNotStarted)) {
    return fmt::format("was not started{}; install this build on that host, too, as {}", said,
                       program_);
  }
  return describe_status(status) + said;
}

void RemoteNode::listen() {
  output_->async_wait(asio::posix::stream_descriptor::wait_read,
                      [this](boost::system::error_code error) {
                        if (!error && hear()) listen();
                      });
}

bool RemoteNode::hear() {
  std::array<char, 4096> part{};
  while (true) {
    const ssize_t got = read(output_->native_handle(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return got < 0;
    take({part.data(), static_cast<std::size_t>(got)});
  }
}

void RemoteNode::take(std::string_view text) {
  constexpr std::size_t kMostOfLine = 4096;
  for (const char each : text) {
    if (each != '\n') begun_ += each;
    if (each == '\n' || begun_.size() >= kMostOfLine) tell(std::exchange(begun_, {}));
  }
}

void RemoteNode::tell(std::string line) {
  if (!line.empty() && line.back() == '\r') line.pop_back();  // ssh's own lines end like this
  if (line.empty()) return;
  stderr_note(fmt::format("{}: {}\n", host_, line));
  last_ = std::move(line);
}

}  // namespace foretrain::exec
