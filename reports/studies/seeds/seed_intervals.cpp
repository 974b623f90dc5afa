// Simulates the seeds in parallel, then collects each figure.
#include "reports/studies/seeds/seed_intervals.h"

#include "models/base/check.h"
#include "reports/record/files.h"
#include "reports/record/flat.h"
#include "reports/record/not_done.h"
#include "reports/record/statistics.h"
#include "reports/studies/ledger/ledger.h"
#include "reports/studies/parallel/in_parallel.h"
#include "scenarios/language/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace foretrain {
namespace {

SeedIntervals seed_intervals_of_figures(const Case& scenario_case,
                                        const std::vector<FlatFigures>& all) {
  FT_CHECK(!all.empty());
  SeedIntervals intervals{scenario_case, std::ssize(all), {}};
  for (std::size_t i = 0; i < all.front().size(); ++i) {
    std::vector<double> values;
    for (const FlatFigures& figures : all) {
      if (figures.at(i).second) values.push_back(*figures[i].second);
    }
    if (values.empty()) continue;  // no record has it
    intervals.figures.push_back({all.front()[i].first, median(values).value(),
                                 quantile(values, 0.05).value(), quantile(values, 0.95).value(),
                                 std::ssize(values)});
  }
  return intervals;
}

}  // namespace

const SeedInterval* SeedIntervals::find(std::string_view name) const {
  const auto found = std::ranges::find(figures, name, &SeedInterval::figure);
  return found == figures.end() ? nullptr : &*found;
}

std::vector<Case> seeds_of(const Case& scenario_case, std::int64_t seeds) {
  if (seeds < 1 || seeds > kMostSeeds) {
    throw InputError(fmt::format("--seeds {}: write 1 to {}", seeds, kMostSeeds));
  }
  const std::uint64_t first = scenario_case.scenario.seed;
  if (first > std::numeric_limits<std::uint64_t>::max() - static_cast<std::uint64_t>(seeds - 1)) {
    throw InputError(
        fmt::format("--seeds {}: there are fewer seeds above seed: {}; write a "
                    "smaller seed",
                    seeds, first));
  }
  std::vector<Case> cases(static_cast<std::size_t>(seeds), scenario_case);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    cases[i].scenario.seed = first + i;
    cases[i].settings.push_back({"seed", fmt::format("{}", first + i)});
  }
  return cases;
}

std::string seed_folder(const Case& scenario_case) {
  return fmt::format("seed={}", scenario_case.scenario.seed);
}

SeedIntervals seed_intervals_of(const Case& scenario_case, const std::vector<Record>& records) {
  std::vector<FlatFigures> all;
  all.reserve(records.size());
  for (const Record& record : records) all.push_back(flat_figures(record));
  return seed_intervals_of_figures(scenario_case, all);
}

SeedIntervals simulate_seed_intervals(const Case& scenario_case, std::int64_t seeds,
                                      const SeedIntervalOptions& options,
                                      const std::function<Record(const Case&)>& simulate) {
  const std::vector<Case> cases = seeds_of(scenario_case, seeds);
  prepare_folder(options.folder);
  std::vector<FlatFigures> all(cases.size());
  std::mutex mutex;
  std::int64_t done = 0;
  std::string footing;
  const auto one = [&](std::int64_t number) {
    const Case& each = cases[static_cast<std::size_t>(number)];
    const Record record = simulate(each);
    const auto folder = options.folder / seed_folder(each);
    write_record(record, folder);
    if (record.outcome != Outcome::done) {
      throw NotDone(record.outcome,
                    fmt::format("seed {}: {}; its record so far is in {}", each.scenario.seed,
                                record.failure, folder.string()));
    }
    all[static_cast<std::size_t>(number)] = flat_figures(record);
    if (number == 0) footing = stands_on(record);
    const std::lock_guard lock(mutex);
    ++done;
    if (options.progress) options.progress(done, seeds);
  };
  one(0);
  in_parallel(seeds - 1, options.threads, [&](std::int64_t i) { one(i + 1); });
  SeedIntervals intervals = seed_intervals_of_figures(scenario_case, all);
  intervals.stands_on = std::move(footing);
  return intervals;
}

}  // namespace foretrain
