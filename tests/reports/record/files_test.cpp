// The folder of a record: it reads back equal, damaged files are named.
#include "reports/record/files.h"

#include "reports/record/run_json.h"
#include "reports/record/summary.h"
#include "scenarios/language/file_errors.h"
#include "scenarios/resolve/read.h"
#include "tests/reports/support.h"
#include "tests/support/small_files.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>
#include <random>

namespace foretrain {
namespace {

using namespace testing;

void replace(const std::filesystem::path& path, const std::string& from, const std::string& to) {
  std::string text = read_text(path);
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  write_text(path, text.replace(at, from.size(), to));
}

/// The error of reading the folder, without the folder's name.
std::string complaint(const std::filesystem::path& folder) {
  try {
    (void)read_record(folder);
  } catch (const InputError& error) {
    std::string text = error.what();
    const std::string prefix = folder.string();
    REQUIRE(text.substr(0, prefix.size()) == prefix);
    return text.substr(prefix.size());
  }
  return "none";
}

}  // namespace

TEST_CASE("files: a file is written whole or not at all, whatever its place is") {
  const TemporaryFolder folder;
  const auto path = folder.path() / "file";
  write_text_file(path, "older");
  {
    const SmallFiles full(1'000);
    CHECK_THROWS_AS(write_text_file(path, std::string(2'000, 'x')), WriteError);
    CHECK_THROWS_WITH(write_text_file(path, std::string(2'000, 'x')),
                      path.string() + ": cannot write: File too large");
  }
  CHECK(read_text(path) == "older");
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  // A link stays; its target is written.
  std::filesystem::create_symlink("file", folder.path() / "link");
  write_text_file(folder.path() / "link", "newer");
  CHECK(std::filesystem::is_symlink(folder.path() / "link"));
  CHECK(read_text(path) == "newer");
  // Special files are written in place.
  write_text_file("/dev/null", "nothing");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  // An invalid path is the user's error, not the disk's.
  CHECK_THROWS_AS(write_text_file(folder.path() / "no/file", "x"), InputError);
  try {
    write_text_file(folder.path() / "no/file", "x");
  } catch (const WriteError&) {
    FAIL("the disk is not full");
  } catch (const InputError& error) {
    CHECK_THAT(error.what(), Catch::EndsWith("no/file: cannot write: No such file or directory"));
  }
}

TEST_CASE("files: what is set aside is in a folder of its own, each time another one") {
  const TemporaryFolder folder;
  CHECK(set_aside(folder.path(), {"run", "cases.csv"}).empty());
  std::filesystem::create_directories(folder.path() / "run/1");
  write_text(folder.path() / "run/1/run.json", "measured");
  write_text(folder.path() / "cases.csv", "first");
  CHECK(set_aside(folder.path(), {"run", "cases.csv", "absent"}) == folder.path() / "earlier-1");
  CHECK(read_text(folder.path() / "earlier-1/run/1/run.json") == "measured");
  CHECK(read_text(folder.path() / "earlier-1/cases.csv") == "first");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "run"));
  write_text(folder.path() / "cases.csv", "second");
  CHECK(set_aside(folder.path(), {"cases.csv"}) == folder.path() / "earlier-2");
  CHECK(read_text(folder.path() / "earlier-1/cases.csv") == "first");
}

TEST_CASE("record: its head says what it is of, without rows") {
  const TemporaryFolder folder;
  CHECK_FALSE(read_record_head(folder.path()));
  const Record record = small_record(Mode::run, "sync");
  write_record(record, folder.path());
  std::filesystem::remove(folder.path() / kStepsFile);
  const auto head = read_record_head(folder.path());
  REQUIRE(head);
  CHECK(head->mode == Mode::run);
  CHECK(head->gradients == record.gradients);
  CHECK(to_yaml(head->scenario_case.scenario) == to_yaml(record.scenario_case.scenario));
  CHECK(head->steps.empty());
  write_text(folder.path() / kRunFile, "{");
  CHECK_THROWS_AS(read_record_head(folder.path()), InputError);
}

TEST_CASE("record: any record reads back equal") {
  const std::uint64_t first = std::random_device{}();
  for (std::uint64_t seed = first; seed < first + 50; ++seed) {
    INFO("random_record(" << seed << ")");
    const Record record = random_record(seed);
    const TemporaryFolder folder;
    write_record(record, folder.path());
    REQUIRE(read_record(folder.path()) == record);
  }
}

TEST_CASE("record: one of thousands of nodes reads back equal") {
  Record record = small_record(Mode::simulate, "sync");
  const NodeTotals last = record.nodes.back();
  record.nodes.resize(5'000, last);
  for (std::size_t i = 0; i < record.nodes.size(); ++i) {
    NodeTotals& node = record.nodes[i];
    node.role = "node" + std::to_string(i * 7'919 % 5'000);  // in no order
    node.host = "host \"" + std::to_string(i) + "\"";
    node.core = static_cast<int>(i % 3) - 1;
    node.tx = {static_cast<std::int64_t>(i)};
    if (i % 1'000 == 7) node.away = {{"was killed", {1'000'000}, {2'000'000}}};
  }
  const TemporaryFolder folder;
  write_record(record, folder.path());
  CHECK(read_record(folder.path()) == record);
  SECTION("a node that has no place is named") {
    replace(folder.path() / "run.json", "\"node4999\": {", "\"node5000\": {");
    CHECK(complaint(folder.path()) ==
          "/run.json: placement: has no `node4999`; the record is damaged");
  }
  SECTION("a place that lacks a key is named") {
    replace(folder.path() / "run.json", "\"node4999\": {\n      \"host\"",
            "\"node4999\": {\n      \"hots\"");
    CHECK(complaint(folder.path()) ==
          "/run.json: placement: node4999: has no `host`; the record is damaged");
  }
}

TEST_CASE("record: run.json is laid out as its document is printed") {
  const auto laid_out = [](const Record& record) {
    for (const bool ended : {true, false}) {
      const auto rows = ended ? std::optional(RowCounts{1, 2, 3}) : std::nullopt;
      const std::string text = run_json(record, RowsKept::all, rows);
      const auto json = nlohmann::ordered_json::parse(text);
      REQUIRE(text == json.dump(2) + "\n");
      REQUIRE(json.at("summary") == to_json(record));
    }
  };
  Record record = random_record(1);
  laid_out(record);
  record.nodes.front().away = {{"left\nin two lines", {1}, {2}}, {"again", {3}, {4}}};
  record.colocated_jobs = {{"other", "foretrain: 1\n", 7, true, ""}};
  laid_out(record);
  record.nodes.clear();
  laid_out(record);
  record.nodes.resize(1);
  record.nodes.front().role = "no \xff UTF-8";
  CHECK_THAT(run_json(record, RowsKept::all, {}), Catch::Contains("\"no \uFFFD UTF-8\": {"));
}

TEST_CASE("record: records that differ in one figure are not equal") {
  const Record record = small_record(Mode::run, "sync");
  Record other = record;
  CHECK(other == record);
  ++other.steps[2].report.phases.pull.ns;
  CHECK_FALSE(other == record);
  other = record;
  other.evals[0].loss = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(other == record);
  other = record;
  other.scenario_case.scenario.seed = 2;
  CHECK_FALSE(other == record);
}

TEST_CASE("record: the same record gives the same bytes, in a folder of any name") {
  const TemporaryFolder folder;
  const Record record = small_record(Mode::simulate, "async");
  write_record(record, folder.path() / "one");
  write_record(record, folder.path() / "the" / "other");
  for (const char* name : {"run.json", "steps.csv", "evals.csv", "usage.csv", "timeline.json",
                           "tensorboard/events.out.tfevents.foretrain"}) {
    const std::string one = read_text(folder.path() / "one" / name);
    CHECK_FALSE(one.empty());
    CHECK(one == read_text(folder.path() / "the" / "other" / name));
  }
}

TEST_CASE("record: rows are written as people read them, to the nanosecond") {
  const TemporaryFolder folder;
  Record record = small_record(Mode::run, "sync");
  record.steps.resize(1);
  record.steps[0].report.start = {9'007'199'254'740'993};  // 2^53 + 1, which is no double
  record.steps[0].report.loss = std::numeric_limits<double>::quiet_NaN();
  write_record(record, folder.path());
  CHECK(read_text(folder.path() / "steps.csv") ==
        "worker,step,start_s,compute_s,push_s,wait_s,apply_s,pull_s,evaluate_s,staleness,loss\n"
        "0,0,9007199.254740993,0.004000000,0.001000000,0.002000000,0.001000000,0.002000000,"
        "0.005000000,0,\n");
  CHECK(read_text(folder.path() / "evals.csv") ==
        "step,version,time_s,took_s,loss,accuracy,auc,final\n"
        "1,1,0.010000000,0.005000000,1.5,0.5,,0\n2,2,0.100000000,0.020000000,0.75,0.875,,1\n");
  CHECK(read_text(folder.path() / "usage.csv") ==
        "time_s,node,cpu_user_s,cpu_system_s,rss_bytes,tx_bytes,rx_bytes,nic_tx_bytes,"
        "nic_rx_bytes\n"
        "0.050000000,0,0.04,0.01,900000,300,350,320,370\n"
        "0.050000000,2,0.01,0,,500,500,,\n");
  CHECK(read_record(folder.path()) == record);
}

TEST_CASE("record: writing replaces an older record, leaving nothing else") {
  const TemporaryFolder folder;
  write_record(small_record(Mode::run, "async"), folder.path());
  const Record record = small_record(Mode::run, "sync");
  write_record(record, folder.path());
  CHECK(read_record(folder.path()) == record);
  const std::filesystem::directory_iterator files(folder.path());
  CHECK(std::distance(begin(files), end(files)) == 6);
}

TEST_CASE("record: a folder that cannot be made is named") {
  const TemporaryFolder folder;
  write_text(folder.path() / "file", "");
  CHECK_THROWS_WITH(write_record(small_record(Mode::run, "sync"), folder.path() / "file" / "out"),
                    Catch::Contains("file/out: cannot make the folder: Not a directory"));
}

TEST_CASE("record: a folder without run.json is no record") {
  const TemporaryFolder folder;
  CHECK(complaint(folder.path()) == ": no run.json here; is this the folder of a run?");
}

TEST_CASE("record: a damaged table is reported with file, line, column") {
  const TemporaryFolder folder;
  write_record(small_record(Mode::run, "sync"), folder.path());
  const auto steps = folder.path() / "steps.csv";
  SECTION("not a whole number") {
    replace(steps, ",3,1\n", ",x,1\n");
    CHECK(complaint(folder.path()) ==
          "/steps.csv:5: staleness: 'x' is not a whole number; the record is damaged");
  }
  SECTION("not a time") {
    replace(steps, "0.008000000", "0.0080000001");
    CHECK(complaint(folder.path()) ==
          "/steps.csv:3: compute_s: '0.0080000001' is not a time in seconds with at most nine "
          "decimals; the record is damaged");
  }
  SECTION("a time beyond 64 bits") {
    replace(steps, "0.008000000", "9223372036.854775808");
    CHECK_THAT(complaint(folder.path()), Catch::Contains("steps.csv:3: compute_s"));
  }
  SECTION("not a number") {
    replace(folder.path() / "evals.csv", "0.875", "0.8.75");
    CHECK(complaint(folder.path()) ==
          "/evals.csv:3: accuracy: '0.8.75' is not a number; the record is damaged");
  }
  SECTION("a cell too few") {
    replace(folder.path() / "usage.csv", "0.04,", "");
    CHECK(complaint(folder.path()) ==
          "/usage.csv:2: 8 cells under 9 columns; the record is damaged");
  }
  SECTION("other columns") {
    replace(steps, "worker,step", "step,worker");
    CHECK_THAT(complaint(folder.path()), Catch::StartsWith("/steps.csv:1: the columns are not"));
  }
  SECTION("cut within a row") {
    const std::string text = read_text(steps);
    write_text(steps, text.substr(0, text.size() - 1));
    CHECK(complaint(folder.path()) ==
          "/steps.csv:5: the file ends in the middle of a row; the record is damaged");
  }
  SECTION("cut between rows") {
    const std::string text = read_text(steps);
    write_text(steps, text.substr(0, text.rfind('\n', text.size() - 2) + 1));
    CHECK(complaint(folder.path()) ==
          "/steps.csv: 3 rows, run.json counts 4; the record is damaged");
  }
  SECTION("absent") {
    std::filesystem::remove(steps);
    CHECK(complaint(folder.path()) == "/steps.csv: cannot read: No such file or directory");
  }
}

TEST_CASE("record: a damaged run.json is reported with the key") {
  const TemporaryFolder folder;
  write_record(small_record(Mode::run, "sync"), folder.path());
  const auto file = folder.path() / "run.json";
  SECTION("not JSON") {
    replace(file, "\"mode\": \"run\"", "\"mode\": run");
    CHECK(complaint(folder.path()) == "/run.json:4: is not JSON; the record is damaged");
  }
  SECTION("another JSON file") {
    write_text(file, "[1, 2]");
    CHECK(complaint(folder.path()) ==
          "/run.json: has no `foretrain_record`, so it is no record of a training");
  }
  SECTION("another version") {
    replace(file, "\"foretrain_record\": 1", "\"foretrain_record\": 2");
    CHECK_THAT(complaint(folder.path()),
               Catch::StartsWith("/run.json: a record of version 2, this program reads version 1"));
  }
  SECTION("a key is gone") {
    replace(file, "\"dropped\"", "\"droped\"");
    CHECK(complaint(folder.path()) == "/run.json: totals: has no `dropped`; the record is damaged");
  }
  SECTION("a value of another type") {
    replace(file, "\"time_ns\": 100000000", "\"time_ns\": \"soon\"");
    CHECK(complaint(folder.path()) ==
          "/run.json: totals: time_ns: \"soon\" is not a whole number of 64 bits; the record is "
          "damaged");
  }
  SECTION("a number that no double holds") {
    replace(file, "\"time_ns\": 100000000,\n", "\"time_ns\": 9e400\n,");
    const std::string text = read_text(file);
    const auto line = std::count(text.begin(), text.begin() + text.find("9e400"), '\n') + 1;
    CHECK(complaint(folder.path()) ==
          "/run.json:" + std::to_string(line) + ": a number is too large; the record is damaged");
  }
  SECTION("a number that no integer holds") {
    replace(file, "\"time_ns\": 100000000", "\"time_ns\": 9223372036854775808");
    CHECK_THAT(complaint(folder.path()),
               Catch::StartsWith("/run.json: totals: time_ns: 9223372036854775808 is not a whole"));
  }
  SECTION("another version of a program that is no text") {
    replace(file, "\"foretrain_record\": 1", "\"foretrain_record\": 2");
    replace(file, "\"program\": \"", "\"program\": 7, \"was\": \"");
    CHECK_THAT(complaint(folder.path()), Catch::EndsWith("foretrain of another version"));
  }
  SECTION("a value that is nested so deep that whoever copies it has no stack left") {
    const std::size_t depth = 500'000;
    replace(file, "\"mode\": \"run\"",
            "\"mode\": " + std::string(depth, '[') + std::string(depth, ']'));
    CHECK(complaint(folder.path()) == "/run.json:4: nested too deep; the record is damaged");
  }
  SECTION("a list where a text should be is named, not printed") {
    replace(file, "\"mode\": \"run\"", "\"mode\": [\"run\"]");
    CHECK(complaint(folder.path()) ==
          "/run.json: mode: an array is not a text; the record is damaged");
  }
  SECTION("a share that is none") {
    replace(file, "\"kernel_set\": ", "\"others_used\": 1.5,\n  \"kernel_set\": ");
    CHECK(complaint(folder.path()) ==
          "/run.json: others_used: is not a share from 0 to 1; the record is damaged");
  }
  SECTION("an unknown mode") {
    replace(file, "\"mode\": \"run\"", "\"mode\": \"dream\"");
    CHECK(complaint(folder.path()) ==
          "/run.json: mode: 'dream' is not known; the record is damaged");
  }
}

}  // namespace foretrain
