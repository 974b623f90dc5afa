// An error is reported if the system starts no more threads.
#include "exec/driver/compute_threads.h"
#include "exec/system/process.h"
#include "exec/system/reference_kernel.h"
#include "reports/record/stderr_note.h"
#include "reports/studies/parallel/in_parallel.h"

#include <catch2/catch.hpp>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <system_error>

namespace foretrain::exec {
namespace {

/// Runs `act` in a child that may start no thread. Returns 0 if it returned, 1 if it threw an error
/// that names the limit, another number otherwise.
int without_threads(const std::function<void()>& act) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
    constexpr uid_t kNobody = 65534;
    if (geteuid() == 0 && setuid(kNobody) != 0) _exit(3);  // root is not limited
    try {
      act();
    } catch (const std::system_error& error) {
      _exit(reason_of(error).find("ulimit -u") != std::string::npos ? 1 : 2);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST_CASE("few threads: whoever needs more is told what is short, and nothing waits") {
  const std::vector<int> cores{usable_cores().front(), usable_cores().back()};
  CHECK(without_threads([] { const ComputeThreads threads(4); }) == 1);
  CHECK(without_threads([&] { time_reference(cores); }) == 1);
  CHECK(without_threads([] {
          std::atomic<int> done{0};
          in_parallel(10, 4, [&](std::int64_t) { ++done; });
          if (done != 10) _exit(4);
        }) == 0);
}

}  // namespace
}  // namespace foretrain::exec
