// Bytes that a network interface has carried, as the kernel counts them.
#pragma once

#include "models/base/quantity.h"

#include <string>
#include <string_view>

namespace foretrain::exec {

/// Bytes of packets with headers since the interface was created; negative if there is none.
struct InterfaceBytes {
  Bytes tx{-1};
  Bytes rx{-1};
};

/// Reads /proc for the interface of that name in the calling thread's network.
InterfaceBytes interface_bytes(std::string_view name);

/// The same from the text of /proc/net/dev.
InterfaceBytes parse_interface_bytes(std::string_view text, std::string_view name);

/// A complaint if the calling thread's network has no loopback device in operation, else empty.
/// Without one, connections to a process of this machine would wait or retry for long.
std::string loopback_trouble();

}  // namespace foretrain::exec
