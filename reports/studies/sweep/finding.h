// What a sweep found: which case is best, by how much.
#pragma once

#include "reports/studies/sweep/sweep_table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace foretrain {

/// The case, or the cases, that a sweep's question asks for.
struct SweepBest {
  const char* figure = "";        ///< by which they are compared: kBareTimeToTarget, kBareRate
  std::vector<std::size_t> rows;  ///< the best; several of them tie; none: no case has the figure

  [[nodiscard]] bool has(std::size_t row) const;
  [[nodiscard]] bool tie() const { return rows.size() > 1; }
};

/// Cases tie that differ by less than this share of the best.
inline constexpr double kTie = 1e-3;

/// By the time to the target where trainings have one, the least; else by examples/s, the most.
SweepBest best_of(const SweepTable& sweep);

/// The finding in a sentence with its figures: `Of 8 cases workers=8 is the fastest, 10,512
/// examples/s, 6.77 times as fast as workers=1, at an efficiency of 0.85.`
std::string sweep_sentence(const SweepTable& sweep);

/// For a terminal of 80 columns: the sentence; a line a case with the figures that they have, the
/// best ones marked; what the columns mean.
std::string to_text(const SweepTable& sweep);

}  // namespace foretrain
