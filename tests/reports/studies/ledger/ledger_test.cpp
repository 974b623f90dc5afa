// The history of validations: rows, the guide's table.
#include "reports/studies/ledger/ledger.h"

#include "scenarios/language/input_error.h"
#include "tests/reports/studies/validation/support.h"
#include "tests/support/places.h"

#include <catch2/catch.hpp>

#include <optional>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using namespace testing;

Occasion measured(const std::string& file, const std::string& date, const std::string& commit) {
  return {
      {"Some, \"quoted\" CPU", 6, 143, 2, {48 << 10}, {2 << 20}, {105 << 20}}, date, commit, file};
}

LedgerRow row(const Occasion& of, const std::string& strategy, double median) {
  return {of, strategy, 8, 1, median, 2 * median, median <= 0.05, {}, {}};
}

TEST_CASE("ledger: a row a strategy, held by both goals, with what is left of the protocol") {
  const Case c = case_of("sync");
  const auto own = [&](const Record&) { return std::optional(timed(Mode::simulate, c, 101)); };
  Validation v{
      {compare_case(c, {{timed(Mode::run, c, 100)}, timed(Mode::simulate, c, 104)}, {}, own),
       compare_times(case_of("async"), {{100}, 120})},
      1,
      0};
  const auto rows = ledger_rows(v, measured("loopback", "2026-11-23", "abc"));
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].strategy == "sync");
  CHECK(rows[0].cases == 1);
  CHECK(rows[0].median == Approx(0.04));
  CHECK(rows[0].held);
  CHECK(rows[0].protocol_p95 == std::optional(0.01));
  CHECK(rows[1].p95 == Approx(0.2));
  CHECK_FALSE(rows[1].held);
  CHECK_FALSE(rows[1].protocol_median.has_value());
}

TEST_CASE("ledger: what is written is read, and entered anew where it was measured again") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "ledger.csv";
  CHECK(read_ledger(path).empty());
  const Occasion first = measured("loopback", "2026-11-22", "abc");
  const Occasion second = measured("loopback", "2026-11-23", "abc");
  LedgerRow tiny = row(first, "sync", 0.0001);
  tiny.protocol_median = 0.0003;
  tiny.protocol_p95 = 0;
  enter_into_ledger(path, {tiny, row(first, "async", 0.1234)});
  enter_into_ledger(path, {row(second, "sync", 0.03)});
  CHECK(read_ledger(path) ==
        std::vector{tiny, row(first, "async", 0.1234), row(second, "sync", 0.03)});
  // Again, with other strategies: replaces the whole validation.
  enter_into_ledger(path, {row(first, "ssp", 0.02)});
  CHECK(read_ledger(path) == std::vector{row(second, "sync", 0.03), row(first, "ssp", 0.02)});
}

TEST_CASE("ledger: a damaged file is refused by its line, and left as it is") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "ledger.csv";
  std::string text = ledger_csv({row(measured("loopback", "2026-11-22", "abc"), "sync", 0.1)});
  text.replace(text.find(",no,"), 4, ",perhaps,");
  write_text(path, text);
  CHECK_THROWS_WITH(enter_into_ledger(path, {}),
                    Catch::Contains("ledger.csv:2: held: 'perhaps' is neither yes nor no"));
  CHECK(read_text(path) == text);
}

TEST_CASE("ledger: a number that its column cannot hold is refused by its line") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "ledger.csv";
  const std::string text =
      ledger_csv({row(measured("loopback", "2026-11-22", "abc"), "sync", 0.1)});
  const auto refusal = [&](const std::string& from, const std::string& to) -> std::string {
    std::string changed = text;
    write_text(path, changed.replace(changed.find(from), from.size(), to));
    try {
      read_ledger(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(refusal(",49152,", ",1e300,"),
             Catch::EndsWith("ledger.csv:2: '1e300' is not a whole number; write one"));
  CHECK_THAT(refusal(",49152,", ",-1,"),
             Catch::EndsWith("ledger.csv:2: '-1' is not a whole number; write one"));
  CHECK_THAT(refusal(",0.1,", ",1e999,"),
             Catch::EndsWith("ledger.csv:2: '1e999' is too large; write another number"));
}

TEST_CASE("ledger: the newest validation of each file on each machine") {
  Occasion elsewhere = measured("loopback", "2026-11-20", "ghi");
  elsewhere.processor.model = 17;
  const LedgerRow old = row(measured("loopback", "2026-11-22", "abc"), "single", 0.2);
  const LedgerRow other_file = row(measured("shaped", "2026-11-22", "abc"), "async", 0.04);
  const LedgerRow again = row(measured("loopback", "2026-11-23", "def"), "sync", 0.031);
  const LedgerRow beside = row(measured("loopback", "2026-11-23", "def"), "async", 0.02);
  const LedgerRow late_entry = row(measured("loopback", "2026-11-21", "xyz"), "sync", 0.9);
  CHECK(newest_rows({old, other_file, again, beside, row(elsewhere, "sync", 0.5), late_entry}) ==
        std::vector{other_file, again, beside, row(elsewhere, "sync", 0.5)});
}

TEST_CASE("ledger: every row of the library's names its processor") {
  const auto rows = read_ledger(source_dir() + "/scenarios/validation/ledger.csv");
  CHECK_FALSE(rows.empty());
  for (const LedgerRow& each : rows) CHECK_FALSE(each.measured.processor.name.empty());
}

}  // namespace
}  // namespace foretrain
