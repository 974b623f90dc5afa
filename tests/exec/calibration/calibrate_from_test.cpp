// Machine files made from records, from tables.
#include "exec/calibration/calibrate_from.h"

#include "reports/record/collector.h"
#include "reports/record/files.h"
#include "reports/record/summary.h"
#include "scenarios/language/units.h"
#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"
#include "tests/support/cases.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <algorithm>
#include <fstream>
#include <string>

namespace foretrain::testing {
namespace {
using exec::calibrate_from;
using exec::machine_from;
using exec::MachineFrom;
using exec::Measurements;
using namespace literals;
using Catch::Contains;

const std::string kKey = "softmax 784x10";

Record simulate_on(const Machine& machine, const Case& scenario_case) {
  sim::SimulateOptions options;
  options.machines = [&](const std::string&) { return machine; };
  return simulate(scenario_case, options);
}

/// A machine with unusual figures and gradients that vary.
Machine measured_machine(double jitter) {
  Machine machine = made_up_machine();
  machine.kernel_set = "made up";
  ModelCost& model = machine.models[kKey];
  model.gradient = {140e-6, 3e-6};
  model.evaluate = {0, 2e-6};
  model.gradient_jitter = jitter;
  return machine;
}

Case alone(int batch_size, std::int64_t steps = 60) {
  Case result = small_case("single", 1, steps);
  result.scenario.training.batch_size = batch_size;
  result.scenario.training.evaluate_every = 20;
  return result;
}

std::string recorded(const TempFolder& folder, const Case& scenario_case, const Machine& machine) {
  std::string place = folder / std::to_string(scenario_case.scenario.training.batch_size);
  write_record(simulate_on(machine, scenario_case), place);
  return place;
}

std::string table(const TempFolder& folder, const std::string& rows) {
  std::ofstream(folder / "card.csv") << "batch_size,seconds\n" << rows;
  return folder / "card.csv";
}

double step_s(const Record& record) { return summarize(record).step_time_s_median.value(); }

/// A machine file without the compute costs of the model.
std::string rest_of(const TempFolder& folder, Machine machine) {
  machine.models.clear();
  write_text_file(folder / "rest.yaml", to_yaml(machine));
  return folder / "rest.yaml";
}

bool notes_say(const MachineFrom& made, const std::string& what) {
  return std::ranges::any_of(
      made.notes, [&](const std::string& note) { return note.find(what) != std::string::npos; });
}

TEST_CASE("calibrate from: a record's machine forecasts the record's own step time") {
  const TempFolder folder;
  const double jitter = GENERATE(0.0, 0.2);
  CAPTURE(jitter);
  Case scenario_case = alone(24, 400);
  scenario_case.scenario.seed = 2;
  const Machine machine = measured_machine(jitter);
  const std::string place = recorded(folder, scenario_case, machine);
  const MachineFrom made = machine_from({.from = {place}, .machine = rest_of(folder, machine)});
  // Different draws from the record's. The median of 400 has a standard error of 1.25 %, here
  // twice.
  scenario_case.scenario.seed = 3;
  const Record again = simulate_on(made.machine, scenario_case);
  CHECK(step_s(again) == Approx(step_s(read_record(place))).epsilon(jitter > 0 ? 0.05 : 1e-6));
  const ModelCost& cost = made.machine.models.at(kKey);
  // The quartiles of 400 draws have a standard error of 6 %.
  CHECK(cost.gradient_jitter == Approx(jitter).epsilon(0.25));
  CHECK(cost.evaluate.per_item_s == Approx(2e-6).epsilon(0.01));
  CHECK(notes_say(made, "Only one batch size"));
  const MachineFrom by_itself = machine_from({.from = {place}});
  CHECK(by_itself.machine.models == made.machine.models);
  CHECK(by_itself.machine.kernel_set == read_record(place).kernel_set);
  CHECK(notes_say(by_itself, "Not measured: cores, messages"));
}

TEST_CASE("calibrate from: two records at two batch sizes forecast a third") {
  const TempFolder folder;
  const Machine machine = measured_machine(0);
  const MachineFrom made = machine_from(
      {.from = {recorded(folder, alone(64), machine), recorded(folder, alone(8), machine)},
       .machine = rest_of(folder, machine)});
  const ModelCost& cost = made.machine.models.at(kKey);
  CHECK(cost.gradient.overhead_s == Approx(140e-6).epsilon(0.001));
  CHECK(cost.gradient.per_item_s == Approx(3e-6).epsilon(0.001));
  CHECK(cost.gradient_times.empty());
  CHECK_FALSE(notes_say(made, "Only one batch size"));
  CHECK(step_s(simulate_on(made.machine, alone(32))) ==
        Approx(step_s(simulate_on(machine, alone(32)))).epsilon(0.001));
}

TEST_CASE("calibrate from: three batch sizes and more become a table") {
  const TempFolder folder;
  const Machine machine = measured_machine(0);
  const MachineFrom made = machine_from(
      {.from = {recorded(folder, alone(64), machine), recorded(folder, alone(8), machine),
                recorded(folder, alone(16), machine)}});
  const auto& times = made.machine.models.at(kKey).gradient_times;
  REQUIRE(times.size() == 3);
  CHECK(times[0].examples == 8);
  CHECK(times[2].examples == 64);
  CHECK(times[1].time.seconds() == Approx(140e-6 + 16 * 3e-6).epsilon(0.001));
}

TEST_CASE("calibrate from: by the rate that it names checkpoints are forecast as recorded") {
  const TempFolder folder;
  Case scenario_case = alone(16);
  CheckpointSpec& checkpoint = scenario_case.scenario.checkpoint;
  checkpoint.every.steps = 10;
  checkpoint.write_rate = {4e6};
  checkpoint.write_latency = 20_ms;
  const Machine machine = measured_machine(0);
  const std::string place = recorded(folder, scenario_case, machine);
  const CheckpointTotals kept = read_record(place).checkpoints;
  REQUIRE(kept.count == 5);
  const MachineFrom made = machine_from({.from = {place}, .machine = rest_of(folder, machine)});
  const std::string before = "checkpoint.write_rate: ";
  const auto note = std::ranges::find_if(
      made.notes, [&](const std::string& each) { return each.find(before) != std::string::npos; });
  REQUIRE(note != made.notes.end());
  CHECK_THAT(*note, Contains("mean of 5"));
  const std::size_t begin = note->find(before) + before.size();
  checkpoint.write_rate = parse_rate(note->substr(begin, note->find(',', begin) - begin));
  checkpoint.write_latency = 0_ms;
  const CheckpointTotals again = simulate_on(machine, scenario_case).checkpoints;
  CHECK(again.time.seconds() == Approx(kept.time.seconds()).epsilon(0.01));
  CHECK(again.size == kept.size);
  const MachineFrom none = machine_from({.from = {recorded(folder, alone(8), machine)}});
  CHECK_FALSE(notes_say(none, "Checkpoints"));
}

TEST_CASE("calibrate from: a table of another system times its model") {
  const TempFolder folder;
  const std::string rows = table(folder, "64,0.2\n16,0.07\n64,0.5\n64,0.1\n32,0.1\n");
  const MachineFrom made = machine_from({.from = {rows}, .model = kKey});
  CHECK(made.machine.name == "card");
  CHECK(made.machine.models.at(kKey).gradient_times ==
        std::vector<BatchTime>{{16, 70_ms}, {32, 100_ms}, {64, 200_ms}});
  CHECK(notes_say(made, "softmax 784x10, batch 64: 200 ms, median of 3"));
  CHECK(notes_say(made, "Not measured: evaluations; none is assumed."));
  CHECK(notes_say(made, "Not measured: the variation of gradient times"));
  // Linear interpolation between the existing rows.
  CHECK(step_s(simulate_on(made.machine, alone(48, 5))) == Approx(0.15).epsilon(0.001));
}

TEST_CASE("calibrate from: two rows through which no sensible line goes stay a table") {
  const TempFolder folder;
  for (const char* rows : {"10,0.01\n20,0.03\n", "10,0.03\n20,0.02\n"}) {
    CAPTURE(rows);
    const MachineFrom made = machine_from({.from = {table(folder, rows)}, .model = kKey});
    CHECK(made.machine.models.at(kKey).gradient_times.size() == 2);
  }
}

TEST_CASE("calibrate from: the model of a table is that of the scenario") {
  const TempFolder folder;
  Measurements given{.from = {table(folder, "8,0.1\n")}};
  given.scenario_case = alone(8);
  CHECK(machine_from(given).machine.models.contains(kKey));
  given.model = "other 1x1";
  CHECK_THAT(error_of([&] { machine_from(given); }),
             Contains("the model is softmax 784x10, but --model says other 1x1"));
}

TEST_CASE("calibrate from: what is not in the source is the machine file's") {
  const TempFolder folder;
  Machine rest = measured_machine(0.1);
  rest.models["other 1x1"] = {};
  write_text_file(folder / "rest.yaml", to_yaml(rest));
  const MachineFrom made = machine_from(
      {.from = {table(folder, "8,0.1\n")}, .model = kKey, .machine = folder / "rest.yaml"});
  rest.models[kKey].gradient = {};
  rest.models[kKey].gradient_times = {{8, 100_ms}};
  CHECK(made.machine == rest);
  CHECK(notes_say(made, "Not measured: evaluations; the value of the machine file is used."));
  CHECK_FALSE(notes_say(made, "defaults"));
  CHECK(parse_machine(to_yaml(made.machine), "again") == made.machine);
}

TEST_CASE("calibrate from: records that say nothing of a model alone are refused") {
  const TempFolder folder;
  const Machine machine = made_up_machine();
  const auto wrong = [&](const Case& scenario_case, auto change) {
    Record record = simulate_on(machine, scenario_case);
    change(record);
    write_record(record, folder / "wrong");
    return error_of([&] { machine_from({.from = {folder / "wrong"}}); });
  };
  const auto as_it_is = [](Record&) {};
  CHECK_THAT(wrong(small_case("sync", 2, 5), as_it_is),
             Contains("wrong: 2 workers; use a record of one: training.strategy=single"));
  CHECK(wrong(small_case("sync", 1, 5), as_it_is) == "(no error)");
  Case slow = alone(8, 5);
  slow.scenario.stragglers.emplace_back().slowdown = 2;
  CHECK_THAT(wrong(slow, as_it_is), Contains("stragglers or faults slow its steps"));
  Case fixed = star_case("sync", 1, 5, 3_ms);
  fixed.scenario.cluster.hosts.front().nic = {1e9};
  CHECK_THAT(wrong(fixed, as_it_is), Contains("its gradients have a fixed time"));
  Case other = alone(8, 5);
  other.scenario.framework.step = 1_ms;
  CHECK_THAT(wrong(other, as_it_is), Contains("its steps contain the overhead of framework:"));
  Case accumulating = alone(8, 5);
  accumulating.scenario.training.accumulate = 2;
  CHECK_THAT(wrong(accumulating, as_it_is), Contains("its gradients are of several batches"));
  Case fed = fixed;
  fed.scenario.cluster.hosts.front().compute.reset();
  fed.scenario.dataset.input.parse = 1_ms;
  CHECK_THAT(wrong(fed, as_it_is), Contains("its steps wait for input"));
  CHECK_THAT(wrong(alone(8, 5), [](Record& record) { record.steps.clear(); }),
             Contains("has no completed steps"));
  CHECK_THAT(wrong(alone(8, 5), [](Record& record) { keep_summary(record); }),
             Contains("is a summary without steps"));
}

TEST_CASE("calibrate from: sources that are missing or of two models are refused") {
  const TempFolder folder;
  const std::string record = recorded(folder, alone(8, 5), made_up_machine());
  Case small = alone(16, 5);
  small.scenario.model.name = "mlp";
  Machine machine = made_up_machine();
  machine.models["mlp 784x10"] = machine.models.at(kKey);
  const std::string other = recorded(folder, small, machine);
  CHECK_THAT(error_of([&] {
               machine_from({.from = {record, other}});
             }),
             Contains("16: the model is mlp") && Contains("8 says softmax 784x10"));
  CHECK_THAT(error_of([&] { machine_from({.from = {record}, .model = "lenet 784x10"}); }),
             Contains("but --model says lenet 784x10"));
  CHECK_THAT(error_of([&] { machine_from({.from = {table(folder, "8,0.1\n")}}); }),
             Contains("card.csv: a table does not name its model"));
  CHECK_THAT(error_of([&] { machine_from({.from = {folder.path()}}); }), Contains("no run.json"));
  CHECK_THAT(complaint([&] { machine_from({.from = {folder / "none.csv"}, .model = kKey}); }),
             Contains("none.csv"));
  CHECK_THAT(error_of([&] { calibrate_from({}, {.from = {record}}); }),
             Contains("no file to write; name one: --out FILE"));
}

}  // namespace
}  // namespace foretrain::testing
