#include "exec/system/reference_kernel.h"

#include "exec/system/process.h"
#include "reports/record/statistics.h"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <thread>

namespace foretrain::exec {
namespace {
using Clock = std::chrono::steady_clock;

constexpr std::size_t kSide = 64;           // three matrices are 48 KB
constexpr std::size_t kVector = 32 * 1024;  // floats: two vectors are 256 KB
constexpr int kKernelPieces = 240;
constexpr int kTold = 80;  // what is told is of so many
// Pieces are some 60 us long. In the slower ones somebody else was at work, or the host had just
// woken both cores on one of its own, as it does after idleness; trainings of seconds outlast that.
constexpr double kQuiet = 0.1;

struct Work {
  std::vector<float> a = std::vector<float>(kSide * kSide, 0.5F);
  std::vector<float> b = std::vector<float>(kSide * kSide, 0.25F);
  std::vector<float> c = std::vector<float>(kSide * kSide);
  std::vector<float> x = std::vector<float>(kVector, 1e-3F);
  std::vector<float> y = std::vector<float>(kVector, 1.0F);
};

void multiply(const float* a, const float* b, float* c) {
  for (std::size_t row = 0; row < kSide; ++row) {
    std::array<float, kSide> sums{};
    for (std::size_t k = 0; k < kSide; ++k) {
      const float factor = a[row * kSide + k];
      for (std::size_t column = 0; column < kSide; ++column) {
        sums[column] += factor * b[k * kSide + column];
      }
    }
    for (std::size_t column = 0; column < kSide; ++column) c[row * kSide + column] = sums[column];
  }
}

void add_scaled(float factor, const float* x, float* y) {
  for (std::size_t i = 0; i < kVector; ++i) y[i] += factor * x[i];
}

void piece_of(Work& work) {
  for (int i = 0; i < 4; ++i) {
    multiply(work.a.data(), work.b.data(), work.c.data());
    work.a[static_cast<std::size_t>(i)] = work.c[0] * 1e-3F;  // none of them can be left out
  }
  for (int i = 0; i < 8; ++i) add_scaled(1e-3F, work.x.data(), work.y.data());
}

double quiet_piece_s(Work& work) {
  std::vector<double> times;
  times.reserve(kKernelPieces);
  for (int piece = 0; piece < kKernelPieces; ++piece) {
    const auto start = Clock::now();
    piece_of(work);
    times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
  }
  static std::atomic<float> seen;
  seen = work.c[0] + work.y[0];
  return quantile(times, kQuiet).value();
}

}  // namespace

double quick_reference() {
  constexpr int kFew = 4;
  static Work work;
  double quickest_s = 0;
  for (int piece = 0; piece < kFew; ++piece) {
    const auto start = Clock::now();
    piece_of(work);
    const double took_s = std::chrono::duration<double>(Clock::now() - start).count();
    if (piece == 0 || took_s < quickest_s) quickest_s = took_s;
  }
  return quickest_s * kTold;
}

double time_reference(const std::vector<int>& cores) {
  std::vector<double> times(cores.size());
  std::vector<std::thread> threads;
  std::atomic<int> to_come = static_cast<int>(cores.size());
  for (std::size_t i = 0; i < cores.size(); ++i) {
    threads.emplace_back([&, i] {
      pin_to_cores({cores[i]});
      Work work;
      --to_come;
      while (to_come > 0) std::this_thread::yield();
      times[i] = quiet_piece_s(work) * kTold;
    });
  }
  for (std::thread& thread : threads) thread.join();
  return std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(times.size());
}

}  // namespace foretrain::exec
