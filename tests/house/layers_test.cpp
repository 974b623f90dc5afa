// The direction of includes: models <- scenarios <- reports <- {sim, exec} <- main.cpp.
#include "tests/house/checks.h"
#include "tests/house/tree.h"

#include <catch2/catch.hpp>

using namespace foretrain::house;

namespace {

const SourceFile kTime{"models/base/time.h", "// Time.\n"};
const SourceFile kScenario{"scenarios/spec/scenario.h", "#include \"models/base/time.h\"\n"};
const SourceFile kEngine{"sim/engine/engine.h", "#include \"scenarios/spec/scenario.h\"\n"};

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
  const SourceFile offender{"models/base/cost.h",
                            "// Cost.\n#include \"scenarios/spec/scenario.h\"\n"};
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

TEST_CASE("layers: reports/ is record, studies, show, then serve beside cli") {
  const SourceFile record{"reports/record/record.h", "#include \"scenarios/spec/scenario.h\"\n"};
  const SourceFile study{"reports/studies/sweep.h", "#include \"reports/record/record.h\"\n"};
  const SourceFile page{"reports/show/page.h", "#include \"reports/studies/sweep.h\"\n"};
  const SourceFile command{"reports/cli/commands.h", "#include \"reports/show/page.h\"\n"};
  const SourceFile door{"reports/serve/serve.h", "#include \"reports/show/page.h\"\n"};
  const SourceFile sim{"sim/whatif/whatif.h", "#include \"reports/studies/sweep.h\"\n"};
  const SourceFile exec{"exec/launch/run.h", "#include \"reports/record/record.h\"\n"};
  const std::vector<SourceFile> tree{kTime,   kScenario, record, study, page,
                                     command, door,      sim,    exec};
  CHECK(layer_findings(tree).empty());
  const auto with = [&](const std::string& path, const std::string& included) {
    std::vector<SourceFile> other = tree;
    other.push_back({path, "#include \"" + included + "\"\n"});
    return describe(layer_findings(other));
  };
  CHECK(with("reports/record/files.h", study.path) ==
        "reports/record/files.h:1: reports/record may not include reports/studies\n");
  CHECK(with("reports/studies/text.h", page.path) ==
        "reports/studies/text.h:1: reports/studies may not include reports/show\n");
  CHECK(with("reports/show/text.h", command.path) ==
        "reports/show/text.h:1: reports/show may not include reports/cli\n");
  CHECK(with("reports/serve/text.h", command.path) ==
        "reports/serve/text.h:1: reports/serve may not include reports/cli\n");
  CHECK(with("reports/cli/text.h", door.path) ==
        "reports/cli/text.h:1: reports/cli may not include reports/serve\n");
  CHECK(with("sim/driver/text.h", page.path) ==
        "sim/driver/text.h:1: sim may not include reports/show\n");
  CHECK(with("exec/driver/text.h", study.path) ==
        "exec/driver/text.h:1: exec may not include reports/studies\n");
  CHECK(with("reports/text.h", record.path) ==
        "reports/text.h:1: is in no folder that the layers know\n");
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

TEST_CASE("rooms: no circle in the tree") {
  const auto findings = room_findings(files_of_tree({".h", ".cpp"}));
  INFO(describe(findings));
  CHECK(findings.empty());
}

TEST_CASE("rooms: a circle is told with its files, one way after the other") {
  const SourceFile layer{"models/layers/layer.h", "\n#include \"models/networks/network.h\"\n"};
  const SourceFile network{"models/networks/network.h", "#include \"models/tensor/tensor.h\"\n"};
  const SourceFile tensor{"models/tensor/tensor.h", "#include \"models/layers/kind.h\"\n"};
  const SourceFile kind{"models/layers/kind.h", "// A kind.\n"};
  CHECK(room_findings({layer, network, kind}).empty());
  const auto findings = room_findings({layer, network, tensor, kind});
  REQUIRE(findings.size() == 3);
  CHECK(describe({findings[0]}) ==
        "models/layers/layer.h:2: a circle of rooms: models/layers -> models/networks "
        "(models/layers/layer.h includes models/networks/network.h) -> models/tensor "
        "(models/networks/network.h includes models/tensor/tensor.h) -> models/layers "
        "(models/tensor/tensor.h includes models/layers/kind.h)\n");
}

TEST_CASE("rooms: a room inside a room has circles of its own") {
  const SourceFile page{"reports/show/page/page.h", "#include \"reports/show/figures/figure.h\"\n"};
  const SourceFile figure{"reports/show/figures/figure.h",
                          "#include \"reports/show/page/page.h\"\n"};
  const SourceFile text{"reports/record/wrapped_text.h", "// Text.\n"};
  const SourceFile table{"reports/show/table.h",
                         "#include \"reports/record/wrapped_text.h\"\n"
                         "#include \"reports/show/page/page.h\"\n"};
  CHECK(room_findings({page, {figure.path, "// A figure.\n"}, text, table}).empty());
  CHECK(room_findings({page, figure, text, table}).size() == 2);
}
