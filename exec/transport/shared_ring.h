// A ring buffer in each direction, in memory shared by two processes.
#pragma once

#include "exec/transport/byte_stream.h"
#include "models/base/quantity.h"

#include <cstdint>

namespace foretrain::exec {

/// Identifies the memory for another process of the host: a descriptor of the process that created
/// it. The memory has no name, so the kernel frees it when both processes are gone, however they
/// ended. All zero if there is none.
struct MemoryOffer {
  std::int64_t process = 0;
  std::int64_t descriptor = 0;
  std::int64_t bytes = 0;                   ///< of one ring
  std::array<std::uint64_t, 2> password{};  ///< random; also stored in the memory
};

/// Memory of a fixed size (Linux: memfd_create): neither process can shorten it for the other.
class SharedMemory;

/// Null if the system provides no such memory. `ring`: bytes in each direction.
std::shared_ptr<SharedMemory> make_memory(Bytes ring, MemoryOffer& offer);
/// Null if there is no such memory: the other process is on another host, in a container, of
/// another user. `offer` comes from a process of the same run, but cannot do harm in any case.
std::shared_ptr<SharedMemory> open_memory(const MemoryOffer& offer);

/// Bytes go through `memory`, which both processes have opened; a byte on `socket` tells the other
/// process to look into it. Data written before the writer died can still be read.
OwnedStream memory_stream(OwnedStream socket, std::shared_ptr<SharedMemory> memory);

}  // namespace foretrain::exec
