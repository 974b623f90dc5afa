#include "exec/transport/tuning.h"

#include <fmt/format.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <vector>

namespace foretrain::exec {
namespace {

bool set(int socket, int level, int option, int value) {
  return setsockopt(socket, level, option, &value, sizeof value) == 0;
}

std::string known_to_kernel() {
  std::ifstream file("/proc/sys/net/ipv4/tcp_available_congestion_control");
  std::string known;
  std::getline(file, known);
  return known;
}

}  // namespace

std::string tune(int native_socket, const TransportSpec& spec) {
  const bool chosen = !spec.congestion_control.empty();
  const std::vector<std::string> wanted =
      chosen ? std::vector{spec.congestion_control} : std::vector<std::string>{"cubic", "reno"};
  bool done = false;
  for (const std::string& name : wanted) {
    done = done || setsockopt(native_socket, IPPROTO_TCP, TCP_CONGESTION, name.c_str(),
                              static_cast<socklen_t>(name.size())) == 0;
  }
  if (chosen && !done) {
    throw TuningError(fmt::format("transport.congestion_control: this kernel has no {}; it has: {}",
                                  spec.congestion_control, known_to_kernel()));
  }
  if (spec.socket_buffer.value > 0) {
    const auto bytes = static_cast<int>(spec.socket_buffer.value);
    set(native_socket, SOL_SOCKET, SO_SNDBUF, bytes);
    set(native_socket, SOL_SOCKET, SO_RCVBUF, bytes);
  }
  if (spec.unsent.value > 0) {
    set(native_socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, static_cast<int>(spec.unsent.value));
  }
  std::array<char, 32> name{};
  socklen_t length = name.size() - 1;
  getsockopt(native_socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length);
  return name.data();
}

void give_up_after(int native_socket, Duration silence) {
  const auto seconds = std::max(1, static_cast<int>(std::ceil(silence.seconds())));
  set(native_socket, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(native_socket, IPPROTO_TCP, TCP_KEEPIDLE, 1);
  set(native_socket, IPPROTO_TCP, TCP_KEEPINTVL, 1);
  set(native_socket, IPPROTO_TCP, TCP_KEEPCNT, seconds);
  set(native_socket, IPPROTO_TCP, TCP_USER_TIMEOUT, 1000 * seconds);
}

}  // namespace foretrain::exec
