#include "models/cost/reuse_distance.h"

#include <algorithm>
#include <bit>

namespace foretrain {
namespace {
constexpr std::size_t kFewest = 64;  // places
}

std::optional<ReuseDistances::Between> ReuseDistances::touch(std::uint32_t piece, Bytes size,
                                                             Instant now) {
  if (place_of_.size() <= piece) place_of_.resize(piece + 1, kNone);
  std::optional<Between> between;
  const std::uint32_t before = place_of_[piece];
  if (before != kNone && before >= forgotten_) {
    const Bytes since = all_ - up_to(before);
    if (since <= most_) between = {since, std::max(Duration{}, now - places_[before].at)};
  }
  if (!between) forget();
  if (before != kNone) {
    add(before, Bytes{} - places_[before].size);
    places_[before].piece = kNone;
  }
  if (places_.size() == sums_.size()) tidy();
  place_of_[piece] = static_cast<std::uint32_t>(places_.size());
  places_.push_back({piece, size, now});
  add(places_.size() - 1, size);
  return between;
}

void ReuseDistances::add(std::size_t place, Bytes size) {
  all_ += size;
  for (std::size_t i = place + 1; i <= sums_.size(); i += i & (~i + 1)) sums_[i - 1] += size;
}

Bytes ReuseDistances::up_to(std::size_t place) const {
  Bytes sum;
  for (std::size_t i = place + 1; i > 0; i &= i - 1) sum += sums_[i - 1];
  return sum;
}

// Forgets all places before the last one from which on there are more than `most_` bytes.
void ReuseDistances::forget() {
  Bytes rest = all_ - most_;
  if (rest.value <= 0) return;
  std::size_t count = 0;  // leading places with fewer bytes than `rest`
  for (std::size_t step = std::bit_floor(sums_.size()); step > 0; step /= 2) {
    if (count + step > sums_.size() || sums_[count + step - 1] >= rest) continue;
    count += step;
    rest = rest - sums_[count - 1];
  }
  forgotten_ = std::max(forgotten_, count + 1);
}

void ReuseDistances::tidy() {
  std::size_t kept = 0;
  for (std::size_t place = 0; place < places_.size(); ++place) {
    const std::uint32_t piece = places_[place].piece;
    if (piece == kNone) continue;
    place_of_[piece] = place < forgotten_ ? kNone : static_cast<std::uint32_t>(kept);
    if (place >= forgotten_) places_[kept++] = places_[place];
  }
  places_.resize(kept);
  forgotten_ = 0;
  sums_.assign(std::max(kFewest, 2 * kept), {});
  all_ = {};
  for (std::size_t place = 0; place < kept; ++place) add(place, places_[place].size);
}

}  // namespace foretrain
