#include "exec/calibration/memory.h"

#include "exec/calibration/cores.h"
#include "exec/calibration/forked.h"
#include "models/graph/working_set.h"
#include "models/protocol/worker_compute.h"
#include "reports/record/statistics.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <system_error>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr Bytes kUsualCache{1'048'576};
constexpr double kWalk_s = 0.05;
constexpr double kHalfMissing = 0.918;  // of a cache, by models/cost/caches.h

double passed_s(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// Memory that no process has used yet.
class Pages {
 public:
  explicit Pages(Bytes size) : count_(static_cast<std::size_t>(size.value) / sizeof(float)) {
    void* const place = mmap(nullptr, count_ * sizeof(float), PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (place == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    numbers_ = static_cast<float*>(place);
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { munmap(numbers_, count_ * sizeof(float)); }

  void walk() {
    for (std::size_t i = 0; i < count_; ++i) numbers_[i] = numbers_[i] * 0.5F + 1.0F;
  }

 private:
  std::size_t count_;
  float* numbers_ = nullptr;
};

// Median seconds per byte over repeated walks.
double walked_s(Bytes size) {
  Pages pages(size);
  pages.walk();
  std::vector<double> times;
  for (const auto start = Clock::now(); times.size() < 3 || passed_s(start) < kWalk_s;) {
    const auto begun = Clock::now();
    pages.walk();
    times.push_back(passed_s(begun));
  }
  return median(times).value() / static_cast<double>(size.value);
}

// Seconds per byte of walks after a pause of `rest_s`, in which the process does nothing else.
double walked_after_s(Bytes size, double rest_s) {
  constexpr int kTimes = 5;
  Pages pages(size);
  std::vector<double> times;
  while (times.size() < kTimes) {
    for (int i = 0; i < 3; ++i) pages.walk();
    for (const auto rested = Clock::now(); passed_s(rested) < rest_s;) {
    }
    const auto begun = Clock::now();
    pages.walk();
    times.push_back(passed_s(begun));
  }
  return median(times).value() / static_cast<double>(size.value);
}

// Median seconds per byte of the first walk over new memory.
double fresh_s() {
  constexpr Bytes kPiece{4'194'304};
  std::vector<double> times;
  for (int i = 0; i < 10; ++i) {
    Pages pages(kPiece);
    const auto begun = Clock::now();
    pages.walk();
    times.push_back(passed_s(begun));
  }
  return median(times).value() / static_cast<double>(kPiece.value);
}

// Lower-quartile seconds of a gradient, with a walk over this much memory before each.
double gradient_s(const std::shared_ptr<const Training>& training, Bytes walked) {
  constexpr int kFewest = 12;
  WorkerCompute worker_compute(training, 0);
  Serial serial;
  const Payload parameters = initial_parameters(*training);
  std::optional<Pages> pages;
  if (walked.value > 0) pages.emplace(walked);
  std::vector<double> times;
  for (const auto start = Clock::now(); times.size() < kFewest || passed_s(start) < kWalk_s;) {
    if (pages) pages->walk();
    const auto begun = Clock::now();
    worker_compute.gradient_job(0, JobId{}, parameters).work(serial);
    times.push_back(passed_s(begun));
  }
  // The first ones touch their memory for the first time; interrupted ones are longer.
  return quantile({times.begin() + 4, times.end()}, 0.25).value();
}

}  // namespace

CacheSizes cache_sizes(const Processor& processor) {
  const bool told = processor.l2.value > 0;
  return {told ? processor.l2 : kUsualCache, processor.l3, told};
}

Bytes shared_cache_of(const std::vector<Walk>& walks) {
  constexpr double kSeen = 1.5;
  if (walks.size() < 3) return {};
  const double near_s = walks.front().byte_s;
  const double far_s = walks.back().byte_s;
  if (far_s < kSeen * near_s) return {};
  const double half_s = (near_s + far_s) / 2;
  const auto beyond =
      std::ranges::find_if(walks, [half_s](const Walk& walk) { return walk.byte_s >= half_s; });
  const auto within = std::prev(beyond);
  if (within == walks.begin()) return {};
  const double part = (half_s - within->byte_s) / (beyond->byte_s - within->byte_s);
  const auto size = static_cast<double>(within->size.value);
  const double half = size * std::pow(static_cast<double>(beyond->size.value) / size, part);
  return {static_cast<std::int64_t>(half / kHalfMissing)};
}

Bytes measure_shared_cache(int core, const CacheSizes& told) {
  constexpr Bytes kLargest{256 << 20};
  std::vector<Walk> walks;
  const auto walk = [&](Bytes size) {
    walks.push_back({size, Forked<double>(core, [=] { return walked_s(size); }).get()});
  };
  walk({told.of_core.value / 4});
  for (Bytes size = told.of_core * 2; size.value <= kLargest.value; size = size * 2) walk(size);
  const Bytes seen = shared_cache_of(walks);
  if (seen.value == 0) return told.shared;
  return told.shared.value > 0 ? std::min(seen, told.shared) : seen;
}

BytesPerSecond measure_background_traffic(int core, const CacheSizes& sizes) {
  const Bytes piece = std::max(sizes.of_core * 2, Bytes{sizes.shared.value / 8});
  if (sizes.shared < piece * 2) return {};
  const double memory_s =
      Forked<double>(core, [&] { return walked_s(beyond_caches(sizes)); }).get();
  const auto left_alone_s = [&](double rest_s) {
    return Forked<double>(core, [&] { return walked_after_s(piece, rest_s); }).get();
  };
  const double near_s = left_alone_s(0);
  if (memory_s < 1.5 * near_s) return {};
  const double half_s = (near_s + memory_s) / 2;
  double before_s = near_s;
  for (double rest_s = 0.25e-3; rest_s <= 8e-3; rest_s *= 2) {
    const double after_s = left_alone_s(rest_s);
    if (after_s < half_s) {
      before_s = after_s;
      continue;
    }
    const double half_rest_s = rest_s * std::exp2((half_s - after_s) / (after_s - before_s));
    const double away = kHalfMissing * static_cast<double>(sizes.shared.value);
    return {(away - static_cast<double>(piece.value)) / half_rest_s};
  }
  return {};
}

Bytes beyond_caches(const CacheSizes& sizes) {
  return {std::max(4 * sizes.shared.value, 32 * sizes.of_core.value)};
}

MemoryHierarchy measure_memory(const std::vector<int>& cores, const CacheSizes& sizes) {
  constexpr int kBatch = 48;
  constexpr int kSteps = 1'000'000;  // more than ever needed
  Case scenario_case;
  scenario_case.scenario.dataset.take = 4 * kBatch;
  scenario_case.scenario.dataset.test_take = 1;
  DataSets data_sets;
  const auto training = training_alone(scenario_case, kBatch, kSteps, data_sets);
  const auto bytes =
      static_cast<double>(WorkingSet(training, training->worker(0)).of_gradient().value);
  const auto gradient_after = [&](Bytes walked) {
    return Forked<double>(cores.front(), [&] { return gradient_s(training, walked); }).get();
  };
  const Bytes beyond_own = sizes.of_core * 4;
  const Bytes beyond_all = beyond_caches(sizes);
  const double near_s = gradient_after({});
  const auto walk_s = [&](Bytes size) {
    return Forked<double>(cores.front(), [=] { return walked_s(size); }).get();
  };
  MemoryHierarchy memory;
  memory.private_cache = sizes.of_core;
  memory.shared_cache = sizes.shared;
  memory.memory_byte_s = std::max(0.0, walk_s(beyond_all) - walk_s({sizes.of_core.value / 4}));
  memory.shared_byte_s = memory.memory_byte_s;
  if (sizes.shared.value >= 2 * beyond_own.value) {
    const double byte_s = (gradient_after(beyond_own) - near_s) / bytes;
    memory.shared_byte_s = std::clamp(byte_s, 0.0, memory.memory_byte_s);
  }
  memory.fresh_byte_s =
      std::max(memory.memory_byte_s, Forked<double>(cores.front(), fresh_s).get());
  if (cores.size() < 2) return memory;
  std::vector<std::unique_ptr<Forked<double>>> all;
  all.reserve(cores.size());
  for (const int core : cores) {
    all.push_back(std::make_unique<Forked<double>>(core, [=] { return walked_s(beyond_all); }));
  }
  double rate = 0;
  for (const auto& each : all) rate += 1 / each->get();
  memory.bandwidth = {rate};
  return memory;
}

}  // namespace foretrain::exec
