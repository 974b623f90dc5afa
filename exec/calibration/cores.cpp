#include "exec/calibration/cores.h"

#include "exec/calibration/forked.h"
#include "models/cost/work.h"
#include "models/optimizers/optimizer.h"
#include "models/protocol/registry.h"
#include "models/protocol/shard.h"
#include "reports/record/statistics.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Seconds to reduce two gradients of `count` floats and apply them; repeated, so everything is in
// the core's cache.
double apply_seconds(std::size_t count) {
  const Bytes size{static_cast<std::int64_t>(count) * 4};
  std::vector<Payload> gradients;
  for (int i = 0; i < 2; ++i) {
    std::ranges::fill(gradients.emplace_back(Payload::allocate(size)).writable_floats(), 1e-3F);
  }
  const std::vector<std::span<const float>> parts{gradients[0].floats(), gradients[1].floats()};
  std::vector<float> values(count, 1.0F);
  const auto optimizer = make_optimizer({});
  std::vector<double> times;
  for (int i = 0; i < 1000; ++i) {
    const auto start = Clock::now();
    reduce_and_apply(*optimizer, {}, false, values, parts, std::ssize(parts), values, {});
    times.push_back(seconds_since(start));
  }
  return median(times).value();
}

// The share of 50 ms that a busy thread on this core does not get.
double share_lost(int core) {
  return Forked<double>(core,
                        [] {
                          double lost_s = 0;
                          const auto start = Clock::now();
                          for (auto last = start; seconds_since(start) < 0.05;) {
                            const auto now = Clock::now();
                            const double gap_s = std::chrono::duration<double>(now - last).count();
                            if (gap_s > 100e-6) lost_s += gap_s;  // longer than any interrupt
                            last = now;
                          }
                          return lost_s / seconds_since(start);
                        })
      .get();
}

// Turns per second of a process that yields after each.
double pieces_rate() {
  constexpr std::size_t kNumbers = 8192;  // 32 KB
  std::vector<float> numbers(kNumbers, 1.0F);
  std::int64_t pieces = 0;
  const auto start = Clock::now();
  while (seconds_since(start) < 0.1) {
    for (float& number : numbers) number = number * 0.999F + 0.001F;
    sched_yield();
    ++pieces;
  }
  return static_cast<double>(pieces) / seconds_since(start) + 0 * static_cast<double>(numbers[7]);
}

// Multiply-adds per second on numbers that stay in the first-level cache.
double arithmetic_rate() {
  constexpr std::size_t kNumbers = 2048;
  std::vector<float> numbers(kNumbers, 1.0F);
  std::int64_t rounds = 0;
  const auto start = Clock::now();
  while (seconds_since(start) < 0.1) {
    for (int i = 0; i < 100; ++i) {
      for (float& number : numbers) number = number * 0.999F + 0.001F;
    }
    ++rounds;
  }
  return static_cast<double>(rounds) / seconds_since(start) + 0 * static_cast<double>(numbers[7]);
}

}  // namespace

AffineCost line_through(double count_a, double time_a_s, double count_b, double time_b_s) {
  const double slope = std::max(0.0, (time_b_s - time_a_s) / (count_b - count_a));
  return {std::max(0.0, time_a_s - slope * count_a), slope};
}

AffineCost measure_apply(int core) {
  constexpr std::size_t kSmall = 2'000;
  constexpr std::size_t kLarge = 40'000;
  const auto rule = make_optimizer({});
  const auto bytes = [&](std::int64_t count) {
    return static_cast<double>(apply_cost(count, 2, *rule).bytes().value);
  };
  Forked<double> small(core, [] { return apply_seconds(kSmall); });
  const double small_s = small.get();
  Forked<double> large(core, [] { return apply_seconds(kLarge); });
  return line_through(bytes(kSmall), small_s, bytes(kLarge), large.get());
}

// Mean of the gaps that the two threads see.
double measure_slice(int core) {
  const auto median_gap = [] {
    std::vector<double> gaps;
    const auto start = Clock::now();
    auto last = start;
    while (seconds_since(start) < 0.25) {
      const auto now = Clock::now();
      const double gap = std::chrono::duration<double>(now - last).count();
      if (gap > 200e-6) gaps.push_back(gap);  // longer than any interrupt
      last = now;
    }
    return median(gaps).value_or(0);
  };
  Forked<double> one(core, median_gap);
  Forked<double> two(core, median_gap);
  const double one_s = one.get();
  return (one_s + two.get()) / 2;
}

double measure_context_switch(int core) {
  const double alone = Forked<double>(core, pieces_rate).get();
  Forked<double> one(core, pieces_rate);
  Forked<double> other(core, pieces_rate);
  const double one_rate = one.get();
  return std::max(0.0, 1 / (one_rate + other.get()) - 1 / alone);
}

std::shared_ptr<const Training> training_alone(const Case& scenario_case, int batch_size,
                                               std::int64_t steps, DataSets& data_sets) {
  Case alone = scenario_case;
  TrainingSpec& training = alone.scenario.training;
  training = {};
  training.strategy = protocol_alone().name;
  training.optimizer = scenario_case.scenario.training.optimizer;
  training.batch_size = batch_size;
  training.steps = steps;
  return prepare(alone, Need::examples, data_sets).training;
}

double measure_contention(int core_a, int core_b) {
  const double alone = Forked<double>(core_a, arithmetic_rate).get();
  Forked<double> here(core_a, arithmetic_rate);
  Forked<double> there(core_b, arithmetic_rate);
  const double beside = here.get();
  there.get();
  return std::max(1.0, alone / beside);
}

double busy_share() {
  double lost = 0;
  const std::vector<int> cores = usable_cores();
  for (const int core : cores) lost += share_lost(core);
  return lost / static_cast<double>(cores.size());
}

}  // namespace foretrain::exec
