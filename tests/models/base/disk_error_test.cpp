// Tests of which errors of the system are a disk's.
#include "models/base/disk_error.h"

#include <catch2/catch.hpp>

namespace foretrain {
namespace {

TEST_CASE("disk error: a full disk, a used quota, a file at its limit, a broken disk") {
  for (const int error : {ENOSPC, EDQUOT, EFBIG, EIO}) {
    CAPTURE(error);
    CHECK(is_disk_full_or_broken(error));
  }
}

TEST_CASE("disk error: a place that is none, a reader that is gone are not the disk's") {
  for (const int error : {0, ENOENT, ENOTDIR, EISDIR, EACCES, EROFS, EPIPE}) {
    CAPTURE(error);
    CHECK_FALSE(is_disk_full_or_broken(error));
  }
}

}  // namespace
}  // namespace foretrain
