// What a network interface has carried so far, as the kernel counts it.
#pragma once

#include "models/base/quantity.h"

#include <string>
#include <string_view>

namespace foretrain::exec {

/// Bytes of packets with their headers, since the interface was made; negative: there is none.
struct InterfaceBytes {
  Bytes tx{-1};
  Bytes rx{-1};
};

/// From /proc: of the interface of that name in the calling thread's network.
InterfaceBytes interface_bytes(std::string_view name);

/// The same of the text of /proc/net/dev.
InterfaceBytes parse_interface_bytes(std::string_view text, std::string_view name);

/// Empty, or that the calling thread's network has no loopback device that carries packets: what
/// connects to a process of this machine would wait, or try again, for long.
std::string loopback_trouble();

}  // namespace foretrain::exec
