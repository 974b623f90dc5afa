// The basis of a forecast, with the errors that validations found.
#include "reports/record/source.h"
#include "reports/studies/ledger/ledger.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/library/library.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <tuple>
#include <utility>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using PastJson = nlohmann::ordered_json;

/// `9.7 %`, `5 to 14 %`
std::string percent_between(double least, double most) {
  constexpr double kTenth = 0.1;  // from here on fractions of a per cent are omitted
  const auto text = [](double share) {
    return fmt::format("{:.{}f}", 100 * share, share < kTenth ? 1 : 0);
  };
  if (text(least) == text(most)) return text(most) + " %";
  return fmt::format("{} to {} %", text(least), text(most));
}

std::string whole_file(const fs::path& path) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return {};
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The errors that this scenario's own validation found for its strategy; empty if there is none.
std::string of_same_scenario(const Scenario& scenario, const fs::path& out) {
  const fs::path folder = out / Case{{}, scenario, {}}.label() / "validate";
  const std::string text = whole_file(folder / "validation.json");
  if (text.empty() || nested_too_deep(text)) return {};
  const PastJson json = PastJson::parse(text, nullptr, false);
  const auto at = [](const PastJson& object, const std::string& key) {
    return object.is_object() && object.contains(key) ? object.at(key) : PastJson();
  };
  const PastJson entry = at(at(json, "strategies"), scenario.training.strategy);
  const PastJson steady = at(entry, "steady");
  const PastJson& judged = steady.is_object() ? steady : entry;
  const PastJson median = at(judged, "step_time_error_median");
  const PastJson tail = at(judged, "step_time_error_p95");
  if (!median.is_number() || !tail.is_number()) return {};
  return fmt::format(
      "An earlier validate found its step times off by {} in the median, by at most {} in 95 % of "
      "the cases ({}).",
      percent_between(median.get<double>(), median.get<double>()),
      percent_between(tail.get<double>(), tail.get<double>()), folder.string());
}

std::vector<LedgerRow> known_ledger(const fs::path& named) {
  try {
    const fs::path path =
        named.empty() ? fs::path(in_library("scenarios/validation/ledger.csv")) : named;
    return newest_rows(read_ledger(path));
  } catch (const InputError&) {
    return {};  // forecasts work without the library
  }
}

/// The ledger's errors for these strategies, in words; empty if it has none.
std::string of_ledger(const std::set<std::string>& strategies, const fs::path& named) {
  std::vector<LedgerRow> rows = known_ledger(named);
  std::erase_if(rows, [&](const LedgerRow& row) { return !strategies.contains(row.strategy); });
  if (rows.empty()) return {};
  const auto [least, most] = std::ranges::minmax(rows, {}, &LedgerRow::median);
  const LedgerRow worst = std::ranges::max(rows, {}, &LedgerRow::p95);
  std::set<std::string> known;
  std::vector<Occasion> validations;
  std::set<std::tuple<std::string, int, int>> machines;
  for (const LedgerRow& row : rows) {
    const Processor& processor = row.measured.processor;
    known.insert(row.strategy);
    if (std::ranges::find(validations, row.measured) == validations.end()) {
      validations.push_back(row.measured);
    }
    machines.emplace(processor.name, processor.family, processor.model);
  }
  return fmt::format(
      "Earlier validations found step times of {} on one machine off by {} in the median, by at "
      "most {} in 95 % of the cases (ledger: {} validation{}, {} machine{}).",
      fmt::join(known, ", "), percent_between(least.median, most.median),
      percent_between(worst.p95, worst.p95), validations.size(), validations.size() == 1 ? "" : "s",
      machines.size(), machines.size() == 1 ? "" : "s");
}

bool is_calibrated(const Record& record) {
  return std::ranges::all_of(record.basis, [](const ComputeBasis& basis) {
    return basis.from == ComputeBasis::From::calibrated;
  });
}

}  // namespace

std::string stands_on(std::span<const Record> records, const PastValidations& past) {
  std::vector<std::string> sentences;
  const auto add = [&](const std::string& text) {
    if (text.empty()) return;
    const auto goes_on = [](std::string_view longer, std::string_view shorter) {
      return longer.starts_with(shorter.substr(0, shorter.size() - 1));  // without the full stop
    };
    for (std::string& each : sentences) {
      if (goes_on(each, text)) return;
      if (goes_on(text, each)) return void(each = text);
    }
    sentences.push_back(text);
  };
  std::set<std::string> strategies;  // to be looked up in the ledger
  bool uncalibrated = false;
  for (const Record& record : records) add(basis_sentence(record));
  for (const Record& record : records) {
    if (basis_sentence(record).empty()) continue;
    const std::string found =
        is_calibrated(record) ? of_same_scenario(record.scenario_case.scenario, past.out) : "";
    add(found);
    uncalibrated = uncalibrated || !is_calibrated(record);
    if (found.empty() && is_calibrated(record)) {
      strategies.insert(record.scenario_case.scenario.training.strategy);
    }
  }
  const std::string ledger = of_ledger(strategies, past.ledger);
  add(ledger);
  if (!strategies.empty() && ledger.empty()) {
    add(fmt::format("The forecast's error is unknown: no earlier validation of {} was found.",
                    fmt::join(strategies, ", ")));
  }
  const auto fitted = [](const Record& record) {
    return std::ranges::all_of(record.basis, [](const ComputeBasis& basis) {
      return basis.from == ComputeBasis::From::fitted;
    });
  };
  if (uncalibrated && !records.empty() && std::ranges::all_of(records, fitted)) {
    add("For 83 measured rows that were not used to fit, such forecasts were off by 2.7 % in the "
        "median, nine of ten by at most 10.0 % (scenarios/networks/README.md).");
  } else if (uncalibrated) {
    add("The forecast's error is unknown: forecasts of this kind were never compared with real "
        "runs.");
  }
  return fmt::format("{}", fmt::join(sentences, " "));
}

}  // namespace foretrain
