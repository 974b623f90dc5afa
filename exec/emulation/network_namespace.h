// A network of its own: interfaces, addresses, ports that nobody outside of it sees.
#pragma once

#include <functional>
#include <string>

namespace foretrain::exec {

/// A network namespace of Linux without a name: open file descriptors, processes within, sockets
/// made within keep it, nothing else does. So it goes, with the interfaces in it, when this object
/// and those processes have gone, however they end: a launcher that is killed leaves nothing.
///
/// One thread: a namespace is entered by the calling thread alone.
class NetworkNamespace {
 public:
  /// A new one, with a loopback that is down. @throws std::system_error (CAP_SYS_ADMIN is needed)
  NetworkNamespace();
  ~NetworkNamespace();
  NetworkNamespace(NetworkNamespace&& other) noexcept;
  NetworkNamespace& operator=(NetworkNamespace&&) = delete;

  /// Calls `work` inside: sockets that it makes, processes that it starts belong to this network.
  /// @throws std::system_error
  void enter(const std::function<void()>& work) const;

  /// Where other programs find it as long as this process lives: `/proc/123/fd/7`.
  [[nodiscard]] std::string path() const;

 private:
  int descriptor_ = -1;
};

}  // namespace foretrain::exec
