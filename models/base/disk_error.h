// Which errors of the system mean that a disk takes no more.
#pragma once

#include <cerrno>

namespace foretrain {

/// `error` (errno) of a write says that the disk is full, a quota used up, a file as large as it
/// may be, or the disk broken: nothing is wrong with what was asked for.
constexpr bool is_disk_full_or_broken(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

}  // namespace foretrain
