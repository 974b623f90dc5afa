// The sources of a forecast's figures in words: "calibrated" only after a measurement.
#include "reports/record/source.h"

#include "tests/reports/support.h"

#include <catch2/catch.hpp>

#include <string>

namespace foretrain::testing {
namespace {

using BasisFrom = ComputeBasis::From;

Record simulated_by(const std::vector<ComputeBasis>& basis) {
  Record record = small_record(Mode::simulate, "sync");
  record.machine = basis.empty() ? "" : basis.front().of;
  record.basis = basis;
  return record;
}

const ComputeBasis kMeasured{
    BasisFrom::calibrated, "this machine", "2026-11-25", 0.0123, 0.021, false, {}};
const ComputeBasis kGiven{BasisFrom::given, "20 ms", "", 0, 0, false, {"n"}};

TEST_CASE("source: a machine is calibrated where somebody measured it, else nothing says so") {
  CHECK(source_of(simulated_by({kMeasured})) == "simulated on this machine, calibrated 2026-11-25");
  CHECK(source_of(simulated_by({kGiven})) == "simulated with compute: 20 ms");
  const ComputeBasis card{BasisFrom::described, "card", "", 0, 0, false, {"card"}};
  CHECK(source_of(simulated_by({card})) == "simulated on card, uncalibrated: a data sheet");
  const ComputeBasis file{BasisFrom::written, "made-up", "", 0, 0, false, {}};
  CHECK(source_of(simulated_by({file})) ==
        "simulated on made-up, a machine file without a measurement");
  CHECK(source_of(simulated_by({{BasisFrom::profile, "", "", 0, 0, false, {"n"}}})) ==
        "simulated with the layer times of a profile");
  CHECK(source_of(simulated_by({})) == "simulated");
  for (const ComputeBasis& each : {kGiven, file}) {
    const Record record = simulated_by({each});
    CHECK(source_of(record).find("calibrated") == std::string::npos);
    CHECK(basis_sentence(record).find("calibrated") == std::string::npos);
  }
}

TEST_CASE("source: what devices were measured to train is told with the figures") {
  const Record record = simulated_by(
      {{BasisFrom::profile, "net, 384.2 examples/s at a batch of 128", "", 0, 0, false, {"n"}}});
  CHECK(source_of(record).starts_with(
      "simulated "
      "with compute times measured on one device, net, 384.2 examples/s at a batch of 128"));
  CHECK_THAT(basis_sentence(record),
             Catch::StartsWith(
                 "Assumptions: compute times of n were measured on one such device: net, 384.2 "
                 "examples/s at a batch of 128; they are shared among layers as in the profile. "));
}

TEST_CASE("source: hosts that one machine emulates are told behind its name") {
  Record record = simulated_by({kMeasured});
  record.machine += ", 3 hosts emulated on 2 cores";
  CHECK(source_of(record) ==
        "simulated on this machine, calibrated 2026-11-25, 3 hosts emulated on 2 cores");
}

TEST_CASE("basis: whose compute, when it was calibrated, how sure that is, which jitter") {
  CHECK(basis_sentence(simulated_by({kMeasured})) ==
        "Assumptions: compute times are those of this machine (calibrated 2026-11-25, a gradient "
        "\u00b1 1.2 %). The time of a gradient varies by 2.1 %, as measured.");
  CHECK(basis_sentence(small_record(Mode::run, "sync")).empty());
  CHECK(basis_sentence(simulated_by({})).empty());
}

TEST_CASE("basis: hosts that say nothing of their compute are told whose core they took") {
  ComputeBasis taken = kMeasured;
  taken.unasked = true;
  taken.hosts = {"node", "dgx-1"};
  CHECK_THAT(basis_sentence(simulated_by({taken})),
             Catch::StartsWith(
                 "Assumptions: compute times of node, dgx-1 are those of a core of this machine "
                 "(calibrated 2026-11-25, a gradient \u00b1 1.2 %), since the scenario gives them "
                 "neither compute: nor machine:."));
}

TEST_CASE("basis: workers of one host with a given time are told the cores that each has") {
  Record record = simulated_by({kGiven});
  HostSpec host;
  host.name = "n";
  host.cores = 8;
  host.compute = Duration{20'000'000};
  record.scenario_case.scenario.cluster.hosts = {host};
  record.scenario_case.scenario.training.threads = 4;
  CHECK_THAT(basis_sentence(record), !Catch::Contains("share its"));
  for (NodeTotals& node : record.nodes) node.host = "n";
  CHECK_THAT(basis_sentence(record), Catch::Contains("workers of n share its 8 cores, 4 each"));
}

TEST_CASE("basis: without jitter workers are in lockstep, which is said where it is so") {
  const std::string lockstep = "async gains nothing; add stragglers: to the scenario.";
  CHECK_THAT(basis_sentence(simulated_by({kGiven})),
             Catch::StartsWith(
                 "Assumptions: compute times of n are given by the scenario: 20 ms a gradient. No "
                 "variation of compute times is described, so all workers are equally fast: ") &&
                 Catch::EndsWith(lockstep));
  Record straggling = simulated_by({kGiven});
  straggling.scenario_case.scenario.stragglers.resize(1);
  CHECK_THAT(basis_sentence(straggling),
             Catch::EndsWith("Compute times vary only as stragglers: says."));
  Record alone = simulated_by({kGiven});
  alone.nodes.resize(1);
  CHECK_THAT(basis_sentence(alone),
             Catch::EndsWith(" No variation of compute times is described."));
  ComputeBasis other = kGiven;
  other.of = "30 ms";
  CHECK_THAT(basis_sentence(simulated_by({kGiven, other})),
             Catch::EndsWith(" No variation of compute times is described."));
}

TEST_CASE("basis: that a disk is assumed is said with what it takes") {
  Record record = simulated_by({kGiven});
  CHECK(basis_sentence(record).find("disk") == std::string::npos);
  record.disk_assumed = true;
  CHECK_THAT(
      basis_sentence(record),
      Catch::Contains(
          "20 ms a gradient; a disk is assumed, since no machine file describes one: a node's part "
          "of a checkpoint takes 3 ms plus its bytes at 4.8 Gbps. No variation"));
  record.scenario_case.scenario.checkpoint.write_latency = Duration{20'000'000'000};
  CHECK_THAT(basis_sentence(record), Catch::Contains("'s part of a checkpoint takes 20 s plus "));
}

TEST_CASE("source: that others used the machine is said where it was more than a little") {
  Record record;
  CHECK(others_sentence(record).empty());
  record.others_used = 0.1;
  CHECK(others_sentence(record).empty());
  record.others_used = 0.374;
  CHECK(others_sentence(record) ==
        "Other programs took 37 % of this machine's CPU: these times are too long; repeat when it "
        "is idle.");
}

}  // namespace
}  // namespace foretrain::testing
