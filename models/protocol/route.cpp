#include "models/protocol/route.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>

namespace foretrain {

const Option kGroup{.key = "group",
                    .doc =
                        "number of workers, usually those of a host, that add up among themselves "
                        "first; with shard: parameters each group has a whole copy (HSDP); 1: one "
                        "ring",
                    .fallback = std::int64_t{1},
                    .least = 1,
                    .unused_because = "there is no ring of workers, so there are no groups"};

const Option kAlgorithm{
    .key = "algorithm",
    .doc =
        "by_size: recursive halving and doubling for 4, 8, 16, ... workers that each own at most "
        "64 KB of the parameters (1 MB without a cluster; not if devices share a NIC), else rings; "
        "ring; tree: two binary trees between groups (without group: between hosts with devices); "
        "auto: tree or ring, whichever is faster on the links of the cluster",
    .fallback = std::string("by_size"),
    .choices = {"by_size", "ring", "tree", "auto"},
    .unused_because = "there are no sums among workers"};

const Option kCollectives{
    .key = "collectives",
    .doc =
        "together: the sums of all buckets overlap, as of non-blocking calls (isend, irecv); "
        "one_by_one: a worker begins a bucket when it has the new values of the one before, as a "
        "loop over blocking calls does (with bucket_size: per_tensor); auto: one_by_one with "
        "gather_scatter, together with all_reduce",
    .fallback = std::string("auto"),
    .choices = {"auto", "together", "one_by_one"},
    .unused_because = "workers exchange nothing among themselves"};

std::optional<WrongOption> wrong_group(const ProtocolOptions& options, int workers) {
  const std::int64_t group = options.integer(kGroup);
  if (workers % group == 0) return std::nullopt;
  return WrongOption{
      &kGroup,
      fmt::format("{}: does not divide {} workers; write a number that does", group, workers)};
}

Ways Ways::of(const Training& training, const Bucket& bucket) {
  const auto workers = static_cast<unsigned>(training.workers);
  const auto of_rings = static_cast<int>(training.options.integer(kGroup));
  const int group = bucket.tree ? training.layout->tree_group : of_rings;
  const bool by_size = training.options.word(kAlgorithm) == "by_size";
  if (training.protocol->rooted) return {training.workers, false, 1, false, true};
  const bool hypercube = by_size && !bucket.tree && group == 1 && workers >= 4 &&
                         !training.reduces_batches && !training.one_by_one &&
                         std::has_single_bit(workers) &&
                         Bytes{4 * training.layout->parameters} <= training.small_share * workers;
  return {training.workers, hypercube, group, bucket.tree, false};
}

Route::Route(const Ways& ways, int owner, int worker)
    : ways_(ways), owner_(owner), worker_(worker) {
  if (ways.workers == 1) return;
  if (ways.star) {
    if (worker == owner) sources_ = targets_ = static_cast<std::size_t>(ways.workers) - 1;
    return;
  }
  if (ways.hypercube) {
    // The edges along the bits above those of the distance.
    const auto distance = static_cast<unsigned>(owner ^ worker);
    sources_ = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(ways.workers)) - 1 -
                                        std::bit_width(distance));
    targets_ = sources_;
    return;
  }
  if (ways.group == 1 && !ways.tree) {  // no divisions: each message needs a route
    if (across(-1) != owner) ring_sources_[sources_++] = across(-1);
    if (across(1) != owner) ring_targets_[targets_++] = across(1);
    return;
  }
  const auto places = [this](int a, int b) { return (a - b) % ways_.group == 0; };
  const auto groups = [this](int a, int b) { return a / ways_.group == b / ways_.group; };
  if (!places(within(-1), owner)) ring_sources_[sources_++] = within(-1);
  if (has_owners_place() && ways.tree) {
    add_children();
  } else if (has_owners_place()) {
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
  const int there = worker_ + turns * ways_.group;
  if (there < 0) return there + ways_.workers;
  return there < ways_.workers ? there : there - ways_.workers;
}

int Route::neighbour(int turns) const {
  return ways_.tree ? in_heap((heap_number() - 1) / 2) : across(turns);
}

int Route::heap_number() const {
  const int groups = ways_.workers / ways_.group;
  const int turns = worker_ / ways_.group - owner_ / ways_.group;
  return ((counts_up() ? turns : -turns) + groups) % groups;
}

int Route::in_heap(int number) const {
  const int groups = ways_.workers / ways_.group;
  const int turns = counts_up() ? number : -number;
  const int group = (owner_ / ways_.group + turns + groups) % groups;
  return group * ways_.group + worker_ % ways_.group;
}

void Route::add_children() {
  const int first = 2 * heap_number() + 1;
  for (int child = first; child < std::min(first + 2, ways_.workers / ways_.group); ++child) {
    ring_sources_[sources_++] = in_heap(child);
    ring_targets_[targets_++] = in_heap(child);
  }
}

// The highest bit comes first.
int Route::source(std::size_t i) const {
  if (ways_.star) return static_cast<int>(i) + (static_cast<int>(i) < owner_ ? 0 : 1);
  if (!ways_.hypercube) return ring_sources_[i];
  return worker_ ^ (ways_.workers / 2 >> i);
}

std::optional<std::size_t> Route::source_of(int worker) const {
  if (ways_.star && sources_ > 0 && worker >= 0 && worker < ways_.workers && worker != owner_) {
    return static_cast<std::size_t>(worker < owner_ ? worker : worker - 1);
  }
  for (std::size_t i = 0; i < sources_; ++i) {
    if (source(i) == worker) return i;
  }
  return std::nullopt;
}

std::optional<int> Route::sum_to() const {
  if (worker_ == owner_) return std::nullopt;
  if (ways_.star) return owner_;
  if (!ways_.hypercube) return has_owners_place() ? neighbour(1) : within(1);
  return worker_ ^ static_cast<int>(std::bit_floor(static_cast<unsigned>(owner_ ^ worker_)));
}

std::optional<int> Route::values_from() const {
  if (worker_ == owner_) return std::nullopt;
  if (ways_.hypercube || ways_.star) return sum_to();
  return has_owners_place() ? neighbour(-1) : within(-1);
}

int Route::target(std::size_t i) const {
  if (ways_.star) return source(i);
  return ways_.hypercube ? source(targets_ - 1 - i) : ring_targets_[i];
}

bool linked_in_all_reduce(const Training& training, NodeId a, NodeId b) {
  const auto first = static_cast<int>(index_of(a));
  const auto second = static_cast<int>(index_of(b));
  if (first == second) return false;
  const Layout& layout = *training.layout;
  const Ways ways = Ways::of(training, layout.buckets.front());
  if (ways.star) return first == 0 || second == 0;
  if (ways.hypercube) return std::has_single_bit(static_cast<unsigned>(first ^ second));
  const auto next = [](int one, int other, int of) {
    return (one + 1) % of == other || (other + 1) % of == one;
  };
  const auto linked = [&](int size, bool by_tree) {
    const int groups = ways.workers / size;
    const int group = first / size;
    const int other = second / size;
    if (group == other) return next(first % size, second % size, size);
    if (first % size != second % size) return false;
    if (!by_tree) return next(group, other, groups);
    const auto is_child = [](int parent, int child) {
      return (child - 1) / 2 == parent && child > 0;
    };
    const auto in_tree = [&](int one, int of) { return is_child(one, of) || is_child(of, one); };
    // The two trees are mirrored.
    return in_tree(group, other) || in_tree(groups - 1 - group, groups - 1 - other);
  };
  const auto of_rings = static_cast<int>(training.options.integer(kGroup));
  return (layout.rings && linked(of_rings, false)) ||
         (layout.trees && linked(layout.tree_group, true));
}

// Over a hypercube sums are small, and messages have no common order.
bool messages_take_turns(const Training& training) {
  const bool in_order = training.sharded != Sharded::optimizer || training.forward_waits;
  return in_order && training.workers > 1 &&
         !Ways::of(training, training.layout->buckets.front()).hypercube;
}

void flood(const Message& message, const Training& training, NodeId id, NodeId heard_from,
           Effects& effects) {
  for (int worker = 0; worker < training.workers; ++worker) {
    const NodeId peer = training.worker(worker);
    if (peer == heard_from || !linked_in_all_reduce(training, id, peer)) continue;
    effects.emplace_back(Send{peer, message});
  }
}

}  // namespace foretrain
