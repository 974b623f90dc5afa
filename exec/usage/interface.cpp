#include "exec/usage/interface.h"

#include <ifaddrs.h>
#include <net/if.h>

#include <array>
#include <charconv>
#include <fstream>
#include <iterator>
#include <string>

namespace foretrain::exec {
namespace {

/// Removes the next number from the beginning of `line`.
std::int64_t take_number(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  std::int64_t number = -1;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  return error == std::errc{} ? number : -1;
}

}  // namespace

// One line per interface: `  eth0: received bytes, packets, 6 more, sent bytes, packets, 6 more`.
InterfaceBytes parse_interface_bytes(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != ":") continue;
    line.remove_prefix(name.size() + 1);
    std::array<std::int64_t, 9> numbers{};
    for (std::int64_t& number : numbers) number = take_number(line);
    return {{numbers[8]}, {numbers[0]}};
  }
  return {};
}

InterfaceBytes interface_bytes(std::string_view name) {
  std::ifstream file("/proc/thread-self/net/dev");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_interface_bytes(text, name);
}

std::string loopback_trouble() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return {};  // connecting will fail later
  bool up = false;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    constexpr unsigned kUp = IFF_LOOPBACK | IFF_UP;
    up = up || (each->ifa_flags & kUp) == kUp;
  }
  freeifaddrs(all);
  if (up) return {};
  return "the loopback device (lo) of this machine is down, but its processes need it; bring it "
         "up: ip link set lo up";
}

}  // namespace foretrain::exec
