// The summary of every command: a sentence first, in 80 columns.
#include "models/data/digits.h"
#include "tests/cli/sandbox.h"
#include "tests/cli/told.h"
#include "tests/support/idx_files.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <string>

namespace foretrain {
namespace {

using testing::Called;
using testing::Sandbox;
using testing::too_wide;

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

/// Calls a command and checks that neither output is wider than a terminal.
Called narrow(Sandbox& sandbox, const std::string& arguments) {
  Called called = sandbox.call(arguments);
  INFO(arguments << "\n" << called.err);
  CHECK(called.status == 0);
  CHECK(too_wide(called.out).empty());
  CHECK(too_wide(called.err).empty());
  return called;
}

const std::string kSweep = " small.yaml --set 'sweep.training.strategy=[sync, async]' ";

TEST_CASE("summary: trainings tell what came out first, a sweep which case is ahead") {
  Sandbox sandbox;
  const Called run = narrow(sandbox, "run small.yaml --out r");
  CHECK(first_line(run.out).find("sync run: 20 gradients in ") == 0);
  CHECK(run.out.find("\n step [ms] ") != std::string::npos);
  const Called sweep = narrow(sandbox, "simulate" + kSweep + "--machine machine.yaml --out s");
  CHECK(sweep.out.find("Of 2 trainings ") != std::string::npos);
  CHECK(sweep.out.find("\n async  ") != std::string::npos);
  const Called seeds =
      narrow(sandbox, "simulate small.yaml --machine machine.yaml --seeds 3 --out b");
  CHECK(first_line(seeds.out).find("sync simulated with the 3 seeds from 1: it takes ") == 0);
  const Called report = narrow(sandbox, "report r s/strategy=sync --out figures");
  CHECK(report.out.find("Of 2 trainings ") != std::string::npos);
}

TEST_CASE("summary: a validation tells its errors first") {
  Sandbox sandbox;
  const Called validated =
      narrow(sandbox, "validate small.yaml --machine machine.yaml --repeat 1 --out v");
  CHECK(validated.out.find("Forecast of the step time: sync ") == 0);
}

TEST_CASE("summary: check says in a comment what is trained") {
  Sandbox sandbox;
  const Called checked = narrow(sandbox, "check" + kSweep);
  CHECK(first_line(checked.out) ==
        "# small, strategy=sync: softmax on digits, sync, 2 workers, 1 server, batches of");
  sandbox.write("again.yaml", narrow(sandbox, "check small.yaml").out);
  CHECK(narrow(sandbox, "check again.yaml").out == testing::text_of(sandbox.path("again.yaml")));
  for (const std::string model : {"softmax", "lenet", "alexnet_cifar"}) {
    CAPTURE(model);
    narrow(sandbox, "check small.yaml --graph --set model=" + model);
  }
}

TEST_CASE("summary: calibrate from a record tells what a gradient takes") {
  Sandbox sandbox;
  REQUIRE(sandbox
              .call("simulate small.yaml --set training.strategy=single --set "
                    "training.workers=1 --machine machine.yaml --out alone")
              .status == 0);
  const Called made = narrow(sandbox, "calibrate --from alone --out made.yaml");
  CHECK(first_line(made.err) == "softmax 784x10, batch 16: 0.026 ms, median of 10");
}

TEST_CASE("summary: data commands say that nothing is wrong") {
  Sandbox sandbox;
  CHECK(first_line(narrow(sandbox, "data list").out) ==
        "A scenario's dataset: has one of 7 formats.");
  const ImageSplit digits = draw_digits(300, 50, 1);
  std::filesystem::create_directory(sandbox.path("d"));
  write_idx_folder(digits.train, digits.test, sandbox.path("d"));
  CHECK(first_line(narrow(sandbox, "data verify d").out) == "All of d was read and is correct.");
}

TEST_CASE("summary: help fits a terminal for every command") {
  Sandbox sandbox;
  narrow(sandbox, "--help");
  for (const std::string& command : sandbox.commands()) {
    CAPTURE(command);
    narrow(sandbox, command + " --help");
  }
}

}  // namespace
}  // namespace foretrain
