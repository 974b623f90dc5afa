// Measured figures of clusters are read, what is wrong of them is told by file, line, column.
#include "reports/studies/clusters/figures.h"

#include "tests/reports/support.h"
#include "tests/scenarios/messages.h"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

namespace foretrain::testing {
namespace {

const std::string kClusterColumns = "study,series,role,devices,set,quantity,value,unit,source\n";
const std::string kClusterBase = "s,a,base,1,-,throughput,100,images/s,page:1\n";

std::vector<ClusterFigure> read_as_clusters(const std::string& text) {
  const TemporaryFolder folder;
  write_text(folder.path() / "measured.csv", text);
  return read_cluster_figures((folder.path() / "measured.csv").string());
}

bool figures_tell(const std::string& text, const std::string& what) {
  const std::string error = error_of([&] { read_as_clusters(text); });
  INFO(error);
  CHECK(error.find(what) != std::string::npos);
  return error.find(what) != std::string::npos;
}

TEST_CASE("clusters: a row has what its scenario is set to, beside its figure") {
  const auto figures = read_as_clusters(
      "# a comment\n" + kClusterColumns + kClusterBase +
      "s,a,forecast,8,training.workers=8;framework.step=3 ms,throughput,700,images/s,page:2\n");
  REQUIRE(figures.size() == 2);
  CHECK(figures[0].role == ClusterRole::base);
  CHECK(figures[0].settings.empty());
  CHECK(figures[1].settings ==
        std::vector<std::string>{"training.workers=8", "framework.step=3 ms"});
  CHECK(figures[1].devices == 8);
  CHECK(figures[1].value == 700);
  CHECK(figures[1].is_rate());
  CHECK(studies_of(figures) == std::vector<std::string>{"s"});
}

TEST_CASE("clusters: a damaged table is an error with its file, line, column") {
  const std::string good = kClusterColumns + kClusterBase;
  CHECK(figures_tell("study,series\n", "measured.csv:1: the columns have to be study,series,role"));
  CHECK(figures_tell(good + "s,a\n", "measured.csv:3: 2 values under 9 columns"));
  CHECK(figures_tell(good + "s,a,guess,1,-,throughput,1,images/s,p\n",
                     "measured.csv:3: role: 'guess' is none; write base, fitted or forecast"));
  CHECK(
      figures_tell(good + "s,a,forecast,0,-,throughput,1,images/s,p\n", "measured.csv:3: devices"));
  CHECK(figures_tell(good + "s,a,forecast,1,workers,throughput,1,images/s,p\n",
                     "measured.csv:3: set: 'workers' sets nothing; write KEY=VALUE"));
  CHECK(figures_tell(good + "s,a,forecast,1,-,speed,1,images/s,p\n",
                     "measured.csv:3: quantity: 'speed'"));
  CHECK(figures_tell(good + "s,a,forecast,1,-,throughput,0,images/s,p\n",
                     "measured.csv:3: value: 0"));
  CHECK(figures_tell(good + "s,a,forecast,1,-,throughput,one,images/s,p\n",
                     "measured.csv:3: value: 'one'"));
  CHECK(figures_tell(good + "s,a,forecast,1,-,throughput,1,furlongs,p\n",
                     "measured.csv:3: unit: unit"));
  CHECK(figures_tell(good + "s,a,forecast,1,-,throughput,1,images/s,\n",
                     "measured.csv:3: source is empty"));
}

TEST_CASE("clusters: a series has one base, one quantity") {
  const std::string good = kClusterColumns + kClusterBase;
  CHECK(figures_tell(good + kClusterBase, "measured.csv:3: role: a of s has a base already"));
  CHECK(figures_tell(good + "s,b,forecast,2,-,throughput,1,images/s,p\n",
                     "measured.csv:3: role: b of s has no base"));
  CHECK(figures_tell(good + "s,a,forecast,2,-,step_time,1,s,p\n",
                     "measured.csv:3: quantity: a of s has throughput in images/s before"));
}

}  // namespace
}  // namespace foretrain::testing
