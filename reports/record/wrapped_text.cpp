// Lays out text by characters, not bytes.
#include "reports/record/wrapped_text.h"

#include "models/base/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>

namespace foretrain {
namespace {

std::atomic<std::size_t> laid_out_for{kTerminalColumns};

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

/// The first `columns` characters of `text`.
std::string_view head(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  for (std::size_t seen = 0; end < text.size(); ++end) {
    if (begins_character(text[end]) && seen++ == columns) break;
  }
  return text.substr(0, end);
}

std::string cut(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns <= 3) return std::string(head(text, columns));
  return std::string(head(text, columns - 3)) + "...";
}

}  // namespace

std::size_t text_columns() { return laid_out_for; }

void set_text_columns(std::size_t columns) { laid_out_for = columns; }

std::size_t columns_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, begins_character));
}

std::string wrap(std::string_view text, std::size_t columns) {
  std::string all;
  std::string line;
  const auto end_line = [&] {
    all += line + '\n';
    line.clear();
  };
  while (!text.empty()) {
    std::string_view word = text.substr(0, text.find_first_of(" \n"));
    text.remove_prefix(std::min(word.size() + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && columns_of(line) + 1 + columns_of(word) > columns) end_line();
    if (!line.empty()) line += ' ';
    for (; columns_of(word) > columns; end_line()) {
      line = head(word, columns);
      word.remove_prefix(line.size());
    }
    line += word;
  }
  if (!line.empty()) end_line();
  return all;
}

std::string hang(std::string_view text, std::size_t indent) {
  const std::size_t columns = text_columns();
  std::string all;
  while (!text.empty()) {
    std::string line(text.substr(0, text.find('\n')));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    while (columns_of(line) > columns) {
      const std::size_t most = head(line, columns + 1).size();
      const std::size_t space = line.rfind(' ', most - 1);
      if (space == std::string::npos || space <= indent) break;  // an unbreakable word
      all += line.substr(0, space) + '\n';
      line = std::string(indent, ' ') + line.substr(space + 1);
    }
    all += line + '\n';
  }
  return all;
}

std::string left(std::string_view text, std::size_t columns) {
  std::string filled = cut(text, columns);
  return filled.append(columns - columns_of(filled), ' ');
}

std::string right(std::string_view text, std::size_t columns) {
  std::string filled = cut(text, columns);
  return filled.insert(0, columns - columns_of(filled), ' ');
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMostNamed = 3;
  const std::size_t named = std::min(names.size(), kMostNamed);
  const bool all = named == names.size();
  std::string text;
  for (std::size_t i = 0; i < named; ++i) {
    const bool last = all && i + 1 == named;
    if (i > 0) text += last ? " and " : "; ";
    text += names[i];
  }
  return all ? text : fmt::format("{} and {} more", text, names.size() - named);
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

std::string figure(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return "-";
  if (std::abs(*value) < 999.95 || std::abs(*value) > 1e15) return fmt::format("{:.4g}", *value);
  return grouped(std::llround(*value));
}

std::string signed_percent(std::optional<double> share) {
  if (!share || !std::isfinite(*share)) return "-";
  if (*share >= 2) return figure(1 + *share) + " x";
  if (*share <= -2) return figure(1 - *share) + " x as long";  // of a saving
  const double percent = std::round(*share * 1000) / 10;
  return fmt::format("{:+.1f} %", percent == 0 ? 0.0 : percent);  // never -0.0
}

std::string cost_text(std::optional<double> cost, std::string_view currency) {
  if (!cost) return "-";
  // Two decimals, or four significant digits of small amounts, all digits of large ones.
  const std::string amount =
      *cost >= 1 && *cost < 999.995 ? fmt::format("{:.2f}", *cost) : figure(cost);
  return currency.empty() ? amount : fmt::format("{} {}", amount, currency);
}

std::string grouped(std::int64_t value) {
  std::string digits = fmt::format("{}", value);
  const std::ptrdiff_t first = value < 0 ? 1 : 0;
  for (auto at = std::ssize(digits) - 3; at > first; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  }
  return digits;
}

std::string counted(std::int64_t value, std::string_view what) {
  return fmt::format("{} {}{}", grouped(value), what, value == 1 ? "" : "s");
}

}  // namespace foretrain
