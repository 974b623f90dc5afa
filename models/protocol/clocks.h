// How far each worker is, with who is last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace foretrain {

/// The clocks of workers: how many of its gradients were applied of each. The slowest is known at
/// once: a server asks for it with every gradient, of thousands of workers at times.
class Clocks {
 public:
  explicit Clocks(int workers)
      : clocks_(static_cast<std::size_t>(workers)), lost_(static_cast<std::size_t>(workers)) {
    at_[0] = workers;
  }

  [[nodiscard]] std::int64_t of(std::size_t worker) const { return clocks_[worker]; }
  void advance(std::size_t worker) {
    if (!lost_[worker]) leave(clocks_[worker]);
    ++clocks_[worker];
    if (!lost_[worker]) ++at_[clocks_[worker]];
  }
  /// It is waited for no more.
  void lose(std::size_t worker) {
    if (lost_[worker]) return;
    leave(clocks_[worker]);
    lost_[worker] = true;
  }
  /// It was lost, and is waited for again, at this clock, which is no less than the one it had.
  void come_back(std::size_t worker, std::int64_t clock) {
    lost_[worker] = false;
    clocks_[worker] = clock;
    ++at_[clock];
  }
  [[nodiscard]] bool is_lost(std::size_t worker) const { return lost_[worker]; }

  /// The least clock of a worker who is there; there is always one.
  [[nodiscard]] std::int64_t slowest() const { return at_.begin()->first; }
  /// How many workers are there whose clock is the least.
  [[nodiscard]] std::int64_t at_slowest() const { return at_.begin()->second; }

 private:
  void leave(std::int64_t clock) {
    const auto here = at_.find(clock);
    if (--here->second == 0) at_.erase(here);
  }

  std::vector<std::int64_t> clocks_;
  std::vector<bool> lost_;
  std::map<std::int64_t, std::int64_t> at_;  // workers who are there, by clock
};

}  // namespace foretrain
