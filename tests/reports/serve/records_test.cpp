// Folders of records as pages.
#include "reports/record/files.h"
#include "reports/serve/routes.h"
#include "reports/studies/trainings/trainings_result.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace foretrain::serve {
namespace {

using namespace foretrain::testing;
namespace fs = std::filesystem;

TEST_CASE("records: the newest first with question and result; cases and repetitions are one") {
  const TemporaryFolder folder;
  const fs::path out = folder.path() / "out";
  CHECK(records_json(out).empty());
  std::vector<Record> cases;
  for (const char* strategy : {"sync", "async"}) {
    cases.push_back(small_record(Mode::simulate, strategy));
    const fs::path one = out / "study" / "simulate" / ("strategy=" + std::string(strategy));
    write_record(cases.back(), one);
    fs::last_write_time(one / "run.json", fs::file_time_type::clock::now() -
                                              std::chrono::hours(cases.size() == 1 ? 3 : 2));
  }
  write_record(cases.back(), out / "study" / "validate" / "run" / "async" / "1");
  write_text(out / "study" / "validate" / "validation.json",
             R"({"question": "Is it right?", "sentence": "It is."})");
  const auto records = records_json(out);
  REQUIRE(records.size() == 2);
  CHECK(records[0].at("folder") == "study/validate");
  CHECK(records[0].at("kind") == "validate");
  CHECK(records[0].at("question") == "Is it right?");
  CHECK(records[0].at("result") == "It is.");
  CHECK(records[1].at("folder") == "study/simulate");
  CHECK(records[1].at("kind") == "simulate");
  CHECK(records[1].at("result") == result_of(cases).sentence);
  CHECK(records[1].at("age_s").get<double>() == Approx(7200).margin(60));
  write_text(out / "study" / "validate" / "validation.json", "{");
  CHECK(records_json(out)[0].at("result").get<std::string>().find("parse error") !=
        std::string::npos);
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
