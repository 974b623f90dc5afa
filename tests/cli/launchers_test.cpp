// Tasks started by foreign launchers: they train together, or an error names the variable.
#include "reports/record/files.h"
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace foretrain {
namespace {

using Catch::Matchers::Contains;
using testing::Sandbox;

constexpr const char* kThreeNodes =
    "foretrain: 1\nname: three\ndataset: {take: 300, test_take: 100}\n"
    "training: {workers: 2, servers: 1, batch_size: 16, steps: 20}\n";

int shell(const Sandbox& sandbox, const std::string& command) {
  const std::string in = "cd '" + sandbox.path("").string() + "' && export XDG_CACHE_HOME=cache; ";
  return WEXITSTATUS(std::system((in + command).c_str()));
}

/// Three tasks in parallel with these variables, in which $r is the rank.
std::string three_tasks(const std::string& variables) {
  return "for r in 0 1 2; do " + variables + " '" + program_path() +
         "' run three.yaml --quiet --out out >$r.out 2>$r.err & done; wait";
}

TEST_CASE("launchers: tasks of MPICH train one training") {
  Sandbox sandbox;
  sandbox.write("three.yaml", kThreeNodes);
  shell(sandbox, three_tasks("PMI_RANK=$r PMI_SIZE=3 MPI_LOCALRANKID=$r MPI_LOCALNRANKS=3"));
  CAPTURE(testing::text_of(sandbox.path("0.err")), testing::text_of(sandbox.path("1.err")));
  const Record record = read_record(sandbox.path("out"));
  CHECK(record.outcome == Outcome::done);
  CHECK(record.nodes.size() == 3);
  CHECK(testing::text_of(sandbox.path("1.out")).empty());  // only rank 0 reports
}

TEST_CASE("launchers: tasks of one that is not known train nothing") {
  Sandbox sandbox;
  sandbox.write("three.yaml", kThreeNodes);
  shell(sandbox, three_tasks("JSM_NAMESPACE_RANK=$r JSM_NAMESPACE_SIZE=3"));
  CHECK_FALSE(sandbox.has("out"));
  CHECK_THAT(testing::text_of(sandbox.path("2.err")),
             Contains("JSM_NAMESPACE_RANK=2 beside JSM_NAMESPACE_SIZE=3"));
}

TEST_CASE("launchers: the script of ../shared/reports trains one training") {
  const std::filesystem::path reports = source_dir() + "/../shared/reports";
  if (!std::filesystem::exists(reports)) {
    WARN("skipped: there is no ../shared/reports");
    return;
  }
  Sandbox sandbox;
  shell(sandbox, "sh '" + (reports / "mpich.sh").string() + "' '" + program_path() + "' '" +
                     (reports / "three-nodes.yaml").string() + "' out >all.out 2>&1");
  CAPTURE(testing::text_of(sandbox.path("all.out")));
  CHECK(read_record(sandbox.path("out")).nodes.size() == 3);
}

}  // namespace
}  // namespace foretrain
