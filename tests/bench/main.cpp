// Benchmarks, which print times without asserting them.
#include "exec/calibration/ping_pong.h"
#include "exec/launch/this_program.h"
#include "exec/system/process.h"
#include "models/networks/registry.h"
#include "tests/bench/bench_tls.h"
#include "tests/bench/common/bench_options.h"
#include "tests/bench/common/bench_report.h"
#include "tests/bench/common/compare.h"
#include "tests/bench/exec.h"
#include "tests/bench/link_use.h"
#include "tests/bench/load.h"
#include "tests/bench/models.h"
#include "tests/bench/products.h"
#include "tests/bench/sim.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace foretrain::bench {
namespace {

using Words = std::vector<std::string>;

void bench_transport(bool smoke, Report& report) {
  const std::vector<int> cores = exec::usable_cores();
  const int rounds = smoke ? 20 : 3'000;
  for (const Bytes payload : {Bytes{0}, Bytes{31'400}}) {
    for (const bool polling : {false, true}) {
      const auto trip = exec::measure_round_trip(
          cores.front(), cores.back(),
          {.payload = payload, .rounds = rounds, .rest = {}, .polling = polling},
          exec::Hosts({}, false));
      const std::string name =
          fmt::format("round_trip/{}/{}", payload.value, polling ? "polling" : "sleeping");
      report.add(result_of(name, "us", Better::less, {trip.time_s * 1e6}));
    }
  }
}

/// All rows with goals, as one table.
void table(const Words& arguments, Report& report) {
  read_options(arguments, {"--smoke", "--peer", "--rounds"});
  models(arguments, report);
  exec_runs(arguments, report);
  simulations(arguments, report);
  fmt::print("\n{}", table_of(report.rows()));
}

/// a1.json b1.json a2.json b2.json ...
void compare_files(const Words& files, Report& /*report*/) {
  std::vector<Results> read;
  read.reserve(files.size());
  for (const std::string& file : files) read.push_back(read_results(file));
  fmt::print("{}", text_of(compare(read)));
}

struct Part {
  const char* name;
  void (*run)(const Words& arguments, Report& report);
};
constexpr Part kParts[] = {
    {"models", models}, {"products", products}, {"exec", exec_runs}, {"sim", simulations},
    {"load", load},     {"tls", tls},           {"table", table},    {"compare", compare_files}};

/// Runs a small version of slow benchmarks, and the others completely.
void all(bool smoke, Report& report) {
  const Words small{"--smoke"};
  const Words asked = smoke ? small : Words{};
  models(small, report);
  exec_runs(small, report);
  products(asked, report);
  simulations(asked, report);
  bench_transport(smoke, report);
  link_use(smoke, report);
  load(small, report);
  tls(small, report);
}

void run(const Words& arguments, Report& report) {
  const std::string first = arguments.empty() ? "--smoke" : arguments.front();
  const auto* const part = std::ranges::find(kParts, first, &Part::name);
  if (part != std::end(kParts)) {
    part->run({arguments.begin() + 1, arguments.end()}, report);
  } else if (first == "--smoke") {
    read_options(arguments, {"--smoke"});
    all(!arguments.empty(), report);
  } else {
    Words names;
    for (const Part& each : kParts) names.emplace_back(each.name);
    throw std::runtime_error(
        fmt::format("{}: there are {}, each with options of its own; --smoke, --json", first,
                    fmt::join(names, ", ")));
  }
}

/// Removes `--json FILE` from the words; empty if it is missing.
std::string take_json(Words& arguments) {
  const auto at = std::ranges::find(arguments, "--json");
  if (at == arguments.end()) return {};
  if (at + 1 == arguments.end()) throw std::runtime_error("--json needs a value");
  std::string file = *(at + 1);
  arguments.erase(at, at + 2);
  return file;
}

int run_or_error(Words arguments) {
  try {
    const std::string file = take_json(arguments);
    std::ofstream json;
    // Opened first, so that minutes of measurements are not lost.
    if (!file.empty()) json.open(file);
    if (!file.empty() && !json) throw std::runtime_error(file + ": cannot be written");
    Report report;
    run(arguments, report);
    if (file.empty()) return 0;
    json << to_json(
        {exec::this_program(), std::string(kernel_set()), report.remarks(), report.rows()});
    json.close();
    if (!json) throw std::runtime_error(file + ": cannot be written");
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "error: {}\n", error.what());
    return 2;
  }
}

}  // namespace
}  // namespace foretrain::bench

int main(int argc, char** argv) { return foretrain::bench::run_or_error({argv + 1, argv + argc}); }
