// Paths that name no readable file are rejected with the kind of the path.
#include "scenarios/language/file_errors.h"
#include "scenarios/language/input_error.h"
#include "scenarios/language/text_guard.h"
#include "scenarios/weights/weights.h"
#include "tests/support/temp_folder.h"

#include <catch2/catch.hpp>

#include <sys/stat.h>

#include <filesystem>
#include <fstream>

namespace foretrain {
namespace {

namespace fs = std::filesystem;

TEST_CASE("file check: a folder, a pipe, a device are no files; what a shell hands over may be") {
  const TempFolder folder;
  std::ofstream(folder / "file") << "text";
  fs::create_directory(folder / "folder");
  REQUIRE(mkfifo((folder / "pipe").c_str(), 0600) == 0);
  fs::create_symlink("/dev/zero", folder / "device");
  CHECK_NOTHROW(check_is_file(folder / "file"));
  CHECK_NOTHROW(check_is_file(folder / "absent"));
  CHECK_NOTHROW(check_is_file("/dev/null"));
  CHECK_THROWS_WITH(check_is_file(folder / "folder"),
                    folder / "folder" + ": a folder; name a file in it");
  CHECK_THROWS_WITH(check_is_file(folder / "pipe"), folder / "pipe" + ": a pipe; name a file");
  CHECK_THROWS_WITH(check_is_file(folder / "device"), Catch::Contains(": a device"));
  // Opening the pipe would wait for a writer forever.
  CHECK_THROWS_AS(read_text(folder / "pipe"), InputError);
}

}  // namespace
}  // namespace foretrain
