#include "exec/system/core_probe.h"

#include "exec/system/process.h"
#include "exec/system/reference_kernel.h"
#include "reports/record/statistics.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <system_error>
#include <thread>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr double kQuantile = 0.25;  // of the pieces, what others did meanwhile left out
constexpr std::size_t kLine = 64;   // bytes, of every x86-64 and most others

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double lower_quartile(const std::vector<double>& times) {
  return quantile(times, kQuantile).value();
}

// Whose turn it is, alone in its line (and in the one that is fetched beside it).
struct alignas(128) Turn {
  enum : int { of_first, of_second, of_writer, of_reader, over };
  std::atomic<int> value{of_first};

  // Returns whether it came at once: the other was on its core.
  bool wait_for(int whose) const {
    constexpr std::int64_t kAtOnce = 1 << 16;  // looks: some 30 us, longer than an interrupt takes
    std::int64_t looks = 0;
    while (value.load(std::memory_order_acquire) != whose) ++looks;
    return looks <= kAtOnce;
  }
  int wait_while(int whose) const {
    int now = whose;
    while (now == whose) now = value.load(std::memory_order_acquire);
    return now;
  }
  void give(int whose) { value.store(whose, std::memory_order_release); }
};

constexpr int kRounds = 64;  // there and back, in a piece
constexpr std::size_t kPieces = 24;
constexpr double kLongest_s = 0.25;  // where others keep the cores busy; else a hundredth of it
constexpr int kReads = 12;
constexpr std::size_t kWritten = 512 * 1024;
constexpr std::size_t kMostPairs = 32;  // of more, every second one, third, ...

// A piece in which one of the two was off its core is broken off: where others keep both cores busy
// the two may take turns for long, and each hand-over then takes a slice of the scheduler.
std::optional<double> hand_over(Turn& turn) {
  std::vector<double> pieces;
  const auto begin = Clock::now();
  while (pieces.size() < kPieces && seconds_since(begin) < kLongest_s) {
    const auto start = Clock::now();
    bool at_once = true;
    for (int round = 0; round < kRounds && at_once; ++round) {
      turn.give(Turn::of_second);
      at_once = turn.wait_for(Turn::of_first);
    }
    if (at_once) pieces.push_back(seconds_since(start) / (2 * kRounds));
  }
  if (pieces.empty()) return std::nullopt;
  return lower_quartile(pieces);
}

double read_what_the_other_wrote(Turn& turn, const std::vector<unsigned char>& bytes) {
  std::vector<double> pieces;
  unsigned sum = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < kReads && (i == 0 || seconds_since(begin) < kLongest_s); ++i) {
    turn.give(Turn::of_writer);
    turn.wait_for(Turn::of_reader);
    const auto start = Clock::now();
    for (std::size_t at = 0; at < bytes.size(); at += kLine) sum += bytes[at];
    pieces.push_back(seconds_since(start) / static_cast<double>(bytes.size()));
  }
  static std::atomic<unsigned> seen;  // what is read has to be read
  seen = sum;
  return lower_quartile(pieces);
}

// Hands back what it is given, writes when it is told to.
void second(Turn& turn, std::vector<unsigned char>& bytes) {
  unsigned char next = 1;
  for (int now = turn.wait_while(Turn::of_first); now != Turn::over;) {
    const bool writes = now == Turn::of_writer;
    if (writes) std::ranges::fill(bytes, next++);
    const int given = writes ? Turn::of_reader : Turn::of_first;
    turn.give(given);
    now = turn.wait_while(given);
  }
}

// Does something on a core, then ends.
template <class Body>
std::jthread on_core(int core, Body body) {
  return std::jthread([core, body] {
    pin_to_cores({core});
    body();
  });
}

// Twice what a core has for itself, so that next to none of its lines is still there a lap later.
std::size_t chain_lines() {
  constexpr long kUsual = 1024 * 1024;
  const long own = sysconf(_SC_LEVEL2_CACHE_SIZE);
  return 2 * static_cast<std::size_t>(own > 0 ? own : kUsual) / kLine;
}

struct alignas(kLine) Link {
  const Link* next = nullptr;
};

// Each line names the next, all in one circle. The order is drawn by a small generator of its own:
// it need not be good, only unlike any stride.
std::vector<Link> make_chain(std::size_t lines) {
  std::vector<Link> chain(lines);
  std::vector<std::uint32_t> order(lines);
  std::iota(order.begin(), order.end(), 0U);
  std::uint32_t drawn = 1;
  for (std::size_t i = lines - 1; i > 0; --i) {
    drawn = drawn * 1664525U + 1013904223U;
    std::swap(order[i], order[(std::uint64_t{drawn} * (i + 1)) >> 32]);
  }
  for (std::size_t i = 0; i < lines; ++i) chain[order[i]].next = &chain[order[(i + 1) % lines]];
  return chain;
}

// The least of all pieces: a shared cache is shared with strangers, too, who push lines out of it.
double follow(const std::vector<Link>& chain) {
  constexpr std::size_t kPiece = 1024;
  const Link* at = chain.data();
  double least_s = 1;
  for (std::size_t piece = 0; piece < 2 * chain.size() / kPiece; ++piece) {
    const auto start = Clock::now();
    for (std::size_t i = 0; i < kPiece; ++i) at = at->next;
    const double took_s = seconds_since(start) / kPiece;
    if (piece >= chain.size() / kPiece) least_s = std::min(least_s, took_s);  // after a first lap
  }
  static std::atomic<const Link*> seen;
  seen = at;
  return least_s;
}

}  // namespace

std::optional<PairProbe> probe_pair(int core_a, int core_b) {
  Turn turn;
  std::vector<unsigned char> bytes(kWritten);
  std::optional<PairProbe> probe;
  const std::jthread there = on_core(core_b, [&] { second(turn, bytes); });
  try {
    on_core(core_a, [&] {
      if (const auto handover_s = hand_over(turn)) {
        probe = {*handover_s, read_what_the_other_wrote(turn, bytes)};
      }
    }).join();
  } catch (const std::system_error&) {
    turn.give(Turn::over);  // no second thread could be started
    throw;
  }
  turn.give(Turn::over);
  return probe;
}

double probe_shared_line(int core) {
  double line_s = 0;
  on_core(core, [&] { line_s = follow(make_chain(chain_lines())); }).join();
  return line_s;
}

CoreProbe probe_cores(const std::vector<int>& cores, const KnownHandovers& known) {
  CoreProbe probe;
  probe.alone_s = time_reference({cores.front()});
  if (cores.size() < 2) return probe;
  probe.together_s = time_reference(cores);
  probe.shared_line_s = probe_shared_line(cores.front());
  std::vector<double> handovers;
  std::vector<double> bytes;
  std::vector<std::optional<CoreDistance>> distances;
  const std::size_t every = 1 + (cores.size() - 2) / kMostPairs;
  for (std::size_t i = 0; i + 1 < cores.size(); i += every) {
    const std::optional<PairProbe> pair = probe_pair(cores[i], cores[i + 1]);
    if (!pair) continue;
    handovers.push_back(pair->handover_s);
    bytes.push_back(pair->byte_s);
    distances.emplace_back(distance_of(*pair, probe.shared_line_s, known));
  }
  probe.handover_s = median(handovers).value_or(0);
  probe.byte_s = median(bytes).value_or(0);
  probe.distance = distance_over(distances);
  return probe;
}

}  // namespace foretrain::exec
