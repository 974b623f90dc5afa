// In programs that count their lines: a process that ends by _exit leaves its counts, too.
// The linker gives every call of _exit to __wrap__exit (CMakeLists.txt). Processes that are forked
// to measure, to train on another host's behalf, to run a program, end so, and gcov writes at exit
// alone.

#include <unistd.h>

extern "C" {
void __gcov_dump();
[[noreturn]] void __real__exit(int status);

[[noreturn]] void __wrap__exit(int status) {
  __gcov_dump();
  __real__exit(status);
}
}
