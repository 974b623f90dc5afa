// The buffers of payloads, with their reference counts.
#include "models/tensor/payload.h"

#include "models/base/check.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace foretrain {
namespace {
constexpr std::size_t kAlignment = 64;  // a cache line and the widest vector register
}

// The count has a cache line of its own before the bytes, which keeps those aligned. It is not a
// std::shared_ptr because use_count() does not order the last reader's reads before a write.
struct alignas(kAlignment) Payload::Buffer {
  explicit Buffer(void* all) : memory(all) {}

  std::atomic<std::int64_t> holders{1};
  void* memory;  // as allocated

  std::byte* data() { return reinterpret_cast<std::byte*>(this) + sizeof(Buffer); }
};

Payload Payload::allocate(Bytes size) {
  FT_CHECK_OP(size.value, >=, 0);
  if (size.value == 0) return {};
  const auto room = static_cast<std::size_t>(size.value);
  // Aligned by hand: glibc 2.36 does not reuse freed aligned memory for a request of the same size,
  // so a server that receives and frees gradients would hold half as much again.
  std::size_t space = sizeof(Buffer) + room + kAlignment;
  void* const memory = ::operator new(space);
  void* place = memory;
  place = std::align(kAlignment, sizeof(Buffer) + room, place, space);
  return {new (place) Buffer(memory), {}, size};
}

Payload Payload::sized(Bytes size) {
  FT_CHECK_OP(size.value, >=, 0);
  return {nullptr, {}, size};
}

Payload::Payload(const Payload& other)
    : buffer_(other.buffer_), offset_(other.offset_), size_(other.size_) {
  if (buffer_ != nullptr) buffer_->holders.fetch_add(1, std::memory_order_relaxed);
}

Payload::Payload(Payload&& other) noexcept
    : buffer_(std::exchange(other.buffer_, nullptr)),
      offset_(std::exchange(other.offset_, {})),
      size_(std::exchange(other.size_, {})) {}

Payload& Payload::operator=(const Payload& other) {
  if (this != &other) *this = Payload(other);
  return *this;
}

Payload& Payload::operator=(Payload&& other) noexcept {
  if (this == &other) return *this;
  release();
  buffer_ = std::exchange(other.buffer_, nullptr);
  offset_ = std::exchange(other.offset_, {});
  size_ = std::exchange(other.size_, {});
  return *this;
}

Payload::~Payload() { release(); }

void Payload::release() {
  if (buffer_ == nullptr) return;
  if (buffer_->holders.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    void* const memory = buffer_->memory;
    buffer_->~Buffer();
    ::operator delete(memory);
  }
  buffer_ = nullptr;
}

std::span<const std::byte> Payload::bytes() const {
  FT_CHECK(has_bytes());
  if (size_.value == 0) return {};
  return {buffer_->data() + offset_.value, static_cast<std::size_t>(size_.value)};
}

std::span<const float> Payload::floats() const {
  const auto raw = bytes();
  FT_CHECK_OP(raw.size() % sizeof(float), ==, 0u);
  FT_CHECK_OP(offset_.value % static_cast<std::int64_t>(alignof(float)), ==, 0);
  return {reinterpret_cast<const float*>(raw.data()), raw.size() / sizeof(float)};
}

bool Payload::unshared() const {
  // acquire: the reads of the last other holder happened before the following write.
  return buffer_ == nullptr || buffer_->holders.load(std::memory_order_acquire) == 1;
}

std::span<std::byte> Payload::writable_bytes() {
  FT_CHECK(unshared());
  const auto raw = bytes();
  return {const_cast<std::byte*>(raw.data()), raw.size()};
}

std::span<float> Payload::writable_floats() {
  FT_CHECK(unshared());
  const auto numbers = floats();
  return {const_cast<float*>(numbers.data()), numbers.size()};
}

Payload Payload::slice(Bytes offset, Bytes size) const {
  FT_CHECK_OP(offset.value, >=, 0);
  FT_CHECK_OP(size.value, >=, 0);
  FT_CHECK_OP(offset.value, <=, size_.value - size.value);
  Payload part = *this;
  part.offset_ += offset;
  part.size_ = size;
  return part;
}

Payload Payload::spanned(const Payload& other) const {
  FT_CHECK(buffer_ == other.buffer_);
  Payload both = *this;
  both.offset_ = std::min(offset_, other.offset_);
  both.size_ = std::max(offset_ + size_, other.offset_ + other.size_) - both.offset_;
  return both;
}

}  // namespace foretrain
