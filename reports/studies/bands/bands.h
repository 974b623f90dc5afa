// What a forecast says over many seeds: of each figure the middle, the edges of nine tenths.
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
/// the two nearest values (`quantile`). Of 20 seeds p5 lies 0.95 of the way from the least value to
/// the next.
struct Band {
  std::string figure;  ///< as run.json calls it: time_s, final_loss, phases.compute_s, ...
  double median = 0;
  double p5 = 0;
  double p95 = 0;
  std::int64_t known = 0;  ///< seeds whose record knows the figure; never zero
};

struct Bands {
  Case scenario_case;  ///< with the first seed
  std::int64_t seeds = 0;
  std::vector<Band> figures;  ///< in the order of run.json
  std::string stands_on{};    ///< what the forecast of the first seed does (studies/ledger)

  /// The figure called `name`, or null.
  [[nodiscard]] const Band* find(std::string_view name) const;
};

inline constexpr std::int64_t kMostSeeds = 10'000;

/// The case with each of the seeds seed, seed + 1, ..., as a setting of its own.
/// @throws InputError where `seeds` is not 1 to kMostSeeds, or a seed would exceed what one can be
std::vector<Case> seeds_of(const Case& scenario_case, std::int64_t seeds);

/// `seed=7`: the folder of such a case in that of the bands.
std::string seed_folder(const Case& scenario_case);

/// The bands of records of one case. At least one record.
Bands bands_of(const Case& scenario_case, const std::vector<Record>& records);

struct BandOptions {
  std::filesystem::path folder;  ///< gets seed=N/ with the record of each
  int threads = 1;
  /// Called after each seed, from one thread at a time.
  std::function<void(std::int64_t done, std::int64_t all)> progress;
};

/// Simulates the case with every seed. The first is simulated on the calling thread before the
/// others begin, since a machine may have to be measured for it; then `simulate` is called on
/// `threads` threads at once. What comes out does not depend on their number.
/// @throws NotDone where one is not done, with its record in its folder; InputError as seeds_of
Bands simulate_bands(const Case& scenario_case, std::int64_t seeds, const BandOptions& options,
                     const std::function<Record(const Case&)>& simulate);

/// A sentence with the time, then a row a figure; of figures that all seeds have at zero none.
Result bands_result(const Bands& bands);
/// What `simulate --seeds N --json` prints. A figure that not all seeds know says how many do.
nlohmann::ordered_json to_json(const Bands& bands);
/// bands.csv: figure, median, p5, p95, known.
ResultTable bands_table(const Bands& bands);

}  // namespace foretrain
