#include "tests/bench/peer.h"

#include "tests/bench/common/blas.h"
#include "tests/support/places.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>

namespace foretrain::bench {
namespace {

std::string without_end(const std::string& line) { return line.substr(0, line.find('\n')); }

// Seconds of PyTorch with the current OpenBLAS kernels, for products of a square matrix and of a
// batch of 64; nothing if this processor cannot run the kernels.
std::optional<double> seconds_of_products() {
  const auto lines = lines_of(
      "OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 /usr/bin/python3 -c 'import time, torch\n"
      "def took(n, k, m):\n"
      " a, b = torch.ones(n, k), torch.ones(k, m)\n"
      " times = []\n"
      " for i in range(20):\n"
      "  start = time.perf_counter(); a @ b; times.append(time.perf_counter() - start)\n"
      " return min(times)\n"
      "print(\"seconds=\", took(512, 512, 512) + took(64, 3136, 1024))' 2>&1");
  for (const std::string& line : lines) {
    if (const auto seconds = number_after(line, "seconds=")) return seconds;
  }
  return {};
}

// OpenBLAS 0.3.21 falls back to kernels of 2004 on an unknown processor, where lenet_large took 1.7
// times as long. So the fastest kernels are chosen by measurement. Settings in the environment come
// from builders of Python packages for any processor.
void choose_openblas_kernels(Report& report) {
  unsetenv("OPENBLAS_L2_SIZE");
  std::string fastest;
  std::string told;
  double least_s = 0;
  for (const char* kernels : {"", "Haswell", "Zen", "SkylakeX"}) {
    if (*kernels == 0) {
      unsetenv("OPENBLAS_CORETYPE");
    } else {
      setenv("OPENBLAS_CORETYPE", kernels, 1);
    }
    const auto seconds = seconds_of_products();
    told +=
        fmt::format("{}{} {}", told.empty() ? "" : ", ", *kernels == 0 ? "its own choice" : kernels,
                    seconds ? fmt::format("{:.2f} ms", 1e3 * *seconds) : "cannot run here");
    if (!seconds || (least_s > 0 && *seconds >= least_s)) continue;
    least_s = *seconds;
    fastest = kernels;
  }
  setenv("OPENBLAS_CORETYPE", fastest.c_str(), 1);
  if (fastest.empty()) unsetenv("OPENBLAS_CORETYPE");
  report.remark("peer: kernels of OpenBLAS tried: " + told);
}

// Runs a product, so that the BLAS is loaded; then prints the version and the loaded libraries.
std::vector<std::string> ask_torch() {
  return lines_of(
      "OPENBLAS_VERBOSE=2 /usr/bin/python3 -c 'import torch; torch.ones(64, 64) @ torch.ones(64, "
      "64); print(\"version=\" + torch.__version__); print(open(\"/proc/self/maps\").read())' "
      "2>&1");
}

// Debian's default is always; without them a peer that allocates at every step took up to 7 times
// as long.
std::string huge_pages() {
  const auto lines = lines_of("cat /sys/kernel/mm/transparent_hugepage/enabled 2>&1");
  return lines.empty() ? "" : without_end(lines.front());
}

}  // namespace

std::string peers_folder() {
  const std::string folder = source_dir() + "/../shared/peers";
  if (!std::filesystem::is_directory(folder)) {
    throw std::runtime_error(folder + ": not here, so there is no peer to compare with");
  }
  return folder;
}

void check_torch(Report& report) {
  choose_openblas_kernels(report);
  const auto lines = ask_torch();
  const std::string label = "version=";
  const auto said =
      std::ranges::find_if(lines, [&](const std::string& line) { return line.starts_with(label); });
  if (said == lines.end()) {
    throw std::runtime_error(
        fmt::format("no PyTorch to compare with: apt-get install python3-torch "
                    "libopenblas0-pthread; /usr/bin/python3 says: {}",
                    lines.empty() ? "nothing" : without_end(lines.back())));
  }
  const std::string blas = fast_blas_in(lines);
  report.remark(fmt::format("peer: PyTorch {}, BLAS {}, kernels {}; huge pages {}",
                            without_end(said->substr(label.size())), blas, openblas_core_in(lines),
                            huge_pages()));
}

std::vector<std::string> lines_of(const std::string& command) {
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw std::runtime_error("cannot start " + command);
  std::vector<std::string> lines;
  std::array<char, 1024> line{};
  while (fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    lines.emplace_back(line.data());
  }
  return lines;
}

std::optional<double> number_after(const std::string& line, const std::string& label) {
  const auto at = line.find(label);
  if (at == std::string::npos) return {};
  return std::stod(line.substr(at + label.size()));
}

}  // namespace foretrain::bench
