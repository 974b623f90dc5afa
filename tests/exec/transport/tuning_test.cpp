// Socket options, read back from the kernel.
#include "exec/transport/tuning.h"

#include <catch2/catch.hpp>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace foretrain::exec {
namespace {

struct Socket {
  int native = socket(AF_INET, SOCK_STREAM, 0);
  Socket() = default;
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { close(native); }

  [[nodiscard]] int option(int level, int name) const {
    int value = -1;
    socklen_t length = sizeof value;
    getsockopt(native, level, name, &value, &length);
    return value;
  }
};

TEST_CASE("tuning: without a choice the congestion control is cubic, else reno") {
  const Socket socket;
  const std::string chosen = tune(socket.native, {});
  CHECK((chosen == "cubic" || chosen == "reno"));
  CHECK(socket.option(IPPROTO_TCP, TCP_NOTSENT_LOWAT) == 256 * 1024);
}

TEST_CASE("tuning: what the scenario says is what the socket has") {
  const Socket socket;
  TransportSpec spec;
  spec.congestion_control = "reno";
  spec.socket_buffer = {50'000};
  spec.unsent = {30'000};
  CHECK(tune(socket.native, spec) == "reno");
  CHECK(socket.option(SOL_SOCKET, SO_SNDBUF) == 100'000);  // the kernel includes its own overhead
  CHECK(socket.option(SOL_SOCKET, SO_RCVBUF) == 100'000);
  CHECK(socket.option(IPPROTO_TCP, TCP_NOTSENT_LOWAT) == 30'000);
}

TEST_CASE("tuning: a connection is not given up before the silence is over") {
  const auto [silence_ms, user_timeout_ms] =
      GENERATE(table<int, int>({{100, 1'000}, {1'000, 1'000}, {1'500, 2'000}, {3'000, 3'000}}));
  const Socket socket;
  give_up_after(socket.native, {silence_ms * 1'000'000LL});
  CHECK(socket.option(IPPROTO_TCP, TCP_USER_TIMEOUT) == user_timeout_ms);
  CHECK(socket.option(SOL_SOCKET, SO_KEEPALIVE) == 1);
}

TEST_CASE(
    "tuning: a congestion control that the kernel lacks is an error that names those it has") {
  const Socket socket;
  TransportSpec spec;
  spec.congestion_control = "carrier_pigeon";
  CHECK_THROWS_WITH(tune(socket.native, spec),
                    Catch::Contains("no carrier_pigeon; it has: ") && Catch::Contains("reno"));
}

}  // namespace
}  // namespace foretrain::exec
