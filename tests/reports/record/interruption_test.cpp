// Signals that interrupt a command.
#include "reports/record/interruption.h"

#include "reports/record/not_done.h"

#include <catch2/catch.hpp>

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <string>

namespace foretrain {
namespace {

bool rings() {
  pollfd bell{Interruption::descriptor(), POLLIN, 0};
  return poll(&bell, 1, 0) == 1;
}

/// The wait status of a process that does `work`.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_CASE("interruption: a signal is heard once it came, by who asks as by who sleeps") {
  const int signal = GENERATE(SIGINT, SIGTERM, SIGHUP);
  const auto before = std::signal(SIGHUP, SIG_DFL);  // these tests may run under nohup
  {
    const Interruption interruption;
    CHECK(Interruption::signal() == 0);
    CHECK_FALSE(rings());
    CHECK_NOTHROW(Interruption::check());
    std::raise(signal);
    CHECK(rings());
    CHECK(rings());  // a later sleeper is woken, too
    CHECK(Interruption::signal() == signal);
    CHECK(Interruption::asked());
    CHECK_THROWS_AS(Interruption::check(), NotDone);
    CHECK(interrupted_by(signal) == "interrupted by signal " + std::to_string(signal));
  }
  CHECK_FALSE(Interruption::asked());
  CHECK(Interruption::last() == signal);  // for the exit status
  CHECK(Interruption::descriptor() == -1);
  std::signal(SIGHUP, before);
}

TEST_CASE("interruption: one within another changes nothing, the next begins anew") {
  {
    const Interruption command;
    {
      const Interruption training;
      std::raise(SIGTERM);
    }
    CHECK(Interruption::signal() == SIGTERM);
    std::raise(SIGTERM);  // does not end this process
    const Interruption next_training;
    CHECK(Interruption::signal() == SIGTERM);
  }
  const Interruption next_command;
  CHECK_FALSE(Interruption::asked());
}

TEST_CASE("interruption: without one, signals end the process as ever") {
  const int status = status_of_child([] {
    std::signal(SIGTERM, SIG_DFL);  // Catch has its own handler
    { const Interruption gone; }
    std::raise(SIGTERM);
  });
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGTERM);
}

TEST_CASE("interruption: a hang-up that is ignored stays so, as nohup wants it") {
  const int status = status_of_child([] {
    std::signal(SIGHUP, SIG_IGN);
    const Interruption interruption;
    std::raise(SIGHUP);
    _exit(Interruption::asked() ? 1 : 0);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("interruption: a second signal ends a process in which nobody has asked for long") {
  const int deaf = status_of_child([] {
    const Interruption interruption;
    std::raise(SIGINT);
    std::raise(SIGINT);  // at once: the same key press
    sleep(3);
    std::raise(SIGINT);
  });
  CHECK(WIFEXITED(deaf));
  CHECK(WEXITSTATUS(deaf) == 130);
  const int hears = status_of_child([] {
    const Interruption interruption;
    std::raise(SIGINT);
    if (!Interruption::asked()) _exit(1);
    sleep(3);
    std::raise(SIGINT);
  });
  CHECK(WIFEXITED(hears));
  CHECK(WEXITSTATUS(hears) == 0);
}

TEST_CASE("interruption: a child that was forked meanwhile goes on, and rings no bell") {
  const Interruption interruption;
  const int status = status_of_child([] { std::raise(SIGTERM); });
  CHECK(WIFEXITED(status));
  CHECK_FALSE(rings());
  CHECK_FALSE(Interruption::asked());
}

}  // namespace
}  // namespace foretrain
