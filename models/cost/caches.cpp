#include "models/cost/caches.h"

#include "models/base/random.h"

#include <algorithm>

namespace foretrain {
namespace {

constexpr double kNothingLeft = 12;  // caches away: one byte in 160,000 is still there

// Names it on its host.
std::uint64_t name_of(const Touched& touched) {
  return (std::uint64_t{touched.node} << 40) ^ touched.what;
}

// The share that is still there, so many caches away.
double share_left(double caches) { return caches > kNothingLeft ? 0 : portable_exp(-caches); }

}  // namespace

Caches::Caches(const MemoryHierarchy& memory, int cores)
    : memory_(memory), by_core_(static_cast<std::size_t>(cores)) {}

Refill Caches::touch(int core, const Touched& touched) {
  if (!memory_.known() || touched.size.value <= 0) return {};
  const auto size = static_cast<double>(touched.size.value);
  Recent& recent = by_core_[static_cast<std::size_t>(core) % by_core_.size()];
  const double away = lost(recent, touched, memory_.private_cache);
  const double far_away = std::min(away, lost(on_host_, touched, memory_.shared_cache));
  if (met_.insert(name_of(touched)).second) return {0, 0, size};
  return {away - far_away, far_away, 0};
}

Refill Caches::pass(Bytes part, Bytes whole) const {
  if (!memory_.known()) return {};
  const auto away = [&](Bytes cache) {
    if (cache.value <= 0) return 1.0;
    return 1 - share_left(static_cast<double>(whole.value) / static_cast<double>(cache.value));
  };
  const auto size = static_cast<double>(part.value);
  const double far_away = away(memory_.shared_cache);
  return {size * std::max(0.0, away(memory_.private_cache) - far_away), size * far_away, 0};
}

double Caches::lost(Recent& recent, const Touched& touched, Bytes cache) {
  const auto size = static_cast<double>(touched.size.value);
  const auto held = static_cast<double>(cache.value);
  double distance = 0;
  auto place = recent.rbegin();
  for (; place != recent.rend() && !place->is(touched); ++place) {
    distance += static_cast<double>(place->size.value);
    if (distance > kNothingLeft * held) break;
  }
  const bool found = place != recent.rend() && place->is(touched);
  if (found) {
    std::rotate(place.base() - 1, place.base(), recent.end());
    recent.back() = touched;
  } else {
    if (place != recent.rend()) recent.erase(recent.begin(), place.base());
    recent.push_back(touched);
    return size;
  }
  if (held <= 0) return size;
  const double there = held * (share_left(distance / held) - share_left((distance + size) / held));
  return std::clamp(size - there, 0.0, size);
}

double Caches::byte_s(double alone_s, int cores) const {
  if (memory_.bandwidth.value <= 0) return alone_s;
  return std::max(alone_s, cores / memory_.bandwidth.value);
}

Duration Caches::time_of(const Refill& refill, int cores) const {
  return Duration::from_seconds(refill.shared * memory_.shared_byte_s +
                                refill.memory * byte_s(memory_.memory_byte_s, cores) +
                                refill.fresh * memory_.fresh_byte_s);
}

Duration Caches::time_of_message(const Refill& refill, int cores) const {
  return Duration::from_seconds((refill.memory + refill.fresh) *
                                byte_s(memory_.copied_byte_s, cores));
}

}  // namespace foretrain
