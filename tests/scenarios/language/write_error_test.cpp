// Causes of failed writes: the disk, or the user's path.
#include "scenarios/language/file_errors.h"

#include <catch2/catch.hpp>

#include <cerrno>
#include <string>

namespace foretrain {
namespace {

TEST_CASE(
    "write error: of a full disk, of a reader that is gone nothing is wrong with what is asked") {
  CHECK_THROWS_AS(fail_to_write("here", ENOSPC), WriteError);
  CHECK_THROWS_AS(fail_to_write("here", EPIPE), WriteError);
  CHECK_THROWS_WITH(fail_to_write("here", ENOSPC), "here: cannot write: No space left on device");
}

TEST_CASE("write error: a place that nothing can be written to is the input's") {
  try {
    fail_to_write("here", EACCES, "cannot make the folder");
  } catch (const WriteError&) {
    FAIL("it is no error of the disk");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()) == "here: cannot make the folder: Permission denied");
  }
}

}  // namespace
}  // namespace foretrain
