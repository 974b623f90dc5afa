// The program as a child process of a test.
#pragma once

#include "tests/support/places.h"

#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace foretrain::testing {

/// Replaces the child after a fork by the program, called with `words`.
[[noreturn]] inline void become_program(std::vector<std::string> words) {
  words.insert(words.begin(), program_path());
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(program_path(), arguments.data());
  _exit(127);
}

/// Waits for its end. Returns the exit status, or 128 plus the signal.
inline int exit_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace foretrain::testing
