// A counted reference to an immutable, aligned block of bytes, or to its size alone.
#pragma once

#include "models/base/quantity.h"

#include <atomic>
#include <cstddef>
#include <span>

namespace foretrain {

/// The content of a message, parameters or gradients: a slice of a buffer that others may share. N
/// sends share one buffer, and a writer checks `unshared` first. Without numerics a payload has a
/// size and no bytes.
///
/// Buffers start at a multiple of 64 bytes. Copies may be made and dropped on any thread; one
/// Payload object belongs to one thread at a time.
class Payload {
 public:
  /// Empty: size zero.
  Payload() = default;
  /// A new buffer; its bytes are undefined until the caller fills it.
  static Payload allocate(Bytes size);
  /// A size without bytes, for simulations without numerics.
  static Payload sized(Bytes size);

  Payload(const Payload& other);
  Payload(Payload&& other) noexcept;
  Payload& operator=(const Payload& other);
  Payload& operator=(Payload&& other) noexcept;
  ~Payload();

  [[nodiscard]] Bytes size() const { return size_; }
  /// False for a size without bytes.
  [[nodiscard]] bool has_bytes() const { return size_.value == 0 || buffer_ != nullptr; }
  [[nodiscard]] std::span<const std::byte> bytes() const;
  /// The bytes as numbers; size and place in the buffer must be multiples of four.
  [[nodiscard]] std::span<const float> floats() const;

  /// The buffer has no other owner: writing is allowed.
  [[nodiscard]] bool unshared() const;
  [[nodiscard]] std::span<std::byte> writable_bytes();
  [[nodiscard]] std::span<float> writable_floats();

  /// The part [offset, offset + size); it shares the buffer.
  [[nodiscard]] Payload slice(Bytes offset, Bytes size) const;
  /// From the first byte of this part to the last of `other`, or vice versa: both must be parts of
  /// one buffer, or of one size.
  [[nodiscard]] Payload spanned(const Payload& other) const;

 private:
  struct Buffer;
  Payload(Buffer* buffer, Bytes offset, Bytes size)
      : buffer_(buffer), offset_(offset), size_(size) {}
  void release();

  Buffer* buffer_ = nullptr;
  Bytes offset_;
  Bytes size_;
};

}  // namespace foretrain
