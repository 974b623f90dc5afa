// The include direction: models <- scenarios <- reports <- {sim, exec} <- main.cpp.
#include "tests/house/checks.h"
#include "tests/house/tree.h"

#include <catch2/catch.hpp>

using namespace foretrain::house;

namespace {

const SourceFile kTime{"models/base/time.h", "// Time.\n"};
const SourceFile kScenario{"scenarios/scenario.h", "#include \"models/base/time.h\"\n"};
const SourceFile kEngine{"sim/engine/engine.h", "#include \"scenarios/scenario.h\"\n"};

}  // namespace

TEST_CASE("layers: every include of the tree goes downwards") {
  const auto tree = files_of_tree({".h", ".cpp"});
  REQUIRE(tree.size() > 20);
  const auto findings = layer_findings(tree);
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("layers: an include downwards is fine") {
  CHECK(layer_findings({kTime, kScenario, kEngine}).empty());
}

TEST_CASE("layers: models may not include scenarios") {
  const SourceFile offender{"models/base/cost.h", "// Cost.\n#include \"scenarios/scenario.h\"\n"};
  CHECK(layer_findings({kTime, kScenario, offender}) ==
        std::vector<Finding>{{"models/base/cost.h", 2, "models may not include scenarios"}});
}

TEST_CASE("layers: exec may not include sim, sim may not include exec") {
  const SourceFile exec{"exec/driver/run.h", "#include \"sim/engine/engine.h\"\n"};
  const SourceFile sim{"sim/driver/simulate.cpp", "#include \"exec/driver/run.h\"\n"};
  const auto findings = layer_findings({kTime, kScenario, kEngine, exec, sim});
  CHECK(describe(findings) ==
        "exec/driver/run.h:1: exec may not include sim\n"
        "sim/driver/simulate.cpp:1: sim may not include exec\n");
}

TEST_CASE("layers: nothing but a test includes a test") {
  const SourceFile helper{"tests/support/cluster.h", "#include \"models/base/time.h\"\n"};
  const SourceFile test{"tests/sim/engine_test.cpp", "#include \"tests/support/cluster.h\"\n"};
  CHECK(layer_findings({kTime, helper, test}).empty());
  const SourceFile offender{"main.cpp", "#include \"tests/support/cluster.h\"\n"};
  CHECK(layer_findings({kTime, helper, offender}).size() == 1);
}

TEST_CASE("layers: an include relative to the file's own folder is found") {
  const SourceFile offender{"models/base/quantity.h", "#include \"time.h\"\n"};
  const auto findings = layer_findings({kTime, offender});
  REQUIRE(findings.size() == 1);
  CHECK(findings[0].what == "\"time.h\" is no file of ours, as called from the root");
}

TEST_CASE("layers: ours in angle brackets is found") {
  const SourceFile offender{"models/base/quantity.h", "#include <models/base/time.h>\n"};
  CHECK(layer_findings({kTime, offender}).size() == 1);
}

TEST_CASE("layers: an include in a comment or a literal does not count") {
  const SourceFile file{"models/base/quantity.h",
                        "// #include \"sim/x.h\"\n/*\n#include \"sim/x.h\"\n*/\n"
                        "const char* kText = R\"(\n#include \"sim/x.h\"\n)\";\n"};
  CHECK(layer_findings({file}).empty());
}
