// Runs gnuplot as a child process, without a shell.
#include "reports/record/files.h"
#include "reports/show/figures/figure.h"
#include "scenarios/language/file_errors.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

/// A temporary subfolder in which a figure is drawn before it replaces an older one.
class Easel {
 public:
  /// `folder` must have the data of the figure `name`.
  Easel(const fs::path& folder, const std::string& name)
      : folder_(folder), path_(folder / ".drawn"), name_(name) {
    std::error_code error;
    fs::remove_all(path_, error);  // left by a killed process
    fs::create_directory(path_, error);
    const std::string data = name + ".csv";
    if (!error) fs::create_symlink(fs::path("..") / data, path_ / data, error);
    if (error) fail_to_write(path_.string(), error.value());
  }
  Easel(const Easel&) = delete;
  Easel& operator=(const Easel&) = delete;
  ~Easel() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  /// Moves a drawing out if it has the text `end`, since gnuplot does not report a full disk.
  [[nodiscard]] fs::path take(const std::string& extension, std::string_view end) const {
    const std::string file = name_ + extension;
    fs::path place = folder_ / file;
    if (read_text_file(path_ / file).rfind(end) == std::string::npos) {
      throw WriteError(
          fmt::format("{}: gnuplot wrote only a part of it; is the disk full?", place.string()));
    }
    std::error_code error;
    fs::rename(path_ / file, place, error);
    if (error) fail_to_write(place.string(), error.value());
    return place;
  }

 private:
  fs::path folder_;
  fs::path path_;
  std::string name_;
};

/// The end of a child process, with its output.
struct Ended {
  int error = 0;   ///< errno if it could not be started
  int status = 0;  ///< as from waitpid
  std::string said;
};

/// Runs `gnuplot SCRIPT` in `folder`. `-d` ignores the user's settings.
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
        fmt::format("the figure {} is left out: no record has its values", figure.name));
  }
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) fail_to_write(folder.string(), error.value(), "cannot make the folder");
  const std::string script = figure.name + ".gp";
  write_text_file(folder / (figure.name + ".csv"), figure_csv(figure));
  write_text_file(folder / script, gnuplot_script(figure));
  const Easel easel(folder, figure.name);
  const Ended ended = run_gnuplot(easel.path(), (fs::path("..") / script).string());
  if (ended.error == ENOENT) {
    throw NoGnuplot(fmt::format(
        "gnuplot, which draws the figures, is not installed; install it (apt-get install "
        "gnuplot-nox), or use the data and the script in {}",
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
  for (const auto& [extension, end] : {std::pair(".png", "IEND"), std::pair(".pdf", "%%EOF")}) {
    static_cast<void>(easel.take(extension, end));
  }
  return easel.take(".svg", "</svg>");
}

}  // namespace foretrain
