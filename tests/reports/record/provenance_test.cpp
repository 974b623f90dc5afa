// The program that wrote a record: stored beside the record, not in it.
#include "reports/record/provenance.h"

#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

namespace foretrain::testing {
namespace {
namespace fs = std::filesystem;

const Provenance kWritten{"0.1.0 (2c2e608b1a2c, wire 2)",
                          "2026-11-23T06:15:00Z",
                          "node0",
                          {"foretrain", "run", "a b.yaml", "--set", "training.steps=3"},
                          "AMD EPYC"};

TEST_CASE("provenance: what is written is read back") {
  const TempFolder folder;
  CHECK(read_provenance(folder.path()) == std::nullopt);
  write_provenance(kWritten, folder.path());
  CHECK(read_provenance(folder.path()) == kWritten);
}

TEST_CASE("provenance: words that are no UTF-8 are repaired, not refused") {
  const TempFolder folder;
  Provenance odd = kWritten;
  odd.command = {"foretrain", "run", "\xff.yaml"};
  write_provenance(odd, folder.path());
  CHECK(read_provenance(folder.path())->command.size() == 3);
}

TEST_CASE("provenance: a file of before, without the processor, is read") {
  const TempFolder folder;
  write_text_file(folder / kProvenanceFile,
                  R"({"build": "b", "date": "d", "host": "h", "command": ["foretrain", "run"]})");
  CHECK(read_provenance(folder.path()) ==
        Provenance{"b", "d", "h", {"foretrain", "run"}, std::string()});
}

TEST_CASE("provenance: a damaged file is named") {
  const TempFolder folder;
  write_text_file(folder / kProvenanceFile, "{\"build\": ");
  CHECK_THROWS_WITH(read_provenance(folder.path()),
                    Catch::Contains("provenance.json:1: is not JSON; the file is damaged"));
  write_text_file(folder / kProvenanceFile, "{}");
  CHECK_THROWS_WITH(read_provenance(folder.path()),
                    Catch::Contains("provenance.json: has no `build`; the file is damaged"));
  write_text_file(folder / kProvenanceFile,
                  R"({"build": "b", "date": "d", "host": "h", "command": ["foretrain", 3]})");
  CHECK_THROWS_WITH(read_provenance(folder.path()),
                    Catch::Contains("provenance.json: command: 3 is not a text; "));
}

TEST_CASE("provenance: that of an earlier run does not stay beside another record") {
  const TempFolder folder;
  write_provenance(kWritten, folder.path());
  write_record(simulate(small_case("single", 1, 2)), folder.path());
  CHECK(!fs::exists(folder / kProvenanceFile));
}

}  // namespace
}  // namespace foretrain::testing
