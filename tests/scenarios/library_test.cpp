// The scenario library is found, by whatever it is looked for.
#include "scenarios/library.h"

#include "scenarios/read.h"
#include "tests/scenarios/messages.h"
#include "tests/support/library_variable.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>

namespace foretrain {
namespace {

TEST_CASE("library: a build finds the scenarios of its sources") {
  const NoLibraryVariable environment;
  CHECK(std::filesystem::equivalent(library_folder(), source_dir() + "/scenarios"));
}

TEST_CASE("library: the environment names another one") {
  const NoLibraryVariable environment;
  const TempFolder folder;
  std::filesystem::create_directory(folder / "studies");
  std::ofstream(folder / "studies/mine.yaml") << "foretrain: 1\ntraining: {steps: 3}\n";
  NoLibraryVariable::set(folder.path());
  CHECK(library_folder() == folder.path());
  CHECK(in_library("scenarios/studies/mine.yaml") == folder / "studies/mine.yaml");
  CHECK(read_scenario("scenarios/studies/mine.yaml", {}).front().scenario.training.steps == 3);
}

TEST_CASE("library: a path that it does not have stays as it is") {
  const NoLibraryVariable environment;
  CHECK(in_library("scenarios/no_such_file.yaml") == "scenarios/no_such_file.yaml");
  CHECK(in_library("elsewhere/quickstart.yaml") == "elsewhere/quickstart.yaml");
  const std::string file = source_dir() + "/scenarios/quickstart.yaml";
  CHECK(in_library(file) == file);
}

TEST_CASE("library: a variable that names no folder is an error that says so") {
  const NoLibraryVariable environment;
  NoLibraryVariable::set("/no/such/folder");
  const std::string error = error_of([] { library_folder(); });
  CHECK(error.find("FORETRAIN_LIBRARY: /no/such/folder is no folder") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
