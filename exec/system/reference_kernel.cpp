#include "exec/system/reference_kernel.h"

#include "exec/system/process.h"
#include "exec/system/reference_loops.h"
#include "reports/record/statistics.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <system_error>
#include <thread>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr int kKernelPieces = 240;
constexpr int kTold = 80;  // number of pieces that the result stands for
// A piece takes about 60 us. Slower ones were disturbed by another program, or the host had just
// woken both cores on one of its own, as after idling; trainings of seconds outlast that.
constexpr double kQuiet = 0.1;

constexpr std::size_t kEntries = kReferenceSide * kReferenceSide;

struct Work {
  std::vector<float> a = std::vector<float>(kEntries, 0.5F);
  std::vector<float> b = std::vector<float>(kEntries, 0.25F);
  std::vector<float> c = std::vector<float>(kEntries);
  std::vector<float> x = std::vector<float>(kReferenceVector, 1e-3F);
  std::vector<float> y = std::vector<float>(kReferenceVector, 1.0F);

  ReferenceOperands operands() {
    return {.a = a.data(), .b = b.data(), .c = c.data(), .x = x.data(), .y = y.data()};
  }
};

double piece_s(const ReferenceOperands& operands) {
  const auto start = Clock::now();
  run_reference_piece(operands);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double quiet_piece_s(Work& work) {
  std::vector<double> times;
  times.reserve(kKernelPieces);
  for (int piece = 0; piece < kKernelPieces; ++piece) times.push_back(piece_s(work.operands()));
  static std::atomic<float> seen;
  seen = work.c[0] + work.y[0];
  return quantile(times, kQuiet).value();
}

}  // namespace

double time_reference(const std::vector<int>& cores) {
  std::vector<double> times(cores.size());
  std::atomic<int> to_come = static_cast<int>(cores.size());
  std::vector<std::jthread> threads;
  try {
    for (std::size_t i = 0; i < cores.size(); ++i) {
      threads.emplace_back([&, i] {
        pin_to_cores({cores[i]});
        Work work;
        --to_come;
        while (to_come > 0) std::this_thread::yield();
        times[i] = quiet_piece_s(work) * kTold;
      });
    }
  } catch (const std::system_error&) {
    to_come = 0;  // releases the threads that wait for those that could not start
    throw;
  }
  threads.clear();  // joins them
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace foretrain::exec
