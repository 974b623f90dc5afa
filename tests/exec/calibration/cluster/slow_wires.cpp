#include "tests/exec/calibration/cluster/slow_wires.h"

#include "exec/emulation/tool.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <linux/if.h>
#include <linux/if_tun.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <deque>
#include <system_error>

namespace foretrain::testing {
namespace {
using WireClock = std::chrono::steady_clock;

constexpr std::size_t kMostOfPacket = 1500;
constexpr int kAroundPacket = 38;  // Ethernet's header, checksum, preamble, gap
constexpr double kPortHolds = 1e6;

int open_device() {
  const int device = open("/dev/net/tun", O_RDWR | O_CLOEXEC | O_NONBLOCK);
  ifreq request{};
  request.ifr_flags = IFF_TUN | IFF_NO_PI;
  std::strncpy(request.ifr_name, "wire", sizeof request.ifr_name - 1);
  if (device < 0 || ioctl(device, TUNSETIFF, &request) != 0) {
    throw std::system_error(errno, std::generic_category(), "/dev/net/tun");
  }
  return device;
}

struct Packet {
  WireClock::time_point arrives;
  std::vector<char> bytes;
};

// A sending port, which is busy until `free`.
struct WirePort {
  WireClock::time_point free{};

  // Sets the time when a packet that arrives at `now` has left the port; false if the port is full.
  bool pass(WireClock::time_point now, double seconds, double most_s, WireClock::time_point& left) {
    const auto begin = std::max(now, free);
    if (std::chrono::duration<double>(begin - now).count() > most_s) return false;
    free = begin + std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 * seconds));
    left = free;
    return true;
  }
};

class WireSwitch {
 public:
  WireSwitch(const std::vector<int>& devices, BytesPerSecond rate, Duration latency)
      : devices_(devices),
        rate_(rate),
        latency_(latency),
        to_switch_(devices.size()),
        to_host_(devices.size()),
        on_way_(devices.size()) {}

  [[noreturn]] void serve() {
    std::vector<pollfd> polled;
    for (const int device : devices_) polled.push_back({device, POLLIN, 0});
    while (true) {
      const timespec rest = until_next();
      ppoll(polled.data(), polled.size(), &rest, nullptr);
      for (std::size_t host = 0; host < devices_.size(); ++host) take_from(host);
      deliver();
    }
  }

 private:
  // Packets are delayed by the latency of both hosts. Those of a host stay in order, because they
  // pass its own port last.
  void take_from(std::size_t host) {
    std::array<char, kMostOfPacket> bytes{};
    for (ssize_t size = 0; (size = read(devices_[host], bytes.data(), bytes.size())) > 0;) {
      if (size < 20 || bytes[0] >> 4 != 4) continue;
      const std::size_t to = static_cast<unsigned char>(bytes[19]) - 1U;
      if (to >= devices_.size()) continue;
      const double seconds = static_cast<double>(size + kAroundPacket) / rate_.value;
      const double most_s = kPortHolds / rate_.value;
      auto at = WireClock::now();
      if (!to_switch_[host].pass(at, seconds, most_s, at)) continue;
      if (!to_host_[to].pass(at, seconds, most_s, at)) continue;
      on_way_[to].push_back({at + std::chrono::nanoseconds(2 * latency_.ns),
                             std::vector<char>(bytes.begin(), bytes.begin() + size)});
    }
  }

  void deliver() {
    const auto now = WireClock::now();
    for (std::size_t host = 0; host < devices_.size(); ++host) {
      std::deque<Packet>& packets = on_way_[host];
      while (!packets.empty() && packets.front().arrives <= now) {
        const std::vector<char>& bytes = packets.front().bytes;
        [[maybe_unused]] const ssize_t written = write(devices_[host], bytes.data(), bytes.size());
        packets.pop_front();
      }
    }
  }

  [[nodiscard]] timespec until_next() const {
    auto next = WireClock::now() + std::chrono::seconds(1);
    for (const std::deque<Packet>& packets : on_way_) {
      if (!packets.empty()) next = std::min(next, packets.front().arrives);
    }
    const auto rest = std::chrono::nanoseconds(next - WireClock::now()).count();
    constexpr std::int64_t kSecond = 1'000'000'000;
    const std::int64_t ns = std::clamp<std::int64_t>(rest, 0, kSecond);
    return {ns / kSecond, ns % kSecond};
  }

  const std::vector<int>& devices_;
  BytesPerSecond rate_;
  Duration latency_;
  std::vector<WirePort> to_switch_;
  std::vector<WirePort> to_host_;
  std::vector<std::deque<Packet>> on_way_;  // by destination host
};

}  // namespace

std::string SlowWires::address(std::size_t host) { return fmt::format("10.0.0.{}", host + 1); }

SlowWires::SlowWires(std::size_t hosts, BytesPerSecond rate, Duration latency) {
  for (std::size_t host = 0; host < hosts; ++host) {
    networks_.emplace_back().enter([&] {
      devices_.push_back(open_device());
      exec::run_tool({exec::find_tool("ip"), "-batch", "-"},
                     fmt::format("link set dev lo up\naddress add {}/24 dev wire\n"
                                 "link set dev wire up\n",
                                 address(host)));
    });
  }
  switch_ = fork();
  if (switch_ != 0) return;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_TIMERSLACK, 1'000);
  WireSwitch(devices_, rate, latency).serve();
}

SlowWires::~SlowWires() {
  if (switch_ > 0) {
    kill(switch_, SIGKILL);
    waitpid(switch_, nullptr, 0);
  }
  for (const int device : devices_) close(device);
}

}  // namespace foretrain::testing
