// Folders of records as pages.
#include "reports/record/files.h"
#include "reports/serve/routes.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <string>

namespace foretrain::serve {
namespace {

using namespace foretrain::testing;
namespace fs = std::filesystem;

TEST_CASE("records: the newest first, each by what it is") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  CHECK(records_json(out).empty());
  write_record(small_record(Mode::simulate, "sync"), out / "study" / "simulate");
  fs::create_directories(out / "study" / "sweep");
  write_text(out / "study" / "sweep" / "sweep.csv", "case,name\n");
  fs::last_write_time(out / "study" / "simulate" / "run.json",
                      fs::file_time_type::clock::now() - std::chrono::hours(2));
  const auto records = records_json(out);
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("folder") == "study/sweep");
  CHECK(records[0].at("kind") == "sweep");
  CHECK(records[1].at("folder") == "study/simulate");
  CHECK(records[1].at("kind") == "record");
  CHECK(records[1].at("age_s").get<double>() == Approx(7200).margin(60));
}

TEST_CASE("records: one opens as its report, nothing outside of the folder does") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  write_record(small_record(Mode::simulate, "sync"), out / "study" / "simulate");
  write_record(small_record(Mode::simulate, "async"), folder.path() / "secret");
  const std::string page = record_page(out, "study/simulate");
  CHECK(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.find("study: foretrain report") != std::string::npos);
  fs::create_directory_symlink(folder.path() / "secret", out / "link");
  for (const char* elsewhere : {"../secret", "study/../../secret", "link", "none", "/etc"}) {
    CAPTURE(elsewhere);
    CHECK_THROWS_AS(record_page(out, elsewhere), InputError);
  }
  CHECK_THROWS_AS(record_page(out, (folder.path() / "secret").string()), InputError);
  CHECK(records_json(out).size() == 1);
}

}  // namespace
}  // namespace foretrain::serve
