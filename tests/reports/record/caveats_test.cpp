// Caveats of a record about its own figures.
#include "reports/record/caveats.h"

#include "reports/record/collector.h"
#include "reports/record/summary.h"
#include "reports/studies/trainings/trainings_result.h"
#include "tests/reports/support.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <limits>
#include <map>

namespace foretrain::testing {
namespace {
using namespace literals;

void add_node(Record& record, const std::string& role, const std::string& host) {
  NodeTotals& node = record.nodes.emplace_back();
  node.role = role;
  node.host = host;
}

/// A record with this many steps of each worker, server0 on the host of the first one.
Record record_of(const std::vector<int>& steps) {
  Record record;
  record.mode = Mode::simulate;
  record.scenario_case = case_of("async");
  record.scenario_case.scenario.training.workers = static_cast<int>(steps.size());
  record.time = 10_s;
  for (std::size_t worker = 0; worker < steps.size(); ++worker) {
    for (int i = 0; i < steps[worker]; ++i) {
      StepRow row;
      row.worker = static_cast<int>(worker);
      row.report.step = {i};
      row.report.loss = 2.3;
      record.steps.push_back(row);
    }
    const std::string number = std::to_string(worker);
    add_node(record, "worker" + number, "host" + number);
  }
  add_node(record, "server0", "host0");
  return record;
}

Record ended_with(double loss) {
  Record record = record_of({10, 10});
  EvalReport end;
  end.loss = loss;
  end.final = true;
  record.evals = {end};
  record.steps.back().report.loss = loss;
  return record;
}

bool contains(const std::vector<std::string>& all, const std::string& part) {
  return std::ranges::any_of(all, [&](const auto& each) { return each.find(part) == 0; });
}

TEST_CASE("caveats: a worker that made more than 1.5 times its even share is named, with why") {
  CHECK(uneven_share(record_of({82, 9, 9})) ==
        "worker0 "
        "made 82 % of the gradients (an even share is 33 %): it shares a host with server0");
  CHECK(uneven_share(record_of({9, 82, 9})) ==
        "worker1 made 82 % of the gradients (an even share is 33 %): its steps took less time");
  CHECK(uneven_share(record_of({40, 40, 4, 8, 8})) ==
        "worker0 and worker1 made 80 % of the gradients (an even share is 40 %): their steps took "
        "less time");
  CHECK(uneven_share(record_of({49, 26, 25})).empty());
  CHECK(uneven_share(record_of({10})).empty());
  CHECK(uneven_share(record_of({0, 0})).empty());
  // A worker without gradients counts, too.
  CHECK(uneven_share(record_of({10, 0})).starts_with("worker0 made 100 %"));
}

TEST_CASE("caveats: a record without rows tells whose gradients it is made of") {
  Record record = record_of({82, 9, 9});
  keep_summary(record);
  CHECK(record.steps.empty());
  CHECK(uneven_share(record).starts_with("worker0 made 82 %"));
}

TEST_CASE("caveats: strategies that are compared at unequal shares say so") {
  CHECK_THAT(result_of({record_of({30, 30, 30}), record_of({82, 9, 9})}).sentence,
             Catch::Contains(" async (2): worker0 made 82 % of the gradients"));
  CHECK_THAT(result_of({record_of({82, 9, 9})}).sentence,
             Catch::Contains(" Note: worker0 made 82 %"));
  CHECK(to_json(record_of({82, 9, 9}))["caveats"].size() == 1);
  CHECK_FALSE(to_json(record_of({30, 30, 30})).contains("caveats"));
}

TEST_CASE("caveats: a training that diverged does not end as if well") {
  CHECK(contains(caveats(ended_with(505)),
                 "it diverged: its final loss is 505 nats, that of its first step 2.3"));
  for (const double loss :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CHECK(contains(caveats(ended_with(loss)), "it diverged: its final loss is not a number"));
  }
  CHECK(caveats(ended_with(0.2)).empty());
  CHECK(caveats(ended_with(2.9)).empty());  // it has not learned anything
  Record overfit = ended_with(6);
  overfit.steps.back().report.loss = 0.01;
  CHECK(caveats(overfit).empty());
  Record times_alone = ended_with(std::numeric_limits<double>::quiet_NaN());
  times_alone.scenario_case.scenario.numerics = false;
  CHECK(caveats(times_alone).empty());
}

TEST_CASE("caveats: what is due after the end never happened") {
  Record record = record_of({10, 10});
  auto& faults = record.scenario_case.scenario.faults;
  faults.resize(2);
  faults[0] = {.at = 9_s, .kill = "worker1"};
  faults[1] = {.at = 3610_s, .stop = "worker0"};
  const auto told = caveats(record);
  REQUIRE(told.size() == 1);
  CHECK(told.front() ==
        "faults[1] (worker0) is planned for 3,610 s, but the training ended after 10 s, so it did "
        "not happen");
  record.outcome = Outcome::failed;
  CHECK(caveats(record).empty());
}

TEST_CASE("caveats: workers that take turns on cores are counted, those on devices are not") {
  Record record = record_of({10, 10, 10});
  for (int i = 0; i < 3; ++i) {
    record.nodes[i].host = "localhost";
    record.nodes[i].core = i % 2;
  }
  CHECK(contains(caveats(record), "3 workers share 2 cores of localhost"));
  HostSpec& host = record.scenario_case.scenario.cluster.hosts.emplace_back();
  host.name = "localhost";
  host.devices = 4;
  CHECK(caveats(record).empty());
  record.scenario_case.scenario.cluster.hosts.clear();
  record.nodes[2].core = 2;
  CHECK(caveats(record).empty());
}

}  // namespace
}  // namespace foretrain::testing
