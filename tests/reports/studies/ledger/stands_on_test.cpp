// The basis of a forecast, with the errors of past validations.
#include "reports/studies/ledger/ledger.h"
#include "tests/reports/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace foretrain::testing {
namespace {

using PastFrom = ComputeBasis::From;

Record simulated_from(PastFrom from, const std::string& strategy = "sync") {
  Record record = small_record(Mode::simulate, strategy);
  record.basis = {{from, "this machine", "2026-11-25", 0.01, 0.02, false, {}}};
  return record;
}

LedgerRow past_row(const std::string& strategy, int model, double median, double p95) {
  LedgerRow row;
  row.measured.processor = {"some", 25, model, 2, {1}, {2}, {3}};
  row.measured.date = "2026-11-24";
  row.measured.commit = "c";
  row.measured.file = "loopback";
  row.strategy = strategy;
  row.cases = 8;
  row.median = median;
  row.p95 = p95;
  return row;
}

/// A history of two machines; the first one has an older validation, which does not count.
PastValidations two_machines(const TemporaryFolder& folder) {
  LedgerRow older = past_row("sync", 1, 0.5, 0.9);
  older.measured.date = "2026-11-20";
  write_text(folder.path() / "ledger.csv",
             ledger_csv({older, past_row("sync", 1, 0.045, 0.2), past_row("async", 1, 0.3, 0.4),
                         past_row("sync", 17, 0.12, 0.38)}));
  return {folder.path() / "out", folder.path() / "ledger.csv"};
}

TEST_CASE("stands on: the ledger says how far off such forecasts were on all machines") {
  const TemporaryFolder folder;
  const PastValidations past = two_machines(folder);
  CHECK_THAT(
      stands_on(simulated_from(PastFrom::calibrated), past),
      Catch::StartsWith("Assumptions: compute times are those of this machine") &&
          Catch::EndsWith(" Earlier validations found step times of sync on one machine off by 4.5 "
                          "to 12 % in the median, by at most 38 % in 95 % of the cases (ledger: 2 "
                          "validations, 2 machines)."));
  CHECK_THAT(
      stands_on(simulated_from(PastFrom::calibrated, "async"), past),
      Catch::EndsWith("off by 30 % in the median, by at most 40 % in 95 % of the cases (ledger: 1 "
                      "validation, 1 machine)."));
  CHECK_THAT(stands_on(simulated_from(PastFrom::calibrated, "local_sgd"), past),
             Catch::EndsWith(
                 "The forecast's error is unknown: no earlier validation of local_sgd was found."));
}

TEST_CASE("stands on: a validation of the same scenario counts before the ledger") {
  const TemporaryFolder folder;
  const PastValidations past = two_machines(folder);
  const auto validated = folder.path() / "out/study/validate";
  std::filesystem::create_directories(validated);
  write_text(validated / "validation.json",
             R"({"strategies": {"sync": {"step_time_error_median": 0.9, "steady":)"
             R"( {"step_time_error_median": 0.061, "step_time_error_p95": 0.2}}}})");
  CHECK_THAT(stands_on(simulated_from(PastFrom::calibrated), past),
             Catch::Contains(
                 "validate found its step times off by 6.1 % in the median, by at most 20 % in 95 "
                 "% of the cases (") &&
                 Catch::EndsWith("study/validate)."));
  // Validations of other strategies and damaged ones are skipped.
  CHECK_THAT(stands_on(simulated_from(PastFrom::calibrated, "async"), past),
             Catch::Contains("ledger: 1 validation"));
  write_text(validated / "validation.json", "{\"strategies\": [");
  CHECK_THAT(stands_on(simulated_from(PastFrom::calibrated), past),
             Catch::Contains("ledger: 2 validations"));
}

TEST_CASE("stands on: what no run has held is said of keys, data sheets, files by hand") {
  const TemporaryFolder folder;
  const PastValidations past = two_machines(folder);
  for (const PastFrom from :
       {PastFrom::given, PastFrom::described, PastFrom::written, PastFrom::profile}) {
    CHECK_THAT(stands_on(simulated_from(from), past),
               Catch::EndsWith("The forecast's error is unknown: forecasts of this kind were never "
                               "compared with real runs."));
  }
  CHECK(stands_on(small_record(Mode::run, "sync"), past).empty());
  CHECK(stands_on(simulated_from(PastFrom::calibrated), {folder.path(), folder.path() / "absent"})
            .find("The forecast's error is unknown: no earlier validation of sync was found.") !=
        std::string::npos);
}

TEST_CASE("stands on: a forecast by name tells the errors that its table has") {
  const TemporaryFolder folder;
  const PastValidations past = two_machines(folder);
  std::smatch row;
  std::ifstream page(source_dir() + "/scenarios/networks/README.md");
  const std::string table{std::istreambuf_iterator<char>(page), {}};
  REQUIRE(std::regex_search(
      table, row, std::regex(R"(\| by name, all \| (\d+) \| ([\d.]+ %) \| ([\d.]+ %) \|)")));
  CHECK_THAT(stands_on(simulated_from(PastFrom::fitted), past),
             Catch::Contains("For " + row.str(1) + " measured rows") &&
                 Catch::Contains("off by " + row.str(2) + " in the median") &&
                 Catch::EndsWith("at most " + row.str(3) + " (scenarios/networks/README.md)."));
  CHECK_THAT(stands_on(simulated_from(PastFrom::counted), past),
             Catch::Contains("never compared with real runs"));
}

TEST_CASE("stands on: several records say each sentence once, their strategies share one") {
  const TemporaryFolder folder;
  const PastValidations past = two_machines(folder);
  const std::vector<Record> records{
      simulated_from(PastFrom::calibrated), simulated_from(PastFrom::calibrated, "async"),
      simulated_from(PastFrom::calibrated), small_record(Mode::run, "sync")};
  CHECK_THAT(stands_on(records, past),
             Catch::StartsWith("Assumptions: compute times are those of this machine") &&
                 Catch::EndsWith(
                     ". Earlier validations found step times of async, sync on one machine off by "
                     "4.5 to 30 % in the median, by at most 40 % in 95 % of the cases (ledger: 2 "
                     "validations, 2 machines)."));
  const std::string mixed = stands_on(
      std::vector{simulated_from(PastFrom::given), simulated_from(PastFrom::calibrated)}, past);
  CHECK_THAT(mixed, Catch::Contains("are given by the scenario") &&
                        Catch::Contains("ledger: 2 validations") &&
                        Catch::EndsWith("The forecast's error is unknown: forecasts of this kind "
                                        "were never compared with real runs."));
}

TEST_CASE("stands on: the ledger of the library is found") {
  CHECK_THAT(
      stands_on(simulated_from(PastFrom::calibrated), {"nowhere", {}}),
      Catch::Contains("Earlier validations found step times of sync on one machine off by "));
}

}  // namespace
}  // namespace foretrain::testing
