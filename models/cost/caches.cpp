#include "models/cost/caches.h"

#include "models/base/random.h"

#include <algorithm>

namespace foretrain {
namespace {

constexpr std::int64_t kNothingLeft = 4;  // cache sizes away: 0.2 % of bytes are still there

// A name on its host.
std::uint64_t name_of(const Touched& touched) {
  return (std::uint64_t{touched.node} << 40) ^ touched.what;
}

// The share of bytes evicted at a reuse distance, in a cache of four ways.
double share_gone(double distance, Bytes cache) {
  const auto held = static_cast<double>(cache.value);
  if (distance >= static_cast<double>(kNothingLeft) * held) return 1;
  const double came = 4 * distance / held;
  return 1 - portable_exp(-came) * (1 + came * (1 + came / 2 * (1 + came / 3)));
}

}  // namespace

Caches::Caches(const MemoryHierarchy& memory, int cores)
    : memory_(memory),
      by_core_(static_cast<std::size_t>(cores),
               ReuseDistances(memory.private_cache * kNothingLeft)),
      on_host_(memory.shared_cache * kNothingLeft) {}

// A piece that is touched for the first time gets the next number.
Caches::Known& Caches::know(const Touched& touched) {
  const Known fresh{static_cast<std::uint32_t>(known_.size()), {}};
  return known_.try_emplace(name_of(touched), fresh).first->second;
}

CacheMisses Caches::touch(int core, const Touched& touched) {
  if (!memory_.known() || touched.size.value <= 0) return {};
  const auto size = static_cast<double>(touched.size.value);
  Known& known = know(touched);
  const CacheMisses misses = missing(core, touched, known.number, size, 1);
  const double fresh = std::max(0.0, size - static_cast<double>(known.most.value));
  known.most = std::max(known.most, touched.size);
  const double before = 1 - fresh / size;
  return {before * misses.shared, before * misses.memory, fresh};
}

CacheMisses Caches::pass(int core, const Touched& part, Bytes whole) {
  if (!memory_.known() || part.size.value <= 0) return {};
  const auto all = static_cast<double>(whole.value);
  const std::uint32_t number = know(part).number;
  return missing(core, part, number, all,
                 std::max(1.0, all / static_cast<double>(part.size.value)));
}

CacheMisses Caches::missing(int core, const Touched& touched, std::uint32_t number, double more,
                            double times) {
  const auto size = static_cast<double>(touched.size.value);
  const auto gone = [&](ReuseDistances& order, Bytes cache, BytesPerSecond others) {
    const auto between = order.touch(number, touched.size, now_);
    if (!between) return size;
    const double by_others = others.value * between->time.seconds() * times;
    return size * share_gone(static_cast<double>(between->bytes.value) + more + by_others, cache);
  };
  ReuseDistances& on_core = by_core_[static_cast<std::size_t>(core) % by_core_.size()];
  const double away = gone(on_core, memory_.private_cache, {});
  const double far_away =
      std::min(away, gone(on_host_, memory_.shared_cache, memory_.background_traffic));
  return {away - far_away, far_away, 0};
}

double Caches::byte_s(double alone_s, int cores) const {
  if (memory_.bandwidth.value <= 0) return alone_s;
  return std::max(alone_s, cores / memory_.bandwidth.value);
}

Duration Caches::time_of(const CacheMisses& misses, int cores) const {
  return Duration::from_seconds(misses.shared * memory_.shared_byte_s +
                                misses.memory * byte_s(memory_.memory_byte_s, cores) +
                                misses.fresh * memory_.fresh_byte_s);
}

Duration Caches::time_of_message(const CacheMisses& misses, int cores) const {
  return Duration::from_seconds((misses.memory + misses.fresh) *
                                byte_s(memory_.copied_byte_s, cores));
}

}  // namespace foretrain
