// Numbered storage for pending objects that events refer to by slot.
#pragma once

#include "sim/engine/fetch.h"

#include <cstddef>
#include <utility>
#include <vector>

namespace foretrain::sim {

/// Slot numbers are reused, the most recently freed one first.
template <class T>
class Slots {
 public:
  std::size_t keep(T&& item) {
    if (free_.empty()) {
      items_.push_back(std::move(item));
      return items_.size() - 1;
    }
    const std::size_t slot = free_.back();
    free_.pop_back();
    if (free_.size() > kFetchedAhead) fetch(items_[free_[free_.size() - 1 - kFetchedAhead]]);
    items_[slot] = std::move(item);
    return slot;
  }
  T take(std::size_t slot) {
    free_.push_back(slot);
    return std::move(items_[slot]);
  }
  [[nodiscard]] T& operator[](std::size_t slot) { return items_[slot]; }
  /// Prefetches an item that will be used soon. Does nothing if the number is no slot.
  void expect(std::size_t slot) const {
    if (slot < items_.size()) fetch(items_[slot]);
  }
  /// Number of occupied slots.
  [[nodiscard]] std::size_t size() const { return items_.size() - free_.size(); }

 private:
  std::vector<T> items_;
  std::vector<std::size_t> free_;
};

}  // namespace foretrain::sim
