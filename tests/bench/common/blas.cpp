#include "tests/bench/common/blas.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace foretrain::bench {

std::string fast_blas_in(const std::vector<std::string>& maps) {
  constexpr std::array<std::string_view, 4> kFast{"openblas", "libmkl", "libblis", "/blis-"};
  std::string slow;
  for (const std::string& line : maps) {
    const auto at = line.find('/');
    if (at == std::string::npos) continue;
    const std::string path = line.substr(at, line.find_last_not_of(" \n") + 1 - at);
    if (std::ranges::any_of(
            kFast, [&](std::string_view name) { return path.find(name) != std::string::npos; })) {
      return path;
    }
    if (path.find("/libblas") != std::string::npos) slow = path;
  }
  throw std::runtime_error(fmt::format(
      "the peer's BLAS is {}: no fair comparison; apt-get install libopenblas0-pthread, then "
      "update-alternatives --auto libblas.so.3-x86_64-linux-gnu",
      slow.empty() ? "none that is known" : "the reference one, " + slow));
}

std::string openblas_core_in(const std::vector<std::string>& lines) {
  const std::string label = "Core: ";
  for (const std::string& line : lines) {
    if (!line.starts_with(label)) continue;
    return line.substr(label.size(), line.find_last_not_of(" \n") + 1 - label.size());
  }
  return {};
}

}  // namespace foretrain::bench
