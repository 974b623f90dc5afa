// Forecasts with compressed gradients.
#include "models/protocol/message.h"
#include "tests/support/cases.h"

#include <catch2/catch.hpp>

namespace foretrain::testing {
namespace {
using namespace literals;

constexpr std::int64_t kParameters = 7'850;

/// One worker with gradients of 1 s and a NIC that carries an uncompressed message in 1 s.
Case slow_star(const Compression& compression) {
  Case scenario_case = star_case("sync", 1, 10, 1_s);
  scenario_case.scenario.cluster.hosts.front().nic = rate_for(1);
  scenario_case.scenario.training.compression = compression;
  return scenario_case;
}

double seconds_of_message(Bytes payload) {
  return static_cast<double>((kHeaderSize + payload).value) /
         static_cast<double>(message_size().value);
}

TEST_CASE("compression: of half the bytes a push takes half as long") {
  Compression compression;
  compression.kind = "ratio";
  compression.ratio = 2;
  CHECK(mean_step_s(simulate(slow_star({}))) == Approx(3).epsilon(1e-6));
  const Record record = simulate(slow_star(compression));
  const double push_s = seconds_of_message({2 * kParameters});
  CHECK(push_s == Approx(0.5).epsilon(0.01));
  CHECK(mean_step_s(record) == Approx(1 + push_s + 1).epsilon(1e-6));
  CHECK(record.steps.back().report.phases.push.seconds() == Approx(push_s).epsilon(1e-6));
  CHECK(record.steps.back().report.phases.pull.seconds() == Approx(1).epsilon(1e-6));
}

TEST_CASE("compression: both sides take the time that encoding is said to take") {
  Compression compression;
  compression.kind = GENERATE("ratio", "fp16", "topk");
  compression.ratio = compression.kind == "ratio" ? 2 : 1;
  compression.encode_s = 1e-6;
  CAPTURE(compression.kind);
  const Bytes push = compressed_size(compression, kParameters);
  const double encode_s = 1e-6 * 4 * kParameters;
  const double step_s = mean_step_s(simulate(slow_star(compression)));
  CHECK(step_s == Approx(1 + 2 * encode_s + seconds_of_message(push) + 1).epsilon(1e-6));
}

TEST_CASE("compression: several workers share the server's port by what they send") {
  Compression compression;
  compression.kind = "fp16";
  Case scenario_case = star_case("sync", 4, 10, 1_s);
  scenario_case.scenario.cluster.hosts.front().nic = rate_for(1);
  scenario_case.scenario.training.compression = compression;
  const double push_s = seconds_of_message({2 * kParameters});
  CHECK(mean_step_s(simulate(scenario_case)) == Approx(1 + 4 * push_s + 4).epsilon(0.01));
}

TEST_CASE("compression: bytes are as they are counted, with numerics and without") {
  Compression compression;
  compression.kind = GENERATE("fp16", "topk");
  const bool numerics = GENERATE(true, false);
  CAPTURE(compression.kind, numerics);
  Case scenario_case = small_case("sync", 2, 10);
  scenario_case.scenario.numerics = numerics;
  scenario_case.scenario.training.compression = compression;
  const Record record = simulate(scenario_case);
  const Bytes push = kHeaderSize + compressed_size(compression, kParameters);
  CHECK(record.nodes[0].tx == push * 10);
  CHECK(record.nodes[0].rx == message_size() * 10);
  CHECK(record.nodes[2].rx == push * 20);
}

TEST_CASE("compression: it reaches about the accuracy of whole gradients") {
  Compression compression;
  compression.kind = GENERATE("fp16", "topk");
  CAPTURE(compression.kind);
  Case scenario_case = small_case("sync", 2, 200);
  const double whole = simulate(scenario_case).evals.back().accuracy;
  scenario_case.scenario.training.compression = compression;
  const double compressed = simulate(scenario_case).evals.back().accuracy;
  CHECK(whole > 0.75);
  CHECK(compressed >= whole - 0.03);
}

}  // namespace
}  // namespace foretrain::testing
