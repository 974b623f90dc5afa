// Finding the scenario library in each of its places.
#include "scenarios/library/library.h"

#include "scenarios/resolve/read.h"
#include "tests/scenarios/messages.h"
#include "tests/support/places.h"
#include "tests/support/temp_folder.h"
#include "tests/support/variable.h"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace foretrain {
namespace {

TEST_CASE("library: a build finds the scenarios of its sources") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  CHECK(std::filesystem::equivalent(library_folder(), source_dir() + "/scenarios"));
}

TEST_CASE("library: the environment names another one") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const TempFolder folder;
  std::filesystem::create_directory(folder / "studies");
  std::ofstream(folder / "studies/mine.yaml") << "foretrain: 1\ntraining: {steps: 3}\n";
  library_variable.set(folder.path());
  CHECK(library_folder() == folder.path());
  CHECK(in_library("scenarios/studies/mine.yaml") == folder / "studies/mine.yaml");
  CHECK(read_scenario("scenarios/studies/mine.yaml", {}).front().scenario.training.steps == 3);
}

TEST_CASE("library: a path that it does not have stays as it is") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  CHECK(in_library("scenarios/no_such_file.yaml") == "scenarios/no_such_file.yaml");
  CHECK(in_library("elsewhere/quickstart.yaml") == "elsewhere/quickstart.yaml");
  const std::string file = source_dir() + "/scenarios/quickstart.yaml";
  CHECK(in_library(file) == file);
}

TEST_CASE("library: a scenario goes by its name, a file of that name comes first") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const TempFolder folder;
  std::filesystem::create_directory(folder / "studies");
  std::ofstream(folder / "mine.yaml") << "foretrain: 1\ntraining: {steps: 3}\n";
  std::ofstream(folder / "studies/p2.8x.yaml") << "foretrain: 1\ntraining: {steps: 5}\n";
  std::ofstream(folder / "outside.yaml") << "foretrain: 1\n";
  library_variable.set(folder.path());
  CHECK(in_library("mine") == folder / "mine.yaml");
  CHECK(in_library("studies/p2.8x") == folder / "studies/p2.8x.yaml");
  CHECK(read_scenario("studies/p2.8x", {}).front().scenario.training.steps == 5);
  CHECK(read_scenario("mine", {}).front().scenario.name == "mine");
  const std::string file = folder / "mine.yaml";
  CHECK(in_library(file) == file);
  CHECK(library_files() == std::vector<std::string>{"mine", "outside", "studies/p2.8x"});
  library_variable.set(folder / "studies");
  CHECK(in_library("../outside") == "../outside");
  CHECK(in_library("no/../../outside") == "no/../../outside");
  CHECK(in_library("").empty());
}

TEST_CASE("library: a profile of the library is found from anywhere") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  const TempFolder folder;
  const std::string copy = folder / "copy.yaml";
  std::filesystem::copy_file(source_dir() + "/scenarios/clusters/pollux.yaml", copy);
  const std::string profile = read_scenario(copy, {}).front().scenario.model.profile.path;
  CHECK(std::filesystem::exists(profile));
  CHECK(std::filesystem::path(profile).filename() == "bert_base_squad.csv");
}

TEST_CASE("library: a variable that names no folder is an error that says so") {
  const testing::Variable library_variable(testing::kLibraryVariable);
  library_variable.set("/no/such/folder");
  const std::string error = error_of([] { library_folder(); });
  CHECK(error.find("FORETRAIN_LIBRARY: /no/such/folder is no folder") != std::string::npos);
}

}  // namespace
}  // namespace foretrain
