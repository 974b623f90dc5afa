// The lock of a folder: its owner, its duration.
#include "reports/record/files.h"
#include "scenarios/language/input_error.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <optional>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

TEST_CASE("folder lock: a second holder is refused by the folder and the process") {
  const TempFolder folder;
  const fs::path run = folder / "run";
  std::optional<FolderLock> lock(std::in_place, run);
  CHECK_THROWS_WITH(FolderLock(run),
                    Catch::StartsWith(fmt::format("{}: is being written by process {} on ",
                                                  run.string(), getpid())));
  CHECK_NOTHROW(FolderLock(run / "below"));
  lock.reset();
  CHECK_NOTHROW(FolderLock(run));
  CHECK(!fs::exists(run / ".lock"));
}

TEST_CASE("folder lock: it ends with its process, however that ends") {
  const TempFolder folder;
  const pid_t child = fork();
  if (child == 0) {
    const FolderLock lock(folder.path());
    raise(SIGKILL);
  }
  waitpid(child, nullptr, 0);
  REQUIRE(fs::exists(folder / ".lock"));
  CHECK_NOTHROW(FolderLock(folder.path()));
}

}  // namespace
}  // namespace foretrain
