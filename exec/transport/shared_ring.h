// A ring buffer in each direction, in memory of two processes.
#pragma once

#include "exec/transport/byte_stream.h"
#include "models/base/quantity.h"

#include <cstdint>

namespace foretrain::exec {

/// By what another process of the host finds the memory: a descriptor of the process that made it.
/// The memory has no name anywhere, so the kernel frees it when both processes are gone, however
/// they ended. All zero: there is none.
struct MemoryOffer {
  std::int64_t process = 0;
  std::int64_t descriptor = 0;
  std::int64_t bytes = 0;                   ///< of one ring
  std::array<std::uint64_t, 2> password{};  ///< drawn; in the memory, too
};

/// Memory (Linux: memfd_create) of a fixed size: neither process can make it shorter for the other.
class SharedMemory;

/// Null if the system gives no such memory. `ring`: bytes in each direction.
std::shared_ptr<SharedMemory> make_memory(Bytes ring, MemoryOffer& offer);
/// Null if there is no such memory: the other process is on another host, in a container, of
/// another user. `offer` comes from a process of the same run, yet nothing in it does harm.
std::shared_ptr<SharedMemory> open_memory(const MemoryOffer& offer);

/// Bytes go through `memory`, which both processes have opened; a byte of `socket` tells the other
/// process to look into it. What was put into it before its writer died can still be read.
OwnedStream memory_stream(OwnedStream socket, std::shared_ptr<SharedMemory> memory);

}  // namespace foretrain::exec
