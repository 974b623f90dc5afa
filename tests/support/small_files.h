// A full disk for tests.
#pragma once

#include <sys/resource.h>

#include <csignal>

namespace foretrain::testing {

/// While this exists, files written by this process or its children cannot exceed this many bytes;
/// writing more fails as on a full disk.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t most) : before_(std::signal(SIGXFSZ, SIG_IGN)) {
    getrlimit(RLIMIT_FSIZE, &limit_);
    const rlimit small{most, limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;
  ~SmallFiles() {
    setrlimit(RLIMIT_FSIZE, &limit_);
    std::signal(SIGXFSZ, before_);
  }

 private:
  rlimit limit_{};
  void (*before_)(int);
};

}  // namespace foretrain::testing
