#include "exec/emulation/network_namespace.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <system_error>
#include <utility>

namespace foretrain::exec {
namespace {

[[noreturn]] void fail(const char* what) {
  throw std::system_error(errno, std::generic_category(), what);
}

int open_current() {
  const int descriptor = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) fail("cannot open /proc/thread-self/ns/net");
  return descriptor;
}

// Returns the thread to its previous namespace.
class Return {
 public:
  Return() : home_(open_current()) {}
  ~Return() {
    // Training in the wrong network would be worse than ending.
    if (setns(home_, CLONE_NEWNET) != 0) std::terminate();
    close(home_);
  }
  Return(const Return&) = delete;
  Return& operator=(const Return&) = delete;

 private:
  int home_;
};

}  // namespace

NetworkNamespace::NetworkNamespace() {
  const Return back;
  if (unshare(CLONE_NEWNET) != 0) fail("cannot make a network namespace");
  descriptor_ = open_current();
}

NetworkNamespace::~NetworkNamespace() {
  if (descriptor_ >= 0) close(descriptor_);
}

NetworkNamespace::NetworkNamespace(NetworkNamespace&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

void NetworkNamespace::enter(const std::function<void()>& work) const {
  const Return back;
  if (setns(descriptor_, CLONE_NEWNET) != 0) fail("cannot enter a network namespace");
  work();
}

std::string NetworkNamespace::path() const {
  return fmt::format("/proc/{}/fd/{}", getpid(), descriptor_);
}

}  // namespace foretrain::exec
