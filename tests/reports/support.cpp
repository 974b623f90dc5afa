// Records made by hand or from a seed.
#include "tests/reports/support.h"

#include "models/base/random.h"
#include "reports/record/collector.h"
#include "reports/show/terminal/result_text.h"
#include "reports/studies/trainings/trainings_result.h"

#include <fmt/format.h>

#include <unistd.h>

#include <bit>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace foretrain::testing {
namespace {

using namespace literals;

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Any finite double, or the value for an unknown figure.
double any_double(Stream& draw) {
  const auto value = std::bit_cast<double>(draw.bits());
  return draw.below(5) == 0 || !std::isfinite(value) ? kUnknown : value;
}

/// A time of either sign from nanoseconds to a year; sums over a record fit into 64 bits.
Duration any_time(Stream& draw) {
  const auto ns = static_cast<std::int64_t>(draw.bits());
  return {ns >> (8 + draw.below(56))};
}

std::int64_t any_count(Stream& draw) {
  return static_cast<std::int64_t>(draw.bits() >> (9 + draw.below(55)));
}

StepRow any_step(Stream& draw) {
  StepRow row{static_cast<int>(draw.below(9)), {}};
  row.report.step = {any_count(draw)};
  row.report.start = Instant{} + any_time(draw);
  row.report.phases = {any_time(draw), any_time(draw), any_time(draw),
                       any_time(draw), any_time(draw), any_time(draw)};
  row.report.staleness = any_count(draw);
  row.report.loss = any_double(draw);
  return row;
}

UsageRow any_usage(Stream& draw) {
  const bool modelled = draw.below(2) == 0;
  return {Instant{} + any_time(draw),
          static_cast<int>(draw.below(4)),
          any_double(draw),
          any_double(draw),
          {modelled ? any_count(draw) : -1},
          {any_count(draw)},
          {any_count(draw)},
          {modelled ? -1 : any_count(draw)},
          {modelled ? -1 : any_count(draw)}};
}

std::vector<ComputeBasis> any_basis(Stream& draw) {
  using From = ComputeBasis::From;
  std::vector<ComputeBasis> basis;
  for (const From from :
       {From::calibrated, From::written, From::described, From::given, From::profile}) {
    if (draw.below(2) == 0) continue;
    const bool dated = draw.below(2) == 0;
    const double jitter = draw.below(2) == 0 ? 0 : 0.125;
    basis.push_back({from,
                     "a \"b\"",
                     dated ? "2026-11-25" : "",
                     0.25,
                     jitter,
                     draw.below(2) == 0,
                     {"n", "m, o"}});
  }
  return basis;
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "foretrain-test-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

Case case_of(const std::string& strategy) {
  Case scenario_case;
  scenario_case.settings = {{"training.strategy", strategy}};
  scenario_case.scenario.name = "study";
  scenario_case.scenario.training.strategy = strategy;
  scenario_case.scenario.training.workers = strategy == "single" ? 1 : 2;
  scenario_case.scenario.training.steps = 2;
  scenario_case.scenario.training.batch_size = 32;
  return scenario_case;
}

Record small_record(Mode mode, const std::string& strategy) {
  Record record;
  record.mode = mode;
  record.scenario_case = case_of(strategy);
  record.machine = "bench";
  record.kernel_set = "avx2";
  record.time = 100_ms;
  record.startup = 250_ms;
  record.updates = 2;
  record.gradients = 4;
  record.weights_sha256 = std::string(64, 'a');
  record.nodes = {{"worker0", "localhost", 0, 0.075, Bytes{1'000'000}, {600}, {700}, 6},
                  {"worker1", "localhost", 1, 0.030, Bytes{2'000'000}, {400}, {300}, 4},
                  {"server0", "localhost", {}, 0.015, {}, {1'000}, {1'000}, 10}};
  // {compute, push, wait, apply, pull, evaluate}: 10, 20, 30 and 50 ms without the last.
  record.steps = {{0, {{0}, {0}, {4_ms, 1_ms, 2_ms, 1_ms, 2_ms, 5_ms}, 0, 2.0}},
                  {1, {{0}, {0}, {8_ms, 2_ms, 4_ms, 2_ms, 4_ms, 0_ms}, 1, 2.0}},
                  {0, {{1}, {15'000'000}, {12_ms, 3_ms, 6_ms, 3_ms, 6_ms, 0_ms}, 1, 1.0}},
                  {1, {{1}, {20'000'000}, {20_ms, 5_ms, 10_ms, 5_ms, 10_ms, 0_ms}, 3, 1.0}}};
  record.evals = {{{1}, {1}, {10'000'000}, 5_ms, 1.5, 0.5, kUnknown, false},
                  {{2}, {2}, {100'000'000}, 20_ms, 0.75, 0.875, kUnknown, true}};
  record.usage = {{{50'000'000}, 0, 0.04, 0.01, {900'000}, {300}, {350}, {320}, {370}},
                  {{50'000'000}, 2, 0.01, 0.0, {-1}, {500}, {500}}};
  return record;
}

Record random_record(std::uint64_t seed) {
  Stream draw(seed, "test.record");
  Record record;
  record.mode = draw.below(2) == 0 ? Mode::run : Mode::simulate;
  record.outcome = draw.below(2) == 0 ? Outcome::failed : Outcome::interrupted;
  record.failure = "worker1 said:\n\t\"I, the worker, can't\", \\ 100 % \x01 \xc3\xbc";
  record.scenario_case = case_of("sync");
  record.scenario_case.settings.push_back({"dataset.path", "a, \"b\"/\xe2\x82\xac = c"});
  record.scenario_case.scenario.seed = draw.below(1'000'000);
  record.machine = "two words";
  record.uncalibrated = "one, two";
  if (draw.below(2) == 0) {
    const auto times = [&] {
      return ReferenceTimes{{1 + any_count(draw)}, {1}, {any_count(draw)}};
    };
    record.calibrated = {times(), times()};
    record.alone_s = {0.01, 0.0125};
  }
  record.congestion_control = draw.below(2) == 0 ? "" : "cubic";
  record.time = any_time(draw);
  record.startup = any_time(draw);
  record.updates = any_count(draw);
  record.gradients = any_count(draw);
  record.dropped = any_count(draw);
  record.most_lead = any_count(draw);
  record.refused = any_count(draw);
  record.checkpoints = {1 + any_count(draw) / 2, {any_count(draw)}, {any_count(draw)}};
  record.resumed = {any_count(draw), any_count(draw)};
  record.restarts = {
      1 + any_count(draw) / 2, any_count(draw), {any_count(draw)}, {any_count(draw)}};
  record.ended = Instant{} + any_time(draw);
  for (int i = 0; i < 3; ++i) {
    record.nodes.push_back({fmt::format("worker{}", i),
                            "host, \"quoted\"",
                            i - 1,
                            any_double(draw),
                            Bytes{any_count(draw)},
                            {any_count(draw)},
                            {any_count(draw)},
                            any_count(draw)});
    if (i == 1) record.nodes.back().lost = "was killed by \"signal\" 9";
    if (i == 2) record.nodes.back().undelivered = Bytes{any_count(draw)};
  }
  for (std::uint64_t i = draw.below(50); i > 0; --i) record.steps.push_back(any_step(draw));
  for (std::uint64_t i = draw.below(9); i > 0; --i) {
    record.evals.push_back({{any_count(draw)},
                            {any_count(draw)},
                            Instant{} + any_time(draw),
                            any_time(draw),
                            any_double(draw),
                            any_double(draw),
                            any_double(draw),
                            draw.below(2) == 0});
  }
  for (std::uint64_t i = draw.below(9); i > 0; --i) record.usage.push_back(any_usage(draw));
  record.basis = any_basis(draw);
  record.disk_assumed = draw.below(2) == 0;
  sort_rows(record);
  return record;
}

std::string told_of(const std::vector<Record>& records, bool full) {
  return to_text(result_of(records), full);
}

}  // namespace foretrain::testing
