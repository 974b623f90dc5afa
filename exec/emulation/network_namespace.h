// A separate network: interfaces, addresses, ports that are invisible outside.
#pragma once

#include <functional>
#include <string>

namespace foretrain::exec {

/// An unnamed network namespace of Linux. Only open descriptors, processes and sockets within keep
/// it alive. So it disappears, with its interfaces, when this object and those processes have
/// ended, however they end: a killed launcher leaves nothing behind.
///
/// One thread: only the calling thread enters the namespace.
class NetworkNamespace {
 public:
  /// A new one, with a loopback that is down. @throws std::system_error (CAP_SYS_ADMIN is needed)
  NetworkNamespace();
  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&&) = delete;

  /// Calls `work` inside: its sockets and child processes belong to this network.
  /// @throws std::system_error
  void enter(const std::function<void()>& work) const;

  /// Path for other programs while this process lives: `/proc/123/fd/7`.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace foretrain::exec
