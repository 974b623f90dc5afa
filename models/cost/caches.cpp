#include "models/cost/caches.h"

#include "models/base/random.h"

#include <algorithm>

namespace foretrain {
namespace {

constexpr double kNothingLeft = 4;  // caches away: two bytes in a thousand are still there

// Names it on its host.
std::uint64_t name_of(const Touched& touched) {
  return (std::uint64_t{touched.node} << 40) ^ touched.what;
}

// The share that is gone, so many bytes away: of four ways.
double share_gone(double distance, Bytes cache) {
  const auto held = static_cast<double>(cache.value);
  if (distance >= kNothingLeft * held) return 1;
  const double came = 4 * distance / held;
  return 1 - portable_exp(-came) * (1 + came * (1 + came / 2 * (1 + came / 3)));
}

}  // namespace

Caches::Caches(const MemoryHierarchy& memory, int cores)
    : memory_(memory), by_core_(static_cast<std::size_t>(cores)) {}

Refill Caches::touch(int core, const Touched& touched) {
  if (!memory_.known() || touched.size.value <= 0) return {};
  const auto size = static_cast<double>(touched.size.value);
  const Refill refill = missing(core, touched, size, 1);
  Bytes& known = known_[name_of(touched)];
  const double fresh = std::max(0.0, size - static_cast<double>(known.value));
  known = std::max(known, touched.size);
  const double before = 1 - fresh / size;
  return {before * refill.shared, before * refill.memory, fresh};
}

Refill Caches::pass(int core, const Touched& part, Bytes whole) {
  if (!memory_.known() || part.size.value <= 0) return {};
  const auto all = static_cast<double>(whole.value);
  return missing(core, part, all, std::max(1.0, all / static_cast<double>(part.size.value)));
}

Refill Caches::missing(int core, const Touched& touched, double more, double times) {
  const auto size = static_cast<double>(touched.size.value);
  const auto gone = [&](Recent& recent, Bytes cache, BytesPerSecond others) {
    const auto between = renew(recent, touched, cache);
    if (!between) return size;
    const double by_others = others.value * between->time.seconds() * times;
    return size * share_gone(between->bytes + more + by_others, cache);
  };
  Recent& recent = by_core_[static_cast<std::size_t>(core) % by_core_.size()];
  const double away = gone(recent, memory_.private_cache, {});
  const double far_away = std::min(away, gone(on_host_, memory_.shared_cache, memory_.neighbours));
  return {away - far_away, far_away, 0};
}

std::optional<Caches::Between> Caches::renew(Recent& recent, const Touched& touched,
                                             Bytes cache) const {
  const double most = kNothingLeft * static_cast<double>(cache.value);
  double bytes = 0;
  auto place = recent.rbegin();
  for (; place != recent.rend() && !place->what.is(touched); ++place) {
    bytes += static_cast<double>(place->what.size.value);
    if (bytes > most) break;
  }
  if (place == recent.rend() || !place->what.is(touched)) {
    if (place != recent.rend()) recent.erase(recent.begin(), place.base());
    recent.push_back({touched, now_});
    return std::nullopt;
  }
  const Duration time = std::max(Duration{}, now_ - place->at);
  std::rotate(place.base() - 1, place.base(), recent.end());
  recent.back() = {touched, now_};
  return Between{bytes, time};
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
