#include "models/protocol/route.h"

#include <bit>

namespace foretrain {

Route::Route(bool hypercube, int workers, int owner, int worker)
    : hypercube_(hypercube), workers_(workers), owner_(owner), worker_(worker) {
  if (workers == 1) return;
  if (!hypercube) {
    sources_ = before() != owner ? 1 : 0;
    targets_ = after() != owner ? 1 : 0;
    return;
  }
  // The edges along the bits above those of the distance.
  const auto distance = static_cast<unsigned>(owner ^ worker);
  sources_ = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(workers)) - 1 -
                                      std::bit_width(distance));
  targets_ = sources_;
}

// The highest bit first.
int Route::source(std::size_t i) const {
  if (!hypercube_) return before();
  return worker_ ^ (workers_ / 2 >> i);
}

std::optional<std::size_t> Route::source_of(int worker) const {
  for (std::size_t i = 0; i < sources_; ++i) {
    if (source(i) == worker) return i;
  }
  return std::nullopt;
}

std::optional<int> Route::sum_to() const {
  if (worker_ == owner_) return std::nullopt;
  if (!hypercube_) return after();
  return worker_ ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(owner_ ^ worker_)));
}

std::optional<int> Route::values_from() const {
  if (worker_ == owner_) return std::nullopt;
  return hypercube_ ? *sum_to() : before();
}

int Route::target(std::size_t i) const { return hypercube_ ? source(targets_ - 1 - i) : after(); }

bool over_hypercube(const Training& training) {
  const auto workers = static_cast<unsigned>(training.workers);
  return workers >= 4 && std::has_single_bit(workers) &&
         training.layout->buckets.front().size() <= kSmallBucket;
}

bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b) {
  const auto first = static_cast<int>(index_of(a));
  const auto second = static_cast<int>(index_of(b));
  if (first == second) return false;
  if (over_hypercube(training)) return std::has_single_bit(static_cast<unsigned>(first ^ second));
  return (first + 1) % training.workers == second || (second + 1) % training.workers == first;
}

}  // namespace foretrain
