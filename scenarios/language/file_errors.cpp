#include "scenarios/language/file_errors.h"

#include "scenarios/language/input_error.h"

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

std::optional<std::size_t> nested_too_deep(std::string_view json) {
  std::size_t line = 1;
  int level = 0;
  bool text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\n') ++line;
    if (c == '"') text = !text;
    if (text && c == '\\') ++i;
    if (text) continue;
    if ((c == '[' || c == '{') && ++level > kMostJsonLevels) return line;
    if (c == ']' || c == '}') --level;
  }
  return std::nullopt;
}

}  // namespace foretrain
