// A file as bytes in memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace foretrain {

/// A file that is mapped, not copied: the system reads a page at its first access and may drop it
/// when memory is short. Copies share the mapping, which lasts as long as any of them. If another
/// process truncates the file meanwhile, the program is terminated.
class FileBytes {
 public:
  /// `expected` names the expected content, for errors: `an IDX file`.
  /// @throws DataError if the file does not exist, is not a regular file, or is empty
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
