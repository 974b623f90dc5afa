#include "tests/reports/show/page/support.h"

#include "reports/show/figures/of_studies.h"
#include "reports/show/page/page_report.h"
#include "reports/show/page/result_page.h"
#include "reports/show/page/sections.h"
#include "reports/studies/validation/output.h"
#include "reports/studies/whatif/whatif_data.h"
#include "tests/reports/studies/validation/support.h"
#include "tests/reports/support.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <optional>
#include <string>

namespace foretrain::testing {

std::vector<Record> records_with_usage() {
  std::vector<Record> records;
  for (const char* strategy : {"sync", "async"}) {
    for (const Mode mode : {Mode::run, Mode::simulate}) {
      Record& record = records.emplace_back(small_record(mode, strategy));
      record.usage.clear();
      for (std::int64_t ms = 25; ms <= 100; ms += 25) {
        for (int node = 0; node < 3; ++node) {
          record.usage.push_back({Instant{ms * 1'000'000},
                                  node,
                                  0.01 + 0.002 * node,
                                  0.001,
                                  {1'000'000 * (node + 1)},
                                  {250'000},
                                  {125'000}});
        }
      }
      const bool late = record.scenario_case.scenario.training.strategy == "async";
      for (std::size_t i = 0; i < record.steps.size(); ++i) {
        record.steps[i].report.staleness = late ? static_cast<std::int64_t>(i % 3) : 0;
      }
    }
  }
  return records;
}

Record long_record(int steps) {
  Record record = small_record(Mode::simulate, "sync");
  record.steps.clear();
  record.steps.reserve(2 * static_cast<std::size_t>(steps));
  for (int step = 0; step < steps; ++step) {
    for (int worker = 0; worker < 2; ++worker) {
      StepRow row{worker, {}};
      row.report.step = {step + 1};
      row.report.start = Instant{step * 10'000'000LL};
      row.report.phases = {{8'000'000 + step % 7 * 1000}, {1'000'000}, {}, {}, {1'000'000}, {}};
      row.report.loss = 1.0 + 0.001 * (step % 11);
      record.steps.push_back(row);
    }
  }
  const auto middle = static_cast<std::size_t>(steps);  // two rows per step
  record.steps[middle / 3].report.phases.wait = {777'000'000};
  record.steps[middle / 2].report.loss = 9.5;
  record.steps[middle + 1].report.loss = 0.25;
  record.time = {steps * 10'000'000LL};
  return record;
}

nlohmann::ordered_json whatif_json() {
  const auto change = [](const char* name, const char* what, std::optional<double> time_s) {
    Change made;
    made.name = name;
    made.what = what;
    made.time_s = time_s;
    return made;
  };
  WhatIf whatif;
  whatif.scenario_case = case_of("sync");
  whatif.machine = "bench";
  whatif.measure = "57,600 examples";
  whatif.time_s = 10;
  whatif.path_s = 10;
  whatif.path = {{"server NIC in", 6.1, 0.61, "server0"}, {"worker CPU", 3.9, 0.39, "worker1"}};
  whatif.limit = {"server NIC in", 0.61, "", "server NIC in 2x"};
  whatif.changes = {change("server NIC in 2x", "bytes come in twice as fast", 7),
                    change("half the batch", "half as many examples a gradient", 12),
                    change("one more server", "two shards", std::nullopt)};
  whatif.changes[0].free_time_s = 4;
  whatif.changes[0].elasticity = 0.6;
  whatif.changes[2].why_not = "no host is left";
  whatif.crossovers = {{"From how many workers on?", "From 4.", 4}};
  return to_json(whatif);
}

std::string sweep_csv() {
  std::string csv =
      "case,name,training.workers,training.batch_size,seed,mode,machine,status,error,time_s,"
      "gradients_per_s\n";
  int number = 0;
  for (const int workers : {1, 2, 4}) {
    for (const int batch : {32, 64, 128}) {
      const bool failed = workers == 4 && batch == 128;
      csv += fmt::format(
          "{0},\"workers={1}, batch_size={2}\",{1},{2},1,simulate,bench,{3},{4},{5},{6}\n",
          number++, workers, batch, failed ? "failed" : "done",
          failed ? "\"no memory, \"\"again\"\"\"" : "",
          failed ? "" : fmt::format("{}", 0.1 * batch / workers),
          failed ? "" : fmt::format("{}", 100 * workers - batch / 4));
    }
  }
  return csv;
}

std::string priced_sweep_csv() {
  return "case,name,training.workers,mode,machine,status,error,time_s,cost,examples_per_s,"
         "currency\n"
         "0,workers=1,1,simulate,,done,,4,0.01,100,EUR\n"
         "1,workers=2,2,simulate,,done,,4,0.02,180,EUR\n"
         "2,workers=4,4,simulate,,done,,4,0.04,300,EUR\n";
}

Page page_of_everything() {
  const auto validation = to_json(validate_times({{100, 102, 104}, 90}, {{50, 50, 51}, 60}));
  const auto whatif = whatif_json();
  const Result answer = whatif_result(JsonObject(whatif, "whatif:"));
  Found found;
  found.records = records_with_usage();
  found.sections = {
      validation_section(JsonObject(validation, "validation:")),
      sweep_section(read_sweep(sweep_csv(), "sweep.csv")),
      result_section("whatif", "What if", answer, {result_figure("whatif", answer, "simulated")})};
  found.sentences = {"sync is forecast 10 % too fast."};
  return page_of(found);
}

}  // namespace foretrain::testing
