// Runs gnuplot as a child process, without a shell in between.
#include "reports/show/figures/figure.h"
#include "scenarios/read.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

void write_file(const fs::path& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (!file) throw InputError(fmt::format("{}: cannot write", path.string()));
}

/// How a child process ended, and what it said.
struct Ended {
  int error = 0;   ///< errno where it could not be started
  int status = 0;  ///< as waitpid gives it
  std::string said;
};

/// Runs `gnuplot SCRIPT` in `folder`. `-d`: whatever the user's own settings are.
Ended run_gnuplot(const fs::path& folder, const std::string& script) {
  Ended ended;
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {errno, 0, {}};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
  posix_spawn_file_actions_addchdir_np(&actions, folder.c_str());
  std::string program = "gnuplot";
  std::string defaults = "-d";
  std::string file = script;
  const std::array<char*, 4> arguments{program.data(), defaults.data(), file.data(), nullptr};
  pid_t child = 0;
  ended.error = posix_spawnp(&child, "gnuplot", &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  if (ended.error == 0) {
    std::array<char, 4096> buffer{};
    for (;;) {
      const ssize_t got = read(pipe_ends[0], buffer.data(), buffer.size());
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      ended.said.append(buffer.data(), static_cast<std::size_t>(got));
    }
    while (waitpid(child, &ended.status, 0) < 0 && errno == EINTR) {
    }
  }
  close(pipe_ends[0]);
  return ended;
}

}  // namespace

fs::path draw(const Figure& figure, const fs::path& folder) {
  if (figure.panels.empty()) {
    throw InputError(
        fmt::format("the figure {} has nothing to draw: no record knows its figures", figure.name));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(
        fmt::format("{}: cannot make the folder: {}", folder.string(), error.message()));
  }
  const std::string script = figure.name + ".gp";
  write_file(folder / (figure.name + ".csv"), figure_csv(figure));
  write_file(folder / script, gnuplot_script(figure));
  const Ended ended = run_gnuplot(folder, script);
  if (ended.error == ENOENT) {
    throw NoGnuplot(fmt::format(
        "gnuplot, which draws the figures, is not installed: apt-get install gnuplot-nox; "
        "the data and the script are in {}",
        folder.string()));
  }
  if (ended.error != 0) {
    throw InputError(
        fmt::format("gnuplot cannot be started: {}", std::generic_category().message(ended.error)));
  }
  if (!WIFEXITED(ended.status) || WEXITSTATUS(ended.status) != 0) {
    throw InputError(
        fmt::format("gnuplot failed on {}: {}", (folder / script).string(), ended.said));
  }
  return folder / (figure.name + ".svg");
}

}  // namespace foretrain
