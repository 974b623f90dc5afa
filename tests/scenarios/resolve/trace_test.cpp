// Traces: files of step times as factors.
#include "scenarios/resolve/stragglers.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <vector>

using namespace foretrain;

namespace {

/// Writes each text to a temporary file.
class TraceFiles {
 public:
  std::string write(const std::string& text) {
    std::ofstream(folder_ / "times.csv") << text;
    return folder_ / "times.csv";
  }
  std::vector<std::vector<double>> read(const std::string& text, const std::string& column = {}) {
    return read_trace(write(text), column).factors;
  }
  /// The error without the folder's name.
  std::string wrong(const std::string& text, const std::string& column = {}) {
    const std::string what = complaint([&] { read(text, column); });
    return what.substr(what.find("times.csv"));
  }

 private:
  TempFolder folder_;
};

using Factors = std::vector<std::vector<double>>;

StragglerSpec traced(const std::string& path, std::vector<int> workers = {}) {
  StragglerSpec spec;
  spec.workers = std::move(workers);
  spec.trace = path;
  return spec;
}

std::vector<double> draws(const Scenario& scenario, int worker, int count) {
  StragglerDraws source(scenario, worker);
  std::vector<double> values(static_cast<std::size_t>(count));
  for (double& value : values) value = source.next();
  return values;
}

}  // namespace

TEST_CASE("trace: each time over their mean is a factor") {
  TraceFiles files;
  CHECK(files.read("1\n2\n3\n") == Factors{{0.5, 1, 1.5}});
  CHECK(files.read("time_s\n1e-3\r\n3e-3\r\n\n") == Factors{{0.5, 1.5}});
}

TEST_CASE("trace: of several columns the last holds the times, or the one that is named") {
  TraceFiles files;
  const std::string text = "step,gpu,\"time_ms\",other\n0, 1, 20, 1\n1, 3, 60, 1\n";
  CHECK(files.read(text) == Factors{{1, 1}});
  CHECK(files.read(text, "time_ms") == Factors{{0.5, 1.5}});
  CHECK(files.read("7,1\n7,3\n") == Factors{{0.5, 1.5}});
}

TEST_CASE("trace: rows of several workers are told apart, their mean is the file's") {
  TraceFiles files;
  CHECK(files.read("worker,time\n10,1\n2,1\n10,2\n2,8\n") ==
        Factors{{1.0 / 3, 8.0 / 3}, {1.0 / 3, 2.0 / 3}});
}

TEST_CASE("trace: what is wrong with a file is told with its line") {
  TraceFiles files;
  CHECK(files.wrong("a,b\n1,2\n1,\n") ==
        "times.csv:3: b: no value; write a time above 0 in every row");
  CHECK(files.wrong("1\n\n2\n").find("times.csv:2: no value") == 0);
  CHECK(files.wrong("1\n-2\n") ==
        "times.csv:2: -2 is not above 0; write a time above 0 in every row");
  CHECK(files.wrong("1\n0\n").find("times.csv:2: 0 is not above 0") == 0);
  CHECK(files.wrong("t\n1\nnan\n").find("times.csv:3: t: 'nan' is not a number") == 0);
  CHECK(files.wrong("1\n1e999\n").find("times.csv:2: 1e999 is out of range") == 0);
  CHECK(files.wrong("1,2\n1,2,3\n").find("times.csv:2: 3 values, but the first line has 2") == 0);
  CHECK(files.wrong("worker,t\nx,1\n").find("times.csv:2: worker: 'x' is not a whole number") == 0);
  CHECK(files.wrong("t\n").find("times.csv: there are no step times") == 0);
  CHECK(files.wrong("\n\n").find("times.csv") == 0);
  CHECK(files.wrong("").find("times.csv: the file is empty") == 0);
  CHECK(files.wrong("a,b\n1,2\n", "c") == "times.csv:1: no column is called c; there are a, b");
  CHECK(files.wrong("1\n2\n", "c").find("times.csv:1: the first line has times") == 0);
}

TEST_CASE("trace: a straggler repeats it, workers that share it begin apart") {
  TraceFiles files;
  const std::string path = files.write("1\n2\n3\n2\n");
  Scenario scenario;
  scenario.training.workers = 3;
  scenario.stragglers = {traced(path, {2, 0})};
  CHECK(draws(scenario, 2, 6) == std::vector<double>{0.5, 1, 1.5, 1, 0.5, 1});
  CHECK(draws(scenario, 0, 6) == std::vector<double>{1.5, 1, 0.5, 1, 1.5, 1});
  CHECK(draws(scenario, 1, 2) == std::vector<double>{1, 1});
  scenario.stragglers = {traced(path)};
  scenario.stragglers[0].slowdown = 2;
  CHECK(draws(scenario, 0, 2) == std::vector<double>{1, 2});
  CHECK(draws(scenario, 1, 2) == std::vector<double>{2, 3});
  CHECK(draws(scenario, 2, 2) == std::vector<double>{3, 2});
}

TEST_CASE("trace: each worker takes the times of a worker of the file") {
  TraceFiles files;
  const std::string path = files.write("worker,t\n0,1\n1,3\n0,2\n1,2\n");
  Scenario scenario;
  scenario.training.workers = 3;
  scenario.stragglers = {traced(path)};
  CHECK(draws(scenario, 0, 2) == std::vector<double>{0.5, 1});
  CHECK(draws(scenario, 1, 2) == std::vector<double>{1.5, 1});
  // The third worker uses the times of the first, beginning in the middle.
  CHECK(draws(scenario, 2, 2) == std::vector<double>{1, 0.5});
  CHECK(draws(scenario, 7, 1).at(0) > 0);  // any worker number is valid
}

TEST_CASE("trace: a scenario says where it names a file that cannot be read") {
  const std::string text = "foretrain: 1\nstragglers: [{trace: nowhere.csv, column: t}]\n";
  const std::vector<Case> cases = parse_scenario(text, "x.yaml");
  CHECK(cases.at(0).scenario.stragglers.at(0).trace == "nowhere.csv");
  CHECK(only(to_yaml(cases[0].scenario)) == cases[0].scenario);
  CHECK(error_of([&] {
          Traces traces(cases[0]);
        }).find("x.yaml:2:22: stragglers[0].trace: nowhere.csv: no such file") == 0);
  CHECK(scenario_error("foretrain: 1\nstragglers: [{column: t}]\n").find("only a trace") !=
        std::string::npos);
}

TEST_CASE("trace: the published step times of four jobs read in as they are") {
  const std::filesystem::path folder =
      std::filesystem::path(source_dir()) / "../shared/data/traces/alibaba-pai-minibatch";
  if (!std::filesystem::exists(folder)) {
    WARN("there is no " << folder << ", skipped");
    return;
  }
  const std::map<std::string, std::size_t> rows{
      {"1", 3'000}, {"2", 2'402}, {"3", 2'489}, {"4", 21'829}};
  for (const auto& [job, count] : rows) {
    CAPTURE(job);
    const Trace trace = read_trace(folder / ("job_" + job + "_norm.csv"), "");
    CHECK(trace.factors.size() == 10);
    double sum = 0;
    std::size_t read = 0;
    for (const auto& worker : trace.factors) {
      read += worker.size();
      for (const double factor : worker) sum += factor;
    }
    CHECK(read == count);
    CHECK(sum / static_cast<double>(count) == Approx(1));
  }
  // Coefficients of variation, with missing values.
  CHECK(complaint([&] {
          read_trace(folder / "coefficient_variation.csv", "");
        }).find("coefficient_variation.csv:2: 1999: no value") != std::string::npos);
}
