// The files that cmake --install installs.
#include "tests/cli/sandbox.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain {
namespace {

namespace fs = std::filesystem;
using testing::Sandbox;

TEST_CASE("installed: the program, its library, man page, completion are where they belong") {
  const fs::path build = fs::path(program_path()).parent_path();
  if (!fs::exists(build / "described")) {
    WARN("skipped: this build is not one that is installed");
    return;
  }
  Sandbox sandbox;
  const fs::path place = sandbox.path("usr");
  const int status =
      std::system(fmt::format("cmake --install '{}' --prefix '{}' >'{}' 2>&1", build.string(),
                              place.string(), sandbox.path("log").string())
                      .c_str());
  INFO(testing::text_of(sandbox.path("log")));
  REQUIRE(WEXITSTATUS(status) == 0);
  for (const char* file :
       {"bin/foretrain", "share/man/man1/foretrain.1.gz", "share/man/man5/foretrain-scenario.5.gz",
        "share/foretrain/grafana.json", "share/foretrain/scenarios/guides/bottleneck.md",
        "share/foretrain/foretrain_profile.py", "share/foretrain/launch/foretrain.sbatch",
        "share/foretrain/scenarios/schema.json", "share/bash-completion/completions/foretrain",
        "share/zsh/site-functions/_foretrain", "share/fish/vendor_completions.d/foretrain.fish",
        "share/doc/foretrain/copyright"}) {
    CAPTURE(file);
    CHECK(fs::exists(place / file));
  }
  CHECK(testing::text_of(place / "share/bash-completion/completions/foretrain") ==
        sandbox.call("describe bash").out);

  // The whole library, without its sources.
  const fs::path scenarios = fs::path(source_dir()) / "scenarios";
  const fs::path library = place / "share/foretrain/scenarios";
  for (const auto& entry : fs::recursive_directory_iterator(scenarios)) {
    const fs::path name = fs::relative(entry.path(), scenarios);
    CAPTURE(name.string());
    const bool wanted = name.extension() == ".yaml" || name.extension() == ".csv";
    if (wanted) CHECK(fs::exists(library / name));
  }
  for (const auto& entry : fs::recursive_directory_iterator(library)) {
    CAPTURE(entry.path().string());
    CHECK((entry.path().extension() != ".h" && entry.path().extension() != ".cpp"));
    CHECK(!fs::is_empty(entry.path()));
  }

  // The installed program finds this library, not the one of the sources, by path and by name.
  std::ofstream(library / "quickstart.yaml") << "foretrain: 1\nname: the-installed-one\n";
  for (const char* name : {"scenarios/quickstart.yaml", "quickstart"}) {
    CAPTURE(name);
    const std::string check =
        fmt::format("cd '{}' && unset FORETRAIN_LIBRARY; usr/bin/foretrain check {} >checked",
                    sandbox.path("").string(), name);
    CHECK(std::system(check.c_str()) == 0);
    CHECK(testing::text_of(sandbox.path("checked")).find("\nname: the-installed-one\n") !=
          std::string::npos);
  }
  // A program below lib/, where packages put it, finds the same library.
  fs::create_directories(place / "lib/foretrain");
  fs::rename(place / "bin/foretrain", place / "lib/foretrain/foretrain-avx512");
  const std::string behind = fmt::format(
      "cd '{}' && unset FORETRAIN_LIBRARY; usr/lib/foretrain/foretrain-avx512 check quickstart "
      ">checked",
      sandbox.path("").string());
  CHECK(std::system(behind.c_str()) == 0);
  CHECK(testing::text_of(sandbox.path("checked")).find("\nname: the-installed-one\n") !=
        std::string::npos);
}

}  // namespace
}  // namespace foretrain
