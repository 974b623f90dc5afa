// Command line options of benchmarks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::bench {

/// Options of a benchmark; each benchmark supports some of them.
struct Options {
  bool smoke = false;               ///< --smoke: everything, but small and only once
  bool peer = false;                ///< --peer: another program in alternation
  int rounds = 3;                   ///< --rounds N: the figure is the median over them
  std::vector<std::string> only{};  ///< --only NAME,...: selected groups; empty: all
  std::vector<int> threads{};       ///< --threads N,...
  std::optional<double> seconds{};  ///< --seconds S
  std::optional<int> workers{};     ///< --workers N

  /// Whether --only includes this group.
  [[nodiscard]] bool wants(std::string_view name) const;
};

/// `known`: supported options; `names`: valid names for --only; `begin`: defaults.
/// @throws std::runtime_error that lists the valid words, if a word is not valid
Options read_options(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& known,
                     const std::vector<std::string>& names = {}, Options begin = {});

}  // namespace foretrain::bench
