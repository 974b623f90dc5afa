// In programs that count their lines: a process that ends by itself leaves its counts, whole.
// The linker gives every call of _exit to __wrap__exit (CMakeLists.txt). Processes that are forked
// to measure, to train on another host's behalf, to run a program, end so, and gcov writes at exit
// alone.

#include <sys/resource.h>
#include <unistd.h>

namespace {

// A test may have limited what a file of this process holds: counts that are cut off spoil those of
// all. gcov's own destructors come after those without a priority.
[[gnu::destructor]] void make_room_for_counts() {
  rlimit size{};
  getrlimit(RLIMIT_FSIZE, &size);
  size.rlim_cur = size.rlim_max;
  setrlimit(RLIMIT_FSIZE, &size);
}

}  // namespace

extern "C" {
void __gcov_dump();
[[noreturn]] void __real__exit(int status);

[[noreturn]] void __wrap__exit(int status) {
  make_room_for_counts();
  __gcov_dump();
  __real__exit(status);
}
}
