#include "scenarios/language/file_check.h"

#include "scenarios/language/input_error.h"

#include <system_error>

namespace foretrain {

void check_is_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  if (fs::is_directory(status)) throw InputError(path.string() + ": a folder; name a file in it");
  const bool handed_over =
      path.native().starts_with("/dev/") || path.native().starts_with("/proc/");
  if (!fs::exists(status) || fs::is_regular_file(status) || handed_over) return;
  throw InputError(path.string() + (fs::is_fifo(status) ? ": a pipe" : ": a device or a socket") +
                   "; name a file");
}

}  // namespace foretrain
