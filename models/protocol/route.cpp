#include "models/protocol/route.h"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace foretrain {

const Option kGroup{.key = "group",
                    .doc = "workers of a host, that add up among themselves first; 1: one ring",
                    .fallback = std::int64_t{1},
                    .least = 1,
                    .unused_because = "no ring of workers, so none in groups"};

std::optional<WrongOption> wrong_group(const ProtocolOptions& options, int workers) {
  const std::int64_t group = options.integer(kGroup);
  if (workers % group == 0) return std::nullopt;
  return WrongOption{&kGroup, fmt::format("{}: {} workers are no such groups; write a number that "
                                          "divides them",
                                          group, workers)};
}

Ways Ways::of(const Training& training) {
  const auto workers = static_cast<unsigned>(training.workers);
  const auto group = static_cast<int>(training.options.integer(kGroup));
  const bool hypercube = group == 1 && workers >= 4 && std::has_single_bit(workers) &&
                         training.layout->buckets.front().size() <= kSmallBucket;
  return {training.workers, hypercube, group};
}

Route::Route(const Ways& ways, int owner, int worker)
    : ways_(ways), owner_(owner), worker_(worker) {
  if (ways.workers == 1) return;
  if (ways.hypercube) {
    // The edges along the bits above those of the distance.
    const auto distance = static_cast<unsigned>(owner ^ worker);
    sources_ = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ways.workers)) - 1 -
                                        std::bit_width(distance));
    targets_ = sources_;
    return;
  }
  const auto places = [this](int a, int b) { return (a - b) % ways_.group == 0; };
  const auto groups = [this](int a, int b) { return a / ways_.group == b / ways_.group; };
  if (!places(within(-1), owner)) ring_sources_[sources_++] = within(-1);
  if (has_owners_place()) {
    if (!groups(across(-1), owner)) ring_sources_[sources_++] = across(-1);
    if (!groups(across(1), owner)) ring_targets_[targets_++] = across(1);
  }
  if (!places(within(1), owner)) ring_targets_[targets_++] = within(1);
}

int Route::within(int turns) const {
  const int place = (worker_ + turns + ways_.group) % ways_.group;
  return worker_ - worker_ % ways_.group + place;
}

int Route::across(int turns) const {
  return (worker_ + turns * ways_.group + ways_.workers) % ways_.workers;
}

// The highest bit first.
int Route::source(std::size_t i) const {
  if (!ways_.hypercube) return ring_sources_[i];
  return worker_ ^ (ways_.workers / 2 >> i);
}

std::optional<std::size_t> Route::source_of(int worker) const {
  for (std::size_t i = 0; i < sources_; ++i) {
    if (source(i) == worker) return i;
  }
  return std::nullopt;
}

std::optional<int> Route::sum_to() const {
  if (worker_ == owner_) return std::nullopt;
  if (!ways_.hypercube) return has_owners_place() ? across(1) : within(1);
  return worker_ ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(owner_ ^ worker_)));
}

std::optional<int> Route::values_from() const {
  if (worker_ == owner_) return std::nullopt;
  if (ways_.hypercube) return sum_to();
  return has_owners_place() ? across(-1) : within(-1);
}

int Route::target(std::size_t i) const {
  return ways_.hypercube ? source(targets_ - 1 - i) : ring_targets_[i];
}

bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b) {
  const auto first = static_cast<int>(index_of(a));
  const auto second = static_cast<int>(index_of(b));
  if (first == second) return false;
  const Ways ways = Ways::of(training);
  if (ways.hypercube) return std::has_single_bit(static_cast<unsigned>(first ^ second));
  const auto next = [](int one, int other, int of) {
    return (one + 1) % of == other || (other + 1) % of == one;
  };
  const int groups = ways.workers / ways.group;
  const bool same_group = first / ways.group == second / ways.group;
  const bool same_place = first % ways.group == second % ways.group;
  return (same_group && next(first % ways.group, second % ways.group, ways.group)) ||
         (same_place && next(first / ways.group, second / ways.group, groups));
}

}  // namespace foretrain
