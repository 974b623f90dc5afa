// The provenance of the program in a run's folder.
#include "exec/system/this_processor.h"
#include "exec/transport/build_name.h"
#include "models/networks/registry.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <regex>
#include <string>
#include <vector>

namespace foretrain {
namespace {

using testing::Sandbox;

TEST_CASE("provenance: a run says which build wrote its folder, a simulation does not") {
  Sandbox sandbox;
  REQUIRE(sandbox.call("run small.yaml --quiet --set training.steps=3 --out real").status == 0);
  const auto json = nlohmann::json::parse(testing::text_of(sandbox.path("real/provenance.json")));
  CHECK(json.at("build") == exec::build_name());
  CHECK(std::regex_match(json.at("date").get<std::string>(),
                         std::regex(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)")));
  CHECK(!json.at("host").get<std::string>().empty());
  CHECK(json.at("processor") == exec::this_processor().name);
  const std::vector<std::string> command = json.at("command");
  CHECK(std::vector<std::string>(command.begin() + 1, command.end()) ==
        std::vector<std::string>{"run", "small.yaml", "--quiet", "--set", "training.steps=3",
                                 "--out", "real"});

  // A report shows it, on the terminal and on its page.
  const auto report = sandbox.call("report real --full --out page");
  CHECK(report.out.find(" written by ") != std::string::npos);
  const std::string page = testing::text_of(sandbox.path("page/report.html"));
  CHECK(page.find(exec::build_name()) != std::string::npos);

  REQUIRE(
      sandbox.call("simulate small.yaml --quiet --machine machine.yaml --out forecast").status ==
      0);
  CHECK(!sandbox.has("forecast/provenance.json"));
  // It is removed if a simulation reuses the folder of a run.
  REQUIRE(sandbox.call("simulate small.yaml --quiet --machine machine.yaml --out real --force")
              .status == 0);
  CHECK(!sandbox.has("real/provenance.json"));
}

TEST_CASE("provenance: the version that the program prints is the build of its records") {
  Sandbox sandbox;
  CHECK(sandbox.call("--version").out ==
        "foretrain " + exec::build_name() + ", " + std::string(kernel_set()) + " kernels\n");
}

}  // namespace
}  // namespace foretrain
