// Profiles from their text, cell by cell.
#include "scenarios/layer_profile.h"

#include "scenarios/decimal.h"
#include "scenarios/input_error.h"
#include "scenarios/propose.h"
#include "scenarios/yaml/text_guard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace foretrain {
namespace {

enum Column : std::size_t { kLayer, kParameterBytes, kForward, kBackward, kColumns };
constexpr std::array<std::string_view, kColumns> kNames{"layer", "parameter_bytes", "forward_ms",
                                                        "backward_ms"};

struct Cell {
  std::string text;
  std::size_t column = 1;  ///< where it begins in its line, counted from 1
};

/// A line that is not passed over.
struct Row {
  std::size_t line = 1;
  std::vector<Cell> cells;
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlank = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

class ProfileReader {
 public:
  ProfileReader(std::string_view text, std::string source, int batch_size)
      : source_(std::move(source)) {
    profile_.batch_size = batch_size;
    for (std::size_t line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      read_line(line, text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    check_whole();
  }

  NetworkProfile take() { return std::move(profile_); }

 private:
  [[noreturn]] void fail(std::size_t line, std::size_t column, const std::string& what) const {
    throw InputError(fmt::format("{}:{}:{}: {}", source_, line, column, what));
  }
  [[noreturn]] void fail_cell(const Row& row, Column which, const std::string& what) const {
    fail(row.line, cell(row, which).column, fmt::format("{}: {}", kNames[which], what));
  }

  [[nodiscard]] const Cell& cell(const Row& row, Column which) const {
    return row.cells[places_[which]];
  }

  void read_line(std::size_t line, std::string_view text) {
    const std::string_view content = trimmed(text);
    if (content.empty() || content.front() == '#') return;
    const Row row = cut(line, text);
    if (!titled_) return read_titles(row);
    if (row.cells.size() != width_) {
      fail(line, 1,
           fmt::format("{} cells under {} columns; write one for each column", row.cells.size(),
                       width_));
    }
    LayerTimes times;
    times.layer = cell(row, kLayer).text;
    if (times.layer.empty()) fail_cell(row, kLayer, "empty; name the layer");
    times.parameters = parameters(row);
    times.forward_s = seconds(row, kForward);
    times.backward_s = seconds(row, kBackward);
    profile_.layers.push_back(std::move(times));
  }

  [[nodiscard]] Row cut(std::size_t line, std::string_view text) const {
    Row row{line, {}};
    std::size_t at = 0;
    while (true) {
      at = std::min(text.find_first_not_of(" \t", at), text.size());
      Cell cell{{}, at + 1};
      if (at < text.size() && text[at] == '"') {
        at = read_quoted(line, text, at, cell.text);
      } else {
        const std::size_t end = std::min(text.find(',', at), text.size());
        cell.text = trimmed(text.substr(at, end - at));
        at = end;
      }
      row.cells.push_back(std::move(cell));
      if (at >= text.size()) return row;
      ++at;  // the comma
    }
  }

  /// What stands in quotes from `at`, where "" is one; returns the place of the next comma.
  std::size_t read_quoted(std::size_t line, std::string_view text, std::size_t at,
                          std::string& cell) const {
    const std::size_t begin = at++;
    while (at < text.size() && (text[at] != '"' || text.substr(at, 2) == "\"\"")) {
      cell += text[at];
      at += text[at] == '"' ? 2 : 1;
    }
    if (at == text.size()) fail(line, begin + 1, "a quote that does not end; write a second one");
    const std::size_t next = std::min(text.find(',', at), text.size());
    if (!trimmed(text.substr(at + 1, next - at - 1)).empty()) {
      fail(line, at + 2, "text behind the end of a quoted cell; write a comma before it");
    }
    return next;
  }

  void read_titles(const Row& row) {
    titled_ = true;
    width_ = row.cells.size();
    const std::vector<std::string> names(kNames.begin(), kNames.end());
    std::array<bool, kColumns> found{};
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const Cell& title = row.cells[i];
      const auto which =
          static_cast<std::size_t>(std::ranges::find(names, title.text) - names.begin());
      if (which == kColumns) {
        const std::string near = nearest(title.text, names);
        fail(row.line, title.column,
             fmt::format("'{}' is no column of a profile; {}", title.text,
                         near.empty() ? fmt::format("they are {}", fmt::join(names, ", "))
                                      : fmt::format("did you mean {}?", near)));
      }
      if (std::exchange(found[which], true)) {
        fail(row.line, title.column, fmt::format("a second column {}; keep one", title.text));
      }
      places_[which] = i;
    }
    const auto missing = static_cast<std::size_t>(std::ranges::find(found, false) - found.begin());
    if (missing == kColumns) return;
    fail(row.line, 1,
         fmt::format("there is no column {}; the first line names the columns: {}", kNames[missing],
                     fmt::join(names, ",")));
  }

  [[nodiscard]] Decimal number(const Row& row, Column which, std::string_view example) const {
    const std::string& text = cell(row, which).text;
    if (text.empty()) fail_cell(row, which, fmt::format("missing; write a number, {}", example));
    const auto number = parse_decimal(text);
    if (!number) {
      fail_cell(row, which, fmt::format("'{}' is not a number; write one, {}", text, example));
    }
    if (number->negative) fail_cell(row, which, text + " is negative; write 0 or more");
    return *number;
  }

  [[nodiscard]] std::int64_t parameters(const Row& row) const {
    constexpr std::int64_t kMost = 1'000'000'000'000;
    const std::string& text = cell(row, kParameterBytes).text;
    const auto bytes = to_integer(number(row, kParameterBytes, "37632 for instance"));
    if (!bytes || *bytes % 4 != 0) {
      fail_cell(row, kParameterBytes,
                text + " is no whole number of floats; write a multiple of 4");
    }
    if (*bytes > kMost) {
      fail_cell(row, kParameterBytes, fmt::format("{} is too large; write up to {}", text, kMost));
    }
    return *bytes / 4;
  }

  double seconds(const Row& row, Column which) {
    constexpr double kMost_s = 1e6;
    constexpr int kMilli = -3;
    const double time_s = to_double(shifted(number(row, which, "1.92 for instance"), kMilli));
    whole_s_ += time_s;
    if (whole_s_ > kMost_s) {
      fail_cell(row, which,
                fmt::format("{}, so that a gradient takes more than {:.0f} s; check "
                            "that the times are milliseconds",
                            cell(row, which).text, kMost_s));
    }
    return time_s;
  }

  void check_whole() const {
    if (!titled_ || profile_.layers.empty()) {
      throw InputError(
          fmt::format("{}: there is no layer; write a line {}, then one for each layer", source_,
                      fmt::join(kNames, ",")));
    }
    if (std::ranges::any_of(profile_.layers, [](const auto& l) { return l.parameters > 0; }))
      return;
    throw InputError(fmt::format(
        "{}: no layer has parameters; nothing would be learned, check parameter_bytes", source_));
  }

  std::string source_;
  bool titled_ = false;
  std::size_t width_ = 0;                       // of the first line, in cells
  std::array<std::size_t, kColumns> places_{};  // of the columns among the cells
  double whole_s_ = 0;                          // forward and backward of all layers so far
  NetworkProfile profile_;
};

}  // namespace

NetworkProfile read_profile(const std::string& path, int batch_size) {
  constexpr std::size_t kBytesMax = 1'000'000;  // of which `read_text` gives one more
  const std::string text = read_text(path);
  if (text.size() > kBytesMax) {
    throw InputError(path + ": the file is longer than 1 MB; is this a profile?");
  }
  return parse_profile(text, path, batch_size);
}

NetworkProfile parse_profile(const std::string& text, const std::string& source, int batch_size) {
  return ProfileReader(text, source, batch_size).take();
}

}  // namespace foretrain
