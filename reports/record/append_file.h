// A file that grows.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace foretrain {

/// Text that is on the disk, as far as the kernel is concerned, when `append` returns: it outlives
/// this process, however that ends. @throws WriteError that names the file, where the disk takes no
/// more; what it took stays
class AppendFile {
 public:
  /// Begins it anew. `called`: what errors name; empty: the path.
  explicit AppendFile(std::filesystem::path path, std::string called = {});
  AppendFile(const AppendFile&) = delete;
  AppendFile& operator=(const AppendFile&) = delete;
  ~AppendFile();

  void append(std::string_view text);
  /// Puts `text` in the place of its first bytes.
  void put_first(std::string_view text);

 private:
  [[noreturn]] void fail() const;

  std::filesystem::path path_;
  std::string called_;
  int file_;
};

}  // namespace foretrain
