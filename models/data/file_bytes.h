// A file as bytes in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace foretrain {

/// A file that is mapped, not copied: the system reads a page when it is first looked at, drops it
/// when memory is short. Copies share the mapping, which lasts as long as any of them. Whoever cuts
/// the file short meanwhile ends the program.
class FileBytes {
 public:
  /// `expected` says what should be there, for the error: `an IDX file`.
  /// @throws DataError where there is no such file, no regular one, an empty one
  FileBytes(std::string path, std::string_view expected);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::span<const std::uint8_t> bytes() const { return bytes_; }
  [[nodiscard]] std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::string path_;
  std::shared_ptr<const void> mapping_;
  std::span<const std::uint8_t> bytes_;
};

}  // namespace foretrain
