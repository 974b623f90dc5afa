// The words that people give a benchmark.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace foretrain::bench {

/// What a part is asked for. Each part takes some of them.
struct Options {
  bool smoke = false;               ///< --smoke: all of it, small, one round
  bool peer = false;                ///< --peer: somebody else's program beside ours, in alternation
  int rounds = 3;                   ///< --rounds N: the median over them is the figure
  std::vector<std::string> only{};  ///< --only NAME,...: of its groups; empty: all
  std::vector<int> threads{};       ///< --threads N,...
  std::optional<double> seconds{};  ///< --seconds S
  std::optional<int> workers{};     ///< --workers N

  /// Whether --only leaves this one in.
  [[nodiscard]] bool wants(std::string_view name) const;
};

/// `known`: the options of a part; `names`: what its --only may name; `begin`: what is without.
/// @throws std::runtime_error that lists what there is, where a word is none of it
Options read_options(const std::vector<std::string>& arguments,
                     const std::vector<std::string>& known,
                     const std::vector<std::string>& names = {}, Options begin = {});

}  // namespace foretrain::bench
