// The spread of a forecast over many seeds: median, 5th, 95th percentile of each figure.
#pragma once

#include "reports/record/record.h"
#include "reports/studies/result/result.h"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace foretrain {

/// A figure of the summary over the seeds: quantiles 0.5, 0.05, 0.95, interpolated linearly between
/// the two nearest values (`quantile`). For 20 seeds p5 lies 0.95 of the way from the smallest
/// value to the next.
struct SeedInterval {
  std::string figure;  ///< its name in run.json: time_s, final_loss, phases.compute_s, ...
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  std::int64_t known = 0;  ///< number of seeds whose record has the figure; never zero
};

struct SeedIntervals {
  Case scenario_case;  ///< with the first seed
  std::int64_t seeds = 0;
  std::vector<SeedInterval> figures;  ///< in the order of run.json
  std::string stands_on{};            ///< basis of the first seed's forecast (studies/ledger)

  /// The figure with this name, or null.
  [[nodiscard]] const SeedInterval* find(std::string_view name) const;
};

inline constexpr std::int64_t kMostSeeds = 10'000;

/// The case with seeds seed, seed + 1, ..., each added to its settings.
/// @throws InputError if `seeds` is not 1 to kMostSeeds, or a seed would exceed 64 bits
std::vector<Case> seeds_of(const Case& scenario_case, std::int64_t seeds);

/// `seed=7`: the folder of such a case within the folder of the intervals.
std::string seed_folder(const Case& scenario_case);

/// The intervals of one or more records of a case.
SeedIntervals seed_intervals_of(const Case& scenario_case, const std::vector<Record>& records);

struct SeedIntervalOptions {
  std::filesystem::path folder;  ///< gets seed=N/ with the record of each seed
  int threads = 1;
  /// Called after each seed, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

/// Simulates the case with every seed. The calling thread simulates the first one before the others
/// begin, since the machine may have to be calibrated for it; then `simulate` is called on
/// `threads` threads at once. The result does not depend on their number.
/// @throws NotDone if a simulation is not completed; its record is in its folder. InputError as
/// seeds_of
SeedIntervals simulate_seed_intervals(const Case& scenario_case, std::int64_t seeds,
                                      const SeedIntervalOptions& options,
                                      const std::function<Record(const Case&)>& simulate);

/// A sentence with the time, then a row for each figure that is not zero for all seeds.
Result seed_intervals_result(const SeedIntervals& intervals);
/// The object that `simulate --seeds N --json` prints. A figure that some seeds lack has `known`.
nlohmann::ordered_json to_json(const SeedIntervals& intervals);
/// bands.csv: figure, median, p5, p95, known.
ResultTable seed_intervals_table(const SeedIntervals& intervals);

}  // namespace foretrain
