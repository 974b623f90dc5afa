// Edit distance by dynamic programming over rows; names in any case.
#include "scenarios/language/propose.h"

#include <algorithm>
#include <vector>

namespace foretrain {

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> before(b.size() + 1);  // row i - 2 of the table
  std::vector<int> row(b.size() + 1);     // row i - 1
  std::vector<int> next(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      next[j] =
          std::min({row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        next[j] = std::min(next[j], before[j - 2] + 1);
      }
    }
    std::swap(before, row);
    std::swap(row, next);
  }
  return row[b.size()];
}

std::string nearest(std::string_view text, std::span<const std::string> candidates) {
  constexpr std::size_t kLongest = 100;  // a longer word is no typing mistake, and costs time
  if (text.size() > kLongest) return {};
  std::string best;
  int least = 1 + (text.size() < 5 ? 1 : text.size() < 10 ? 2 : 3);
  for (const std::string& candidate : candidates) {
    const int distance = edit_distance(text, candidate);
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

std::string in_any_case(std::string_view text, std::span<const std::string> names) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  const auto found = std::ranges::find_if(names, [&](const std::string& name) {
    return std::ranges::equal(name, text, {}, lower, lower);
  });
  return found == names.end() ? std::string() : *found;
}

}  // namespace foretrain
