// Programs that count lines write complete counts, however a process ends.
// The linker redirects every call of _exit to __wrap__exit (CMakeLists.txt). Forked processes that
// measure, train on another host's behalf or run a program end by _exit, but gcov writes only at
// exit.

#include <sys/resource.h>
#include <unistd.h>

namespace {

// A test may have limited the file size of this process; truncated counts would spoil those of all.
// Destructors of gcov run after those without a priority.
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
