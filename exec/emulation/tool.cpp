#include "exec/emulation/tool.h"

#include "exec/system/process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <string_view>
#include <system_error>

namespace foretrain::exec {
namespace {

// A file in memory: unlike a pipe it cannot fill up, and it leaves no name behind.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view content = {}) : file_(memfd_create("tool", MFD_CLOEXEC)) {
    if (file_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    while (!content.empty()) {
      const ssize_t written = write(file_, content.data(), content.size());
      if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
      content.remove_prefix(static_cast<std::size_t>(written));
    }
    lseek(file_, 0, SEEK_SET);
  }
  ~MemoryFile() { close(file_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  [[nodiscard]] int descriptor() const { return file_; }
  [[nodiscard]] std::string content() const {
    std::string text;
    std::array<char, 4096> part{};
    for (ssize_t got = 0;
         (got = pread(file_, part.data(), part.size(), static_cast<off_t>(text.size()))) > 0;) {
      text.append(part.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int file_;
};

pid_t spawn(const std::vector<std::string>& arguments, const MemoryFile& in, const MemoryFile& out,
            const MemoryFile& err) {
  std::vector<char*> raw;
  raw.reserve(arguments.size() + 1);
  for (const std::string& argument : arguments) raw.push_back(const_cast<char*>(argument.c_str()));
  raw.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.descriptor(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int error = posix_spawn(&child, raw[0], &actions, nullptr, raw.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot start " + arguments[0]);
  }
  return child;
}

}  // namespace

std::string find_tool(const std::string& name) {
  for (const char* folder : {"/usr/sbin/", "/sbin/", "/usr/bin/", "/bin/"}) {
    if (access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return {};
}

std::string run_tool(const std::vector<std::string>& arguments, const std::string& input) {
  const MemoryFile in(input);
  const MemoryFile out;
  const MemoryFile err;
  const pid_t child = spawn(arguments, in, out, err);
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitpid");
  }
  if (status != 0) {
    throw std::runtime_error(fmt::format("`{}` {}: {}", fmt::join(arguments, " "),
                                         describe_status(status), err.content()));
  }
  return out.content();
}

}  // namespace foretrain::exec
