// The page's server in the background of a test.
#pragma once

#include "tests/cli/child.h"
#include "tests/cli/sandbox.h"
#include "tests/reports/web/client.h"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace foretrain::testing {

/// Runs `foretrain serve --port 0 ...` in the folder of a sandbox, with stdout in a pipe and stderr
/// in serve.txt.
class ServedPage {
 public:
  ServedPage(const Sandbox& sandbox, std::vector<std::string> more)
      : words_{"serve", "--port", "0"} {
    words_.insert(words_.end(), more.begin(), more.end());
    int ends[2];
    REQUIRE(pipe(ends) == 0);
    const std::string folder = sandbox.path("").string();
    process_ = fork();
    if (process_ == 0) become(folder, ends[1]);
    close(ends[1]);
    char letter = 0;
    while (::read(ends[0], &letter, 1) == 1 && letter != '\n') address_ += letter;
    close(ends[0]);
  }
  ServedPage(const ServedPage&) = delete;
  ServedPage& operator=(const ServedPage&) = delete;
  ~ServedPage() {
    if (ended_) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  /// The first line of its output; empty if it ended before.
  [[nodiscard]] const std::string& address() const { return address_; }
  [[nodiscard]] Client client() const { return Client(address_); }
  [[nodiscard]] pid_t process() const { return process_; }

  /// Ends it like Ctrl-C. Returns the exit status, or 128 plus the signal.
  int end() {
    kill(process_, SIGINT);
    ended_ = true;
    return exit_of(process_);
  }

 private:
  [[noreturn]] void become(const std::string& folder, int out) {
    dup2(out, STDOUT_FILENO);
    setenv("XDG_CACHE_HOME", "cache", 1);
    if (chdir(folder.c_str()) == 0 && freopen("serve.txt", "w", stderr) != nullptr) {
      become_program(words_);
    }
    _exit(127);
  }

  std::vector<std::string> words_;
  pid_t process_ = 0;
  bool ended_ = false;
  std::string address_;
};

}  // namespace foretrain::testing
