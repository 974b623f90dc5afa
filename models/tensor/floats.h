// A growing scratch buffer of numbers.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>
#include <span>

namespace foretrain {

/// Memory for numbers that are written before they are read: 64-byte aligned, not initialised, its
/// content is lost when it grows. It never shrinks, so steps after the first do not allocate.
class Floats {
 public:
  /// The first `count` numbers.
  std::span<float> reserve(std::size_t count) {
    if (count > capacity_) {
      memory_.reset();
      memory_.reset(static_cast<float*>(
          ::operator new (count * sizeof(float), std::align_val_t{kAlignment})));
      capacity_ = count;
    }
    return {memory_.get(), count};
  }
  [[nodiscard]] float* data() { return memory_.get(); }
  [[nodiscard]] const float* data() const { return memory_.get(); }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }

 private:
  static constexpr std::size_t kAlignment = 64;  // a cache line and the widest vector register
  struct Free {
    void operator()(float* memory) const {
      ::operator delete (memory, std::align_val_t{kAlignment});
    }
  };

  std::unique_ptr<float, Free> memory_;
  std::size_t capacity_ = 0;
};

}  // namespace foretrain
