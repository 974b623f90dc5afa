// The cache of calibrations, forecasts by a noisy one.
#include "exec/calibration/calibration_cache.h"

#include "scenarios/library/machine_file.h"
#include "scenarios/resolve/read.h"
#include "tests/cli/sandbox.h"
#include "tests/support/variable.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain::exec {
namespace {

using Catch::Contains;
using testing::Called;
using testing::Sandbox;

// Stores the calibration where the program in the sandbox looks for it.
void keep(const Sandbox& sandbox, const Machine& machine) {
  const auto folder = sandbox.path("cache/foretrain");
  std::filesystem::create_directories(folder);
  std::ofstream(folder / calibration_file().filename()) << to_yaml(machine);
}

TEST_CASE("calibration cache: what is measured, on what, names it") {
  Processor processor;
  processor.name = "EPYC";
  processor.family = 25;
  processor.model = 17;
  processor.cores = 2;
  const std::string name = calibration_name("host", processor, "5f3a9c21");
  CHECK(name.starts_with("host-"));
  CHECK(name.ends_with(".yaml"));
  CHECK(calibration_name("host", processor, "5f3a9c21") == name);
  CHECK(calibration_name("other", processor, "5f3a9c21") != name);
  CHECK(calibration_name("host", processor, "00000000") != name);
  Processor other = processor;
  other.model = 1;
  CHECK(calibration_name("host", other, "5f3a9c21") != name);
  other = processor;
  other.cores = 1;  // as under taskset
  CHECK(calibration_name("host", other, "5f3a9c21") != name);
}

TEST_CASE("calibration cache: one that is kept is used, and said to be noisy where it is") {
  Sandbox sandbox;
  Machine machine = read_machine(sandbox.path("machine.yaml").string());
  keep(sandbox, machine);
  const Called quiet = sandbox.call("simulate small.yaml --out quiet");
  CHECK(quiet.status == 0);
  CHECK(quiet.err.find("noisy") == std::string::npos);
  CHECK(testing::text_of(sandbox.path("quiet/run.json")).find("\"made-up\"") != std::string::npos);

  machine.others_used = 0.35;
  keep(sandbox, machine);
  const Called noisy = sandbox.call("simulate small.yaml --out noisy");
  CHECK(noisy.status == 0);
  CHECK_THAT(noisy.err, Contains("calibration is inaccurate: other programs took 35 % of it") &&
                            Contains("Run `foretrain calibrate` again"));
  CHECK_THAT(testing::text_of(sandbox.path("noisy/run.json")),
             Contains("made-up (noisy: other programs took 35 % of it when it was calibrated)"));
  CHECK_THAT(noisy.out, Contains("(calibrated, noisy: other"));
}

TEST_CASE("calibration cache: a noisy one is let go of where this machine is idle, others stay") {
  const Sandbox sandbox;
  const testing::Variable cache("XDG_CACHE_HOME", sandbox.path("cache").string());
  Machine machine = read_machine(sandbox.path("machine.yaml").string());
  std::string told;
  const Tell tell = [&](const std::string& line) { told += line; };
  forget_noisy(tell);  // there is none
  keep(sandbox, machine);
  forget_noisy(tell);
  CHECK(std::filesystem::exists(calibration_file()));
  CHECK(told.empty());
  machine.others_used = 0.35;
  keep(sandbox, machine);
  forget_noisy(tell);  // tests that run in parallel may use the machine
  CHECK(std::filesystem::exists(calibration_file()) == told.empty());
  if (!told.empty())
    CHECK_THAT(told, Contains("Other programs took 35 %") && Contains("measured again"));
}

TEST_CASE("calibration cache: the note of a noisy one is kept in the machine file") {
  Machine machine;
  machine.name = "made-up";
  CHECK(machine.title() == "made-up");
  CHECK(to_yaml(machine).find("others_used") == std::string::npos);
  machine.others_used = 0.35;
  CHECK_THAT(to_yaml(machine), Contains("others_used: 35 %"));
  CHECK(parse_machine(to_yaml(machine), "m.yaml") == machine);
}

}  // namespace
}  // namespace foretrain::exec
