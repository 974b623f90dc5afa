// A queue, first in, first out, in one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace foretrain {

/// A queue that takes no memory while it is empty, as most queues of a simulation are (an empty
/// std::deque takes 600 bytes). Places of removed items are reused when they are half of all, so an
/// operation takes constant time on average. `Items` stores the items, like a std::vector.
template <class T, class Items = std::vector<T>>
class Fifo {
 public:
  [[nodiscard]] bool empty() const { return first_ == items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size() - first_; }
  [[nodiscard]] T& front() { return items_[first_]; }
  [[nodiscard]] const T& front() const { return items_[first_]; }

  [[nodiscard]] const T& back() const { return items_.back(); }
  /// Does not release memory.
  void clear() {
    items_.clear();
    first_ = 0;
  }
  void push_back(T item) {
    if (first_ > 16 && 2 * first_ > items_.size()) {
      items_.erase(items_.begin(), begin());
      first_ = 0;
    }
    items_.push_back(std::move(item));
  }
  T pop_front() {
    T item = std::move(items_[first_]);
    if (++first_ == items_.size()) {
      items_.clear();
      first_ = 0;
    }
    return item;
  }
  /// Inserts before the item at `place`, one of begin() to end(). Near either end this takes
  /// constant time on average.
  void insert(typename Items::iterator place, T item) {
    if (place == end()) return push_back(std::move(item));
    const std::ptrdiff_t before = place - begin();
    if (size() <= 16 || before > static_cast<std::ptrdiff_t>(size()) / 2) {
      items_.insert(place, std::move(item));
      return;
    }
    if (first_ == 0) make_room();
    --first_;
    std::move(begin() + 1, begin() + 1 + before, begin());
    *(begin() + before) = std::move(item);
  }
  void erase(typename Items::iterator place) {
    items_.erase(place);
    if (!empty()) return;
    items_.clear();
    first_ = 0;
  }
  [[nodiscard]] auto begin() { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() { return items_.end(); }
  [[nodiscard]] auto begin() const { return items_.begin() + static_cast<std::ptrdiff_t>(first_); }
  [[nodiscard]] auto end() const { return items_.end(); }

 private:
  /// Half as many places before the items as there are items.
  void make_room() {
    const auto items = static_cast<std::ptrdiff_t>(items_.size());
    first_ = items_.size() / 2;
    items_.resize(first_ + items_.size());
    std::move_backward(items_.begin(), items_.begin() + items, items_.end());
  }

  Items items_;
  std::size_t first_ = 0;
};

}  // namespace foretrain
