// Checks of files that are read, the error for files that cannot be written.
#pragma once

#include "scenarios/language/input_error.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace foretrain {

/// A valid result that could not be written, for instance because the disk is full. It is an
/// InputError, so that code that continues after InputError also continues after this.
class WriteError : public InputError {
 public:
  using InputError::InputError;
};

/// `PLACE: cannot write: No space left on device`, by `error` (errno). @throws WriteError if the
/// disk is full or broken or the reader of a pipe is gone, else InputError
[[noreturn]] void fail_to_write(const std::string& place, int error,
                                std::string_view what = "cannot write");

/// Rejects a folder, pipe, socket or device in place of an input file: reading it would fail
/// without a reason or never end. Pipes are allowed for /dev/stdin and /dev/fd/63, which a shell
/// passes. Accepts a path that does not exist; the function that opens it reports that.
/// @throws InputError
void check_is_file(const std::filesystem::path& path);

/// Returns the line, counted from 1, on which `json` exceeds kMostJsonLevels; nothing if none does.
/// To be called before a parser: code that copies or prints a value recurses once per level, and a
/// million levels exhaust the stack. `json` need not be valid JSON.
std::optional<std::size_t> nested_too_deep(std::string_view json);

inline constexpr int kMostJsonLevels = 100;

}  // namespace foretrain
