#include "tests/support/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace foretrain::testing {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

struct Marked {
  char mark;
  std::string_view line;
};

// Longest common subsequence: common[i][j] is its length for the lines from i and from j on.
std::vector<Marked> marked(const std::vector<std::string_view>& a,
                           const std::vector<std::string_view>& b) {
  std::vector<std::vector<std::size_t>> common(a.size() + 1,
                                               std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Marked> all;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      all.push_back({' ', a[i++]});
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      all.push_back({'-', a[i++]});
    } else {
      all.push_back({'+', b[j++]});
    }
  }
  return all;
}

}  // namespace

std::string line_diff(std::string_view before, std::string_view after) {
  const std::vector<Marked> all = marked(lines_of(before), lines_of(after));
  constexpr std::size_t kAround = 2;
  const auto differs = [](const Marked& each) { return each.mark != ' '; };
  std::string text;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(i < kAround ? 0 : i - kAround);
    const auto last =
        all.begin() + static_cast<std::ptrdiff_t>(std::min(all.size(), i + kAround + 1));
    if (std::none_of(first, last, differs)) continue;
    if (i > shown) text += "...\n";
    text += all[i].mark;
    text += all[i].line;
    text += '\n';
    shown = i + 1;
  }
  return text;
}

}  // namespace foretrain::testing
