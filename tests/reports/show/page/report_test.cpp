// Reports of folders: their content, their errors.
#include "reports/record/files.h"
#include "reports/record/provenance.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/sections.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/whatif/whatif_data.h"
#include "scenarios/language/input_error.h"
#include "tests/reports/show/page/support.h"
#include "tests/reports/studies/validation/support.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace foretrain {
namespace {

using namespace testing;
namespace fs = std::filesystem;

Found found_in(const fs::path& folder) {
  Found found;
  add_folder(folder, found);
  return found;
}

}  // namespace

TEST_CASE("report: a record, the records of a sweep in their order") {
  const TemporaryFolder folder;
  for (const char* workers : {"10", "2", "1"}) {
    Record record = small_record(Mode::run, "sync");
    record.scenario_case.settings = {{"training.workers", workers}};
    write_record(record, folder.path() / "all" / fmt::format("workers={}", workers));
  }
  CHECK(found_in(folder.path() / "all" / "workers=2").records.size() == 1);
  const Found found = found_in(folder.path() / "all");
  REQUIRE(found.records.size() == 3);
  CHECK(found.records[1].scenario_case.settings[0].value == "2");
  CHECK(found.records[2].scenario_case.settings[0].value == "10");
}

TEST_CASE("report: a target that nobody saw being reached is not called missed") {
  const auto told = [](double accuracy) {
    Record record = small_record(Mode::simulate, "sync");
    record.scenario_case.scenario.training.until.accuracy = 0.7;
    EvalReport last;  // the only evaluation, which says nothing about the time
    last.version = {30};
    last.loss = 0.5;
    last.accuracy = accuracy;
    last.final = true;
    record.evals = {last};
    Found found;
    found.records = {record};
    const Table table = page_of(found).sections.at(0).tables.at(0);
    const auto row = std::ranges::find(table.rows, "target [s]",
                                       [](const auto& cells) { return cells[0].text; });
    REQUIRE(row != table.rows.end());
    return row->at(1).text;
  };
  CHECK(told(0.75) == "time unknown");
  CHECK(told(0.65) == "not reached");
}

TEST_CASE("report: the build that wrote a run stands beside it, where its folder says") {
  const TemporaryFolder folder;
  write_record(small_record(Mode::run, "sync"), folder.path() / "a");
  write_provenance({"0.1.0 (2c2e608b1a2c, wire 2)", "", "", {}}, folder.path() / "a");
  write_record(small_record(Mode::simulate, "sync"), folder.path() / "b");
  const auto written_by = [](const Found& found) {
    const Table table = page_of(found).sections.at(0).tables.at(0);
    const auto column = std::ranges::find(table.columns, "written by", &Table::Column::name);
    std::vector<std::string> texts;
    if (column == table.columns.end()) return texts;
    for (const auto& row : table.rows) {
      texts.push_back(row.at(static_cast<std::size_t>(column - table.columns.begin())).text);
    }
    return texts;
  };
  CHECK(written_by(found_in(folder.path())) ==
        std::vector<std::string>{"0.1.0 (2c2e608b1a2c, wire 2)", "-"});
}

TEST_CASE("report: a validation with the records of its few cases") {
  const TemporaryFolder folder;
  const Validation validation = validate_times({{100}, 90}, {{50}, 60});
  write_text(folder.path() / "validation.json", to_text(to_json(validation)));
  for (const char* strategy : {"sync", "async"}) {
    write_record(small_record(Mode::run, strategy), folder.path() / "run" / strategy / "1");
    write_record(small_record(Mode::simulate, strategy), folder.path() / "simulate" / strategy);
  }
  const Found found = found_in(folder.path());
  CHECK(found.records.size() == 4);
  REQUIRE(found.sections.size() == 1);
  CHECK(found.sections[0].figures.size() == 1);
  const Page page = page_of(found);
  CHECK_THAT(page.sentence, Catch::Contains("sync -10.0 %") && Catch::Contains("async +20.0 %"));
  CHECK(page.sections[1].id == "validation");
  CHECK(page.sections[1].tables[0].rows[0][1].text == "10");
}

TEST_CASE("report: a folder that is none of these is said to be what it is") {
  const TemporaryFolder folder;
  const auto message = [&](const fs::path& path) -> std::string {
    try {
      found_in(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  CHECK_THAT(message(folder.path() / "absent"), Catch::EndsWith("absent: no such folder"));
  CHECK_THAT(message(folder.path()), Catch::EndsWith("it is empty"));
  write_text(folder.path() / "notes.txt", "");
  CHECK_THAT(message(folder.path()), Catch::EndsWith("it holds notes.txt"));
  CHECK_THAT(message(folder.path() / "notes.txt"), Catch::Contains("this is a file"));
  fs::create_directories(folder.path() / "run");
  fs::create_directories(folder.path() / "simulate");
  CHECK_THAT(message(folder.path()), Catch::Contains("unfinished validation"));
  write_text(folder.path() / "validation.json", "{\"cases\": [");
  CHECK_THAT(message(folder.path()),
             Catch::EndsWith("validation.json:1: is not JSON; the file is damaged, or of another "
                             "version"));
  write_text(folder.path() / "validation.json", "{\"cases\": [{\"metric\": 3}]}");
  CHECK_THAT(message(folder.path()),
             Catch::Contains("validation.json: cases[0]: metric: 3 is not a text; the file is"));
  write_text(folder.path() / "validation.json", "\n" + std::string(500'000, '['));
  CHECK_THAT(message(folder.path()), Catch::Contains(":2: nested too deep; the file is damaged"));
  write_text(folder.path() / "validation.json",
             R"({"cases": [], "verdicts": [], "goals": [], "strategies": {}, "sentence": 7,)"
             R"("order": {"all": {"inverted": []}}})");
  CHECK_THAT(message(folder.path()),
             Catch::Contains("validation.json: sentence: 7 is not a text; ") &&
                 Catch::EndsWith("or of another version"));
}

TEST_CASE("report: answers to what if become a ranking, losses left of zero") {
  const TemporaryFolder folder;
  write_text(folder.path() / "whatif.json", whatif_json().dump());
  const Found found = found_in(folder.path());
  REQUIRE(found.sections.size() == 1);
  CHECK(found.sections[0].figures.at(0).title ==
        "sync: server NIC in limits it, 61 % of the critical path");
  const Panel& ranking = found.sections[0].figures.at(0).panels.at(0);
  CHECK(ranking.rows ==
        std::vector<std::string>{"server NIC in 2x, +30.0 %", "half the batch, -20.0 %"});
  REQUIRE(ranking.series[0].x.size() == 2);
  CHECK(ranking.series[0].x[0] == 0);
  CHECK(ranking.series[0].x_end[0] == Approx(30));
  CHECK(ranking.series[0].x[1] == Approx(-20));
  CHECK(ranking.series[0].x_end[1] == 0);
  CHECK(found.sections[0].figures.at(0).panels.at(1).title == "Critical path");
  CHECK(found.sections[0].tables.at(0).rows.size() == 4);
  CHECK_THAT(page_of(found).sentence,
             Catch::StartsWith("sync: server NIC in limits it, 61 % of the critical path"));
  CHECK(found_in(folder.path() / "whatif.json").sections.size() == 1);
}

TEST_CASE("report: answers to the cases of a sweep, in folders or in one file") {
  const TemporaryFolder folder;
  for (const char* strategy : {"sync", "async"}) {
    fs::create_directories(folder.path() / "all" / strategy);
    write_text(folder.path() / "all" / strategy / "whatif.json", whatif_json().dump());
  }
  nlohmann::ordered_json both;
  both["cases"] = {whatif_json(), whatif_json()};
  write_text(folder.path() / "printed.json", both.dump());
  for (const char* place : {"all", "printed.json"}) {
    CAPTURE(place);
    const Found found = found_in(folder.path() / place);
    CHECK(found.sections.size() == 2);
    CHECK(page_of(found).sections.at(1).title == "What if (2)");
  }
}

TEST_CASE("report: what is wrong with an answer to what if is said with its file, its key") {
  const TemporaryFolder folder;
  const fs::path file = folder.path() / "answer.json";
  const auto complaint_of = [&](const nlohmann::ordered_json& json) -> std::string {
    write_text(file, json.dump());
    try {
      found_in(file);
    } catch (const InputError& error) {
      return std::string(error.what()).substr(file.string().size());
    }
    return "";
  };
  const std::string end = "; the file is damaged, or of another version";
  nlohmann::ordered_json json = whatif_json();
  json["limit"] = "The server's NIC limits it.";
  CHECK(complaint_of(json) == ": limit: is not an object" + end);
  json = whatif_json();
  json["limit"].erase("sentence");
  CHECK(complaint_of(json) == ": limit: has no `sentence`" + end);
  json = whatif_json();
  json["changes"][1]["saved"] = "much";
  CHECK(complaint_of(json) == ": changes[1]: saved: \"much\" is not a number" + end);
  json = whatif_json();
  json["path"] = 3;
  CHECK(complaint_of(json) == ": path: is not an array" + end);
  CHECK(complaint_of({{"cases", {whatif_json(), 7}}}) == ": cases[1]: is not an object" + end);
  CHECK(complaint_of(nlohmann::ordered_json::array()) == ": is not an object" + end);
}

TEST_CASE("sweep table: settings that differ, figures, quoted errors") {
  const SweepTable sweep = read_sweep(sweep_csv(), "sweep.csv");
  CHECK(sweep.settings == std::vector<std::string>{"training.workers", "training.batch_size"});
  REQUIRE(sweep.rows.size() == 9);
  CHECK(sweep.rows[4].name == "workers=2, batch_size=64");
  CHECK(sweep.rows[4].figures.at("gradients_per_s") == 184);
  CHECK(sweep.rows[8].error == "no memory, \"again\"");
  CHECK(sweep.rows[0].source == "simulate on bench");
  CHECK_THROWS_WITH(read_sweep("a,b\n1,2\n", "x.csv"), Catch::Contains("x.csv: no column name"));
  CHECK_THROWS_WITH(read_sweep("", "x.csv"), Catch::Contains("it is empty"));
  CHECK_THROWS_WITH(read_sweep("case,name,mode,machine,status,error\n0,a,simulate\n", "x.csv"),
                    Catch::Contains("row 1 has 3 cells"));
}

TEST_CASE("sweep: lines over the setting with most values, a heat map of two") {
  const Section section = sweep_section(read_sweep(sweep_csv(), "sweep.csv"));
  REQUIRE(section.figures.size() == 2);
  const Panel& rate = section.figures[0].panels.at(0);
  CHECK(rate.x_label == "training.workers");
  REQUIRE(rate.series.size() == 3);
  CHECK(rate.series[0].title == "batch_size 32");
  CHECK(rate.series[0].x == std::vector<double>{1, 2, 4});
  CHECK(rate.series[2].x == std::vector<double>{1, 2});  // the third failed
  const Panel& map = section.figures[1].panels.at(0);
  CHECK(map.categories == std::vector<std::string>{"1", "2", "4"});
  CHECK(map.rows == std::vector<std::string>{"32", "64", "128"});
  CHECK(map.series[0].value.size() == 8);
  CHECK(section.tables.at(0).rows.size() == 9);
}

TEST_CASE("sweep: where no setting is a number, bars") {
  SweepTable sweep;
  sweep.settings = {"training.strategy"};
  for (const char* strategy : {"sync", "async", "ssp"}) {
    sweep.rows.push_back({strategy, {strategy}, {{"time_s", strategy[0] * 1.0}}, "", ""});
  }
  sweep.rows[1].figures["time_s"] = 7;
  const Section section = sweep_section(sweep);
  const Panel& panel = section.figures.at(0).panels.at(0);
  CHECK(panel.categories == std::vector<std::string>{"sync", "async", "ssp"});
  CHECK(panel.stacks(panel.series[0]));
  CHECK(panel.series[0].y[1] == 7);
}

TEST_CASE("sweep: gains, cost in its currency are columns, the best case is named and marked") {
  const Section section = sweep_section(read_sweep(priced_sweep_csv(), "sweep.csv"));
  const Table& table = section.tables.at(0);
  const auto cell = [&](std::size_t row, const std::string& column) {
    const auto found = std::ranges::find(table.columns, column, &Table::Column::name);
    REQUIRE(found != table.columns.end());
    return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin())).text;
  };
  CHECK(cell(2, "speed-up") == "3");
  CHECK(cell(2, "effic.") == "0.75");
  CHECK(cell(1, "cost [EUR]") == "0.02");
  CHECK(cell(2, "best") == "best");
  CHECK(table.rows[2][1].tone == Cell::Tone::good);
  CHECK(cell(0, "case") == "workers=1");
  const Figure& figure = section.figures.at(0);
  CHECK(figure.title ==
        "Of 3 cases workers=4 is the fastest, 300 examples/s, 3.00 times as fast as workers=1, at "
        "an efficiency of 0.75.");
  const Series& best = figure.panels.at(0).series.back();
  CHECK(best.title == "best");
  CHECK(best.mark == Mark::points);
  CHECK(best.x == std::vector<double>{4});
  CHECK(best.names == std::vector<std::string>{"workers=4"});
}

TEST_CASE("sweep: values that double have an axis of logarithms with marks at them") {
  const SweepTable sweep = read_sweep(priced_sweep_csv(), "sweep.csv");
  const Figure figure = sweep_section(sweep).figures.at(0);
  const Panel& rate = figure.panels.at(0);
  CHECK(rate.log_x());
  CHECK(rate.log_y());
  CHECK(rate.x_ticks == std::vector<double>{1, 2, 4});
  const auto efficiency = std::ranges::find(figure.panels, "efficiency", &Panel::title);
  REQUIRE(efficiency != figure.panels.end());
  CHECK(efficiency->log_x());
  CHECK_FALSE(efficiency->log_y());
  SweepTable even = sweep;
  for (SweepTable::Row& row : even.rows) {
    if (row.settings[0] == "4") row.settings[0] = "3";
  }
  CHECK_FALSE(sweep_section(even).figures.at(0).panels.at(0).log_x());
}

TEST_CASE("report: the page of a sweep has its name, its question, its finding") {
  const TemporaryFolder folder;
  write_text(folder.path() / "sweep.csv", priced_sweep_csv());
  write_text(
      folder.path() / "sweep.json",
      R"({"name": "asked", "question": "How many?", "sentence": "", "stands_on": ["On it."]})");
  const Found found = found_in(folder.path());
  const Page page = page_of(found);
  CHECK(page.title == "asked: foretrain report");
  CHECK(page.question == "How many?");
  CHECK_THAT(page.sentence, Catch::StartsWith("Of 3 cases workers=4 is the fastest, 300 "));
  CHECK_THAT(page.sections.at(0).text, Catch::EndsWith(" On it."));
  write_text(folder.path() / "sweep.json", "{\"name\": 7}");
  CHECK_THROWS_WITH(found_in(folder.path()),
                    Catch::Contains("sweep.json") && Catch::Contains("the file is damaged"));
}

TEST_CASE("report: what whatif prints is a section with what it stands on") {
  const TemporaryFolder folder;
  WhatIf whatif;
  whatif.scenario_case = case_of("sync");
  whatif.measure = "100 examples";
  whatif.time_s = 10;
  whatif.cost = 2;
  whatif.currency = "EUR";
  whatif.source = "simulated with compute: 20 ms";
  whatif.stands_on = "Assumptions: a key.";
  whatif.path = {{"worker CPU", 10, 1}};
  whatif.limit = {"worker CPU", 1};
  Change change;
  change.name = "worker CPU 2x";
  change.what = "gradients in half the time";
  change.time_s = 5;
  change.cost = 1;
  Change async = change;
  async.name = "strategy async";
  async.time_s = 9;
  async.staleness_mean = 2.75;
  whatif.changes = {change, async};
  write_text(folder.path() / "whatif.json", to_json(whatif).dump());
  const Found found = found_in(folder.path());
  REQUIRE(found.sections.size() == 1);
  CHECK_THAT(found.question, Catch::StartsWith("What limits this training"));
  whatif.scenario_case.scenario.question = "Why so slow?";
  write_text(folder.path() / "whatif.json", to_json(whatif).dump());
  CHECK(found_in(folder.path()).question == "Why so slow?");
  const Section& section = found.sections[0];
  CHECK_THAT(section.text, Catch::StartsWith("sync: worker CPU limits it, 100 %") &&
                               Catch::EndsWith(" Simulated. Assumptions: a key."));
  CHECK(section.figures.at(0).source == "simulated with compute: 20 ms");
  const Table& changes = section.tables.at(0);
  CHECK(std::ranges::count(changes.columns, "cost [EUR]", &Table::Column::name) == 1);
  const auto late = std::ranges::find(changes.columns, "staleness", &Table::Column::name);
  REQUIRE(late != changes.columns.end());
  const auto place = static_cast<std::size_t>(late - changes.columns.begin());
  CHECK(changes.rows.at(1).at(place).text == "-");
  CHECK(changes.rows.at(2).at(place).text == "2.75");
  CHECK_THAT(page_of(found).sentence, Catch::StartsWith("sync: worker CPU limits it"));
}

TEST_CASE("report: the page is written into its folder, which is made") {
  const TemporaryFolder folder;
  Found found;
  found.records = {small_record(Mode::run, "sync")};
  const std::string lines = write_page(page_of(found), folder.path() / "out");
  CHECK_THAT(lines, Catch::EndsWith("report.html\n"));
  CHECK(lines.find("figure:  ") == std::string::npos);  // even if its pictures are files
  CHECK_THAT(read_text(folder.path() / "out" / "report.html"), Catch::EndsWith("</html>\n"));
}

}  // namespace foretrain
