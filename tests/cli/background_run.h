// A run in the background of a test.
#pragma once

#include "tests/cli/child.h"
#include "tests/cli/sandbox.h"
#include "tests/support/child_processes.h"
#include "tests/support/wait_until.h"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace foretrain::testing {

inline std::string set_all(const std::vector<std::string>& settings) {
  std::string text;
  for (const std::string& setting : settings) text += " --set '" + setting + "'";
  return text;
}

inline std::size_t how_often(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// Runs `foretrain run small.yaml --out out`, stderr in err.txt; the destructor waits for its end.
class BackgroundRun {
 public:
  BackgroundRun(Sandbox& sandbox, const std::vector<std::string>& settings,
                const std::vector<std::string>& more = {})
      : sandbox_(sandbox) {
    std::vector<std::string> words{"run", sandbox.path("small.yaml").string(), "--quiet", "--out",
                                   sandbox.path("out").string()};
    for (const std::string& setting : settings) {
      words.emplace_back("--set");
      words.push_back(setting);
    }
    words.insert(words.end(), more.begin(), more.end());
    launcher_ = fork();
    if (launcher_ != 0) return;
    const std::string err = sandbox.path("err.txt").string();
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    become_program(std::move(words));
  }
  BackgroundRun(const BackgroundRun&) = delete;
  BackgroundRun& operator=(const BackgroundRun&) = delete;
  ~BackgroundRun() {
    if (ended_) return;
    kill(launcher_, SIGKILL);
    waitpid(launcher_, nullptr, 0);
  }

  /// The step of the newest checkpoint; 0 if there is none.
  [[nodiscard]] std::int64_t newest() const {
    std::int64_t newest = 0;
    std::error_code error;
    namespace fs = std::filesystem;
    for (fs::directory_iterator each(sandbox_.path("out/checkpoints"), error), end;
         !error && each != end; each.increment(error)) {
      if (!fs::exists(each->path() / "manifest.json", error)) continue;
      newest =
          std::max(newest, std::int64_t{std::stoll(each->path().filename().string().substr(5))});
    }
    return newest;
  }
  /// Waits until more than this many bytes of its steps are written.
  void wait_for_steps(std::uintmax_t bytes) const {
    wait_until([&] {
      std::error_code none;
      const auto size = std::filesystem::file_size(sandbox_.path("out/steps.csv"), none);
      return !none && size > bytes;
    });
  }
  /// Waits until a checkpoint after `step` is complete.
  void wait_for_checkpoint_after(std::int64_t step) const {
    wait_until([&] { return newest() > step; });
  }

  [[nodiscard]] std::vector<pid_t> nodes() const {
    std::vector<pid_t> nodes = child_processes(launcher_);
    std::ranges::sort(nodes);  // in the order of their start
    return nodes;
  }
  [[nodiscard]] pid_t launcher() const { return launcher_; }
  /// Kills a node, workers first; -1: the launcher.
  void kill_one(int victim) const {
    kill(victim < 0 ? launcher_ : nodes().at(static_cast<std::size_t>(victim)), SIGKILL);
  }
  /// Returns the exit status, or 128 plus the signal.
  int wait() {
    ended_ = true;
    return exit_of(launcher_);
  }
  [[nodiscard]] std::string err() const { return text_of(sandbox_.path("err.txt")); }

 private:
  Sandbox& sandbox_;
  pid_t launcher_ = 0;
  bool ended_ = false;
};

}  // namespace foretrain::testing
