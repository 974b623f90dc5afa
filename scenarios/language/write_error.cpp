#include "scenarios/language/write_error.h"

#include <fmt/format.h>

#include <cerrno>
#include <system_error>

namespace foretrain {
namespace {

/// Whether the request was valid: the disk is full or broken, a quota is used up, or the file has
/// its largest size.
bool is_disk_full_or_broken(int error) {
  return error == ENOSPC || error == EDQUOT || error == EFBIG || error == EIO;
}

}  // namespace

void fail_to_write(const std::string& place, int error, std::string_view what) {
  const std::string message =
      fmt::format("{}: {}: {}", place, what, std::generic_category().message(error));
  const bool no_reader = error == EPIPE;
  if (no_reader || is_disk_full_or_broken(error)) throw WriteError(message);
  throw InputError(message);
}

}  // namespace foretrain
