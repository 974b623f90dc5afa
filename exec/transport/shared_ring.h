// A ring buffer in memory of two processes: one writes bytes, the other reads them.
#pragma once

#include "models/base/quantity.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace foretrain::exec {

/// By what another process of the host finds the memory: a descriptor of the one that made it. The
/// memory has no name anywhere, so nothing of it is left when both processes are gone, however they
/// ended.
struct RingOffer {
  std::int64_t process = 0;
  std::int64_t descriptor = 0;
  std::int64_t bytes = 0;                   ///< of the buffer
  std::array<std::uint64_t, 2> password{};  ///< drawn; in the memory, too
};

/// The memory itself (Linux: memfd_create), of a fixed size: no end can make it shorter for the
/// other.
class SharedRing {
 public:
  SharedRing(const SharedRing&) = delete;
  SharedRing& operator=(const SharedRing&) = delete;
  ~SharedRing();

 protected:
  struct Shared;
  SharedRing(int descriptor, Bytes size);

  [[nodiscard]] bool mapped() const { return shared_ != nullptr; }
  [[nodiscard]] Shared& shared() const { return *shared_; }
  /// Where the byte with that number lies, and so many bytes of `count` as follow it there.
  [[nodiscard]] std::span<std::byte> at(std::uint64_t number, std::size_t count) const;
  [[nodiscard]] std::size_t size() const { return size_; }
  /// The memory stays as long as somebody has it mapped.
  void close_descriptor();

 private:
  int descriptor_;
  std::size_t size_;
  Shared* shared_ = nullptr;
};

/// The end that writes, and makes the memory. Each end is used on one thread at a time.
class RingWriter : public SharedRing {
 public:
  /// Null where the system gives no such memory.
  static std::unique_ptr<RingWriter> make(Bytes size);

  [[nodiscard]] const RingOffer& offer() const { return offer_; }
  /// The other end has it: from now on bytes may be put.
  void accepted();
  [[nodiscard]] bool ready() const { return ready_; }
  /// All of them, or none where there is no room: false.
  [[nodiscard]] bool put(std::span<const std::byte> bytes);

 private:
  using SharedRing::SharedRing;

  RingOffer offer_;
  std::uint64_t written_ = 0;
  bool ready_ = false;
};

/// The end that reads.
class RingReader : public SharedRing {
 public:
  /// Null where there is no such memory: the other process is on another host, in a container, of
  /// another user. `offer` comes from a process of the same run, yet nothing that it says does
  /// harm.
  static std::unique_ptr<RingReader> open(const RingOffer& offer);

  /// Fills all of `to`; false: the other end has not put so many.
  [[nodiscard]] bool take(std::span<std::byte> to);

 private:
  using SharedRing::SharedRing;

  std::uint64_t read_ = 0;
};

}  // namespace foretrain::exec
